#include "cli/files.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "cli/terminal.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

int write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

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

/// So that the rename itself survives a power failure.
void sync_folder(const fs::path& folder) {
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    ::fsync(fd);
    ::close(fd);
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

Status write_atomically(const fs::path& path, std::string_view text) {
    const fs::path folder = folder_of(path);
    std::error_code error;
    // A device or pipe cannot be replaced: `--out /dev/stdout`.
    if (const auto status = fs::status(path, error);
        fs::exists(status) && !fs::is_regular_file(status)) {
        const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (fd < 0) return cannot("open", path, errno);
        const int failed = write_all(fd, text);
        ::close(fd);
        if (failed != 0) return cannot("write", path, failed);
        return Done{};
    }
    std::string temporary = (folder / fmt::format(".{}.XXXXXX", path.filename().string())).string();
    const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (fd < 0) return cannot("write", path, errno);
    int failed = write_all(fd, text);
    // mkostemp made it for this user only; a report is an ordinary file.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (failed == 0 && ::fchmod(fd, 0666 & ~mask) != 0) failed = errno;
    if (failed == 0 && ::fsync(fd) != 0) failed = errno;
    if (::close(fd) != 0 && failed == 0) failed = errno;
    if (failed == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) failed = errno;
    if (failed != 0) {
        ::unlink(temporary.c_str());
        return cannot("write", path, failed);
    }
    sync_folder(folder);
    return Done{};
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
