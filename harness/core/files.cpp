#include "core/files.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>

#include <fmt/format.h>

namespace cugrade {

namespace fs = std::filesystem;

namespace {

int write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

/// Makes a file in `folder` that was not there, hidden and with the permissions of an ordinary
/// file, and opens it. -1: errno says why not.
int open_new(const fs::path& folder, const std::string& name, fs::path& path) {
    for (int attempt = 0;; ++attempt) {
        path = folder / fmt::format(".{}.{:08x}", name, std::random_device()());
        const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST || attempt == 100) return fd;
    }
}

/// So that the rename itself survives a power failure.
void sync_folder(const fs::path& folder) {
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    ::fsync(fd);
    ::close(fd);
}

}  // namespace

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

Status write_atomically(const fs::path& path, std::string_view text) {
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
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    fs::path temporary;
    const int fd = open_new(folder, path.filename().string(), temporary);
    if (fd < 0) return cannot("write", path, errno);
    int failed = write_all(fd, text);
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

Result<fs::path> make_unique_folder(const fs::path& parent, std::string_view prefix) {
    std::string pattern = (parent / fmt::format("{}XXXXXX", prefix)).string();
    if (::mkdtemp(pattern.data()) == nullptr) return cannot("make a folder", parent, errno);
    return fs::path(pattern);
}

Result<fs::path> temporary_folder() {
    const char* variable = std::getenv("TMPDIR");
    const fs::path named = variable != nullptr && *variable != '\0' ? variable : "/tmp";
    std::error_code error;
    const fs::path folder = fs::absolute(named, error);  // programs may run in other folders
    const auto wrong = [&](std::string what) {
        if (named.is_relative())
            what += fmt::format(": TMPDIR is the relative path {}", named.string());
        return Error{.message = "the folder for temporary files " + what,
                     .file = folder.string(),
                     .remedy = "set TMPDIR to a folder that can be written"};
    };
    const auto status = fs::status(folder, error);
    if (!fs::exists(status))
        return wrong(error && status.type() != fs::file_type::not_found
                         ? "cannot be looked at: " + error.message()
                         : "is not there");
    if (!fs::is_directory(status)) return wrong("is no folder");
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        return wrong(fmt::format("cannot be written: {}", std::strerror(errno)));
    return folder;
}

bool is_noexec(const fs::path& path) {
    struct statvfs info {};
    return ::statvfs(path.c_str(), &info) == 0 && (info.f_flag & ST_NOEXEC) != 0;
}

Result<TemporaryFolder> TemporaryFolder::make(std::string_view prefix) {
    const auto parent = temporary_folder();
    if (!parent) return parent.error();
    auto path = make_unique_folder(*parent, prefix);
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
