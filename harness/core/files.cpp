#include "core/files.hpp"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace cugrade {

namespace fs = std::filesystem;

Error cannot(std::string_view what, const fs::path& path, int error_number) {
    Error error{.message = fmt::format("cannot {}: {}", what, std::strerror(error_number)),
                .file = path.string()};
    if (error_number == ENOSPC || error_number == EDQUOT)
        error.remedy = "make room on that disk and try again";
    return error;
}

Result<std::string> read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) return cannot("read", path, errno);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (in.bad()) return cannot("read", path, errno);
    return text;
}

Result<fs::path> make_unique_folder(const fs::path& parent, std::string_view prefix) {
    std::string pattern = (parent / fmt::format("{}XXXXXX", prefix)).string();
    if (::mkdtemp(pattern.data()) == nullptr) return cannot("make a folder", parent, errno);
    return fs::path(pattern);
}

Result<TemporaryFolder> TemporaryFolder::make(std::string_view prefix) {
    std::error_code error, ignored;
    const fs::path parent = fs::absolute(fs::temp_directory_path(error), ignored);
    auto path =
        error ? cannot("make a folder", parent, error.value()) : make_unique_folder(parent, prefix);
    if (!path) {
        Error why = path.error();
        why.message = "no folder for temporary files: " + why.message;
        why.remedy = "make room there, or set TMPDIR";
        return why;
    }
    return TemporaryFolder(*std::move(path));
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& o) noexcept
    : path_(std::exchange(o.path_, fs::path())) {}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace cugrade
