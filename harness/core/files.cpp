#include "core/files.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <mutex>
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

constexpr std::string_view family = "cugrade.";
constexpr int most_attempts = 100;
constexpr std::size_t random_digits = 8;
/// Where there are no locks. Chosen: no grading of one submission takes as long.
constexpr std::time_t abandoned_s = 24 * 60 * 60;

/// Takes the lock that says that somebody uses this file or folder. False: whoever looks for
/// abandoned ones was faster and removes it. Where the file system has no locks: true.
bool lock_new(int fd) {
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
    struct stat info {};
    return ::fstat(fd, &info) != 0 || info.st_nlink > 0;
}

/// Whether it is this user's and nobody uses it. Then the lock is held until the descriptor is
/// closed.
bool lock_abandoned(int fd) {
    struct stat info {};
    if (::fstat(fd, &info) != 0 || info.st_uid != ::geteuid()) return false;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    return errno != EWOULDBLOCK && std::time(nullptr) - info.st_mtime > abandoned_s;
}

/// Makes a file in `folder` that was not there, hidden, locked and with the permissions of an
/// ordinary file, and opens it. -1: errno says why not.
int open_new(const fs::path& folder, const std::string& name, fs::path& path) {
    for (int attempt = 0;; ++attempt) {
        path = folder / fmt::format(".{}.{:0{}x}", name, std::random_device()(), random_digits);
        const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 && lock_new(fd)) return fd;
        if ((fd < 0 && errno != EEXIST) || attempt == most_attempts) return fd;
        if (fd >= 0) ::close(fd);
    }
}

/// Whether open_new() may have given this name.
bool is_unfinished(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return name.starts_with('.') && dot != 0 && name.size() - dot - 1 == random_digits &&
           std::ranges::all_of(name.substr(dot + 1), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

/// Calls remove(path) for those entries of a folder that `may_be(name)` chooses, that are of this
/// type, and that nobody uses.
template <class MayBe, class Remove>
void remove_abandoned(const fs::path& folder, fs::file_type type, MayBe may_be, Remove remove) {
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        const fs::path& path = it->path();
        std::error_code gone;
        if (!may_be(path.filename().string()) || it->symlink_status(gone).type() != type) continue;
        const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd < 0) continue;
        if (lock_abandoned(fd)) remove(path);
        ::close(fd);
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
    else if (error_number == EACCES || error_number == EPERM)
        error.remedy = "check its owner and permissions, and those of the folders above it";
    else if (error_number == ENOENT)
        error.remedy = path.is_absolute() ? "check the path"
                                          : "check the path; it is looked for from the folder in "
                                            "which the command runs";
    return error;
}

Result<std::string> read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) return cannot("read", path, errno);
    std::string text;
    std::array<char, 65536> piece;
    do {
        in.read(piece.data(), piece.size());
        text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
    } while (in);
    if (in.bad()) return cannot("read", path, errno);
    return text;
}

namespace {

Status replace(const fs::path& path, std::string_view text, bool syncs) {
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
    if (failed == 0 && syncs && ::fsync(fd) != 0) failed = errno;
    // Renamed while it is locked, or it would look abandoned.
    if (failed == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) failed = errno;
    // After fsync() it has no news; without, a file system of another machine tells errors here.
    if (::close(fd) != 0 && failed == 0 && !syncs) failed = errno;
    if (failed != 0) {
        ::unlink(temporary.c_str());
        return cannot("write", path, failed);
    }
    if (syncs) sync_folder(folder);
    return Done{};
}

}  // namespace

Status write_atomically(const fs::path& path, std::string_view text) {
    return replace(path, text, true);
}

Status write_view(const fs::path& path, std::string_view text) {
    return replace(path, text, false);
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

std::string temporary_name(std::string_view what) { return fmt::format("{}{}-", family, what); }

void remove_abandoned_folders(const fs::path& folder, std::string_view prefix) {
    remove_abandoned(
        folder, fs::file_type::directory,
        [prefix](std::string_view name) { return name.starts_with(prefix); },
        [](const fs::path& path) {
            std::error_code ignored;
            fs::remove_all(path, ignored);
        });
}

void remove_abandoned_temporary_folders() {
    if (const auto parent = temporary_folder()) remove_abandoned_folders(*parent, family);
}

void remove_unfinished_files(const fs::path& folder) {
    remove_abandoned(folder, fs::file_type::regular, is_unfinished,
                     [](const fs::path& path) { ::unlink(path.c_str()); });
}

Result<TemporaryFolder> TemporaryFolder::make(std::string_view what) {
    static std::once_flag looked;
    std::call_once(looked, remove_abandoned_temporary_folders);
    const auto parent = temporary_folder();
    if (!parent) return parent.error();
    auto made = make_in(*parent, temporary_name(what));
    if (made) return made;
    Error why = made.error();
    why.message = "no folder for temporary files: " + why.message;
    why.remedy = "make room there, or set TMPDIR";
    return why;
}

Result<TemporaryFolder> TemporaryFolder::make_in(const fs::path& parent, std::string_view prefix) {
    for (int attempt = 0;; ++attempt) {
        auto path = make_unique_folder(parent, prefix);
        if (!path) return path.error();
        const int lock = ::open(path->c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        const bool removed = lock < 0 ? errno == ENOENT : !lock_new(lock);
        if (!removed) return TemporaryFolder(*std::move(path), lock);
        if (lock >= 0) ::close(lock);
        if (attempt == most_attempts) return cannot("make a folder", parent, ENOENT);
    }
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& o) noexcept
    : path_(std::exchange(o.path_, fs::path())), lock_(std::exchange(o.lock_, -1)) {}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
    if (lock_ >= 0) ::close(lock_);
}

}  // namespace cugrade
