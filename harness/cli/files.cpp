#include "cli/files.hpp"

#include <unistd.h>

#include <cerrno>

#include "cli/terminal.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

Error not_there(const fs::path& path, int error_number) {
    Error out = cannot("write", path, error_number);
    out.kind = ErrorKind::usage;
    out.remedy = "name a place in a folder that is there and that you may write to";
    return out;
}

/// Whether `path` could be made in `folder`.
Status could_write_below(const fs::path& folder, const fs::path& path) {
    const bool may = ::access((folder / ".").c_str(), W_OK | X_OK) == 0;
    return may ? Status(Done{}) : not_there(path, errno);
}

}  // namespace

Status could_write(const fs::path& path) {
    std::error_code error;
    const auto status = fs::status(path, error);
    if (fs::is_directory(status)) return not_there(path, EISDIR);
    if (fs::exists(status) && !fs::is_regular_file(status)) return Done{};
    return could_write_below(folder_of(path), path);
}

Status could_write_in(const fs::path& folder) {
    std::error_code error;
    fs::path there = fs::absolute(folder, error);
    while (there.has_relative_path() && !fs::exists(there, error)) there = there.parent_path();
    return could_write_below(there, folder);
}

Status write_or_print(const fs::path& path, std::string_view text) {
    Status written = write_atomically(path, text);
    if (!written) print(text);
    return written;
}

Status make_folders(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) return cannot("make the folder", path, error.value());
    return Done{};
}

}  // namespace cugrade::cli
