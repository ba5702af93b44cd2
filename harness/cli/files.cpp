#include "cli/files.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

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

/// So that the rename itself survives a power failure.
void sync_folder(const fs::path& folder) {
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    ::fsync(fd);
    ::close(fd);
}

}  // namespace

Status write_atomically(const fs::path& path, std::string_view text) {
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
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

Status make_folders(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) return cannot("make the folder", path, error.value());
    return Done{};
}

}  // namespace cugrade::cli
