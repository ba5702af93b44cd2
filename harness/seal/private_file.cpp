#include "seal/private_file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "core/files.hpp"
#include "seal/hex.hpp"

namespace cugrade::seal {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view there_already = "is there already";

/// 0, or errno.
int write_and_close(int fd, std::string_view text) {
    int failed = 0;
    while (!text.empty() && failed == 0) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written >= 0)
            text.remove_prefix(static_cast<std::size_t>(written));
        else if (errno != EINTR)
            failed = errno;
    }
    if (failed == 0 && ::fsync(fd) != 0) failed = errno;
    if (::close(fd) != 0 && failed == 0) failed = errno;
    return failed;
}

/// Why nobody should trust what is in the file; empty if it is as it should be.
Error objection(const fs::path& path, const struct stat& info, std::size_t most_bytes) {
    Error error{.kind = ErrorKind::configuration, .message = {}, .file = path.string()};
    if (!S_ISREG(info.st_mode)) {
        error.message = "is not a regular file";
        error.remedy = "remove it, or name another file";
    } else if (info.st_uid != ::geteuid()) {
        error.message = fmt::format("belongs to another user (number {})", info.st_uid);
        error.remedy = "use a file of your own";
    } else if ((info.st_mode & 077) != 0) {
        error.message = "other users may read or change it";
        error.remedy = fmt::format(
            "make a new one if anybody could have read it, else chmod 600 {}", path.string());
    } else if (static_cast<std::size_t>(info.st_size) > most_bytes) {
        error.message = fmt::format("is larger than {} bytes", most_bytes);
        error.remedy = "name another file";
    }
    return error;
}

/// From a file of this size, all that is there. Returns 0, or errno.
int read_all(int fd, std::string& text) {
    std::size_t size = 0;
    while (size < text.size()) {
        const ssize_t got = ::read(fd, text.data() + size, text.size() - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) break;
        size += static_cast<std::size_t>(got);
    }
    text.resize(size);
    return 0;
}

}  // namespace

std::string random_hex(std::size_t bytes) {
    std::vector<unsigned char> random(bytes);
    std::size_t got = 0;
    while (got < bytes) {
        const ssize_t more = ::getrandom(random.data() + got, bytes - got, 0);
        if (more < 0 && errno == EINTR) continue;
        if (more < 0)
            throw HarnessFault(
                fmt::format("the system gives no random numbers: {}", std::strerror(errno)));
        got += static_cast<std::size_t>(more);
    }
    return to_hex(random.data(), random.size());
}

Status write_private(const fs::path& path, std::string_view text) {
    const fs::path temporary =
        path.parent_path() / fmt::format(".{}.{}", path.filename().string(), random_hex(8));
    const int fd =
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return cannot("write", path, errno);
    int failed = write_and_close(fd, text);
    // A link, because a rename would replace a file that another process has made meanwhile.
    if (failed == 0 && ::link(temporary.c_str(), path.c_str()) != 0) failed = errno;
    if (failed == EPERM || failed == EOPNOTSUPP)  // a file system without links
        failed =
            ::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) != 0
                ? errno
                : 0;
    ::unlink(temporary.c_str());
    if (failed == EEXIST)
        return Error{.kind = ErrorKind::usage,
                     .message = std::string(there_already),
                     .file = path.string(),
                     .remedy = "name another file, or remove that one if nothing needs it"};
    if (failed != 0) return cannot("write", path, failed);
    return Done{};
}

bool is_there_already(const Error& error) { return error.message == there_already; }

Result<std::string> read_private(const fs::path& path, std::size_t most_bytes) {
    // Never waits: somebody may have put a pipe there.
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno == ELOOP)
        return Error{.kind = ErrorKind::configuration,
                     .message = "is a symbolic link",
                     .file = path.string(),
                     .remedy = "name the file itself"};
    if (fd < 0) return cannot("read", path, errno);
    struct stat info {};
    std::string text;
    Error error;
    if (::fstat(fd, &info) != 0)
        error = cannot("read", path, errno);
    else
        error = objection(path, info, most_bytes);
    if (error.message.empty()) {
        text.resize(static_cast<std::size_t>(info.st_size));
        if (const int failed = read_all(fd, text); failed != 0)
            error = cannot("read", path, failed);
    }
    ::close(fd);
    if (!error.message.empty()) return error;
    return text;
}

}  // namespace cugrade::seal
