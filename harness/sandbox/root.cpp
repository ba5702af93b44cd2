// Theory of operation. Each mount that an enclosure shows is a copy of one that bubblewrap has made for
// the maker: read-only, without set-user-ID programs and, but for device nodes, without devices. A
// copy keeps that. New is only what is in memory (the root itself, the private folder) and /proc.
//
// The root is made as bubblewrap makes it: a file system in memory, which pivot_root() puts in the
// place of the one before. That is unmounted, with all that it leads to, before anything untrusted
// runs, and no descriptor of it is open.
#include "sandbox/root.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "sandbox/mount.hpp"

namespace cugrade::sandbox {
namespace {

namespace fs = std::filesystem;
using process::Failure;

constexpr unsigned long as_bubblewrap = MS_NOSUID | MS_NODEV;

/// A folder or file to mount on, and the folders above it. In shown folders it is there already.
bool make_target(const fs::path& there, bool is_folder) {
    std::error_code error;
    if (there.empty() || fs::exists(fs::symlink_status(there, error))) return true;
    fs::create_directories(is_folder ? there : there.parent_path(), error);
    if (is_folder || error) return !error;
    const process::Descriptor file(open(there.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0444));
    return file.is_open();
}

bool show(const std::string& here, const fs::path& there) {
    const std::string from = source_prefix + here;
    std::error_code error;
    return make_target(there, fs::is_directory(from, error)) &&
           mount(from.c_str(), there.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

bool in_memory(const fs::path& there, const std::string& options) {
    return make_target(there, true) &&
           mount("tmpfs", there.c_str(), "tmpfs", as_bubblewrap, options.c_str()) == 0;
}

bool make_read_only(const char* path) {
    return mount(nullptr, path, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | as_bubblewrap,
                 nullptr) == 0;
}

/// Switches of the whole machine are in it. Where they could be written, they are made read-only.
bool mount_proc(const fs::path& there) {
    if (!make_target(there, true) ||
        mount("proc", there.c_str(), "proc", as_bubblewrap | MS_NOEXEC, nullptr) != 0)
        return false;
    for (const char* name : {"sys", "sysrq-trigger", "irq", "bus"}) {
        const fs::path path = there / name;
        if (access(path.c_str(), W_OK) != 0) continue;
        if (mount(path.c_str(), path.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0 ||
            mount(nullptr, path.c_str(), nullptr,
                  MS_REMOUNT | MS_BIND | MS_RDONLY | as_bubblewrap | MS_NOEXEC, nullptr) != 0)
            return false;
    }
    return true;
}

/// In the working directory, which is to be the root.
bool put(const Mount& what, const Job& setup) {
    const fs::path there = fs::path(what.there).relative_path();
    switch (what.kind) {
        case Mount::Kind::show:
        case Mount::Kind::device: return show(what.here, there);
        case Mount::Kind::copy:
            if (what.number >= setup.fds.size() || !make_target(there.parent_path(), true))
                return false;
            errno = copy_file(setup.fds[what.number].get(), there, 0555);
            return errno == 0;
        case Mount::Kind::link:
            return make_target(there.parent_path(), true) &&
                   symlink(what.here.c_str(), there.c_str()) == 0;
        case Mount::Kind::empty: return in_memory(there, "mode=0555,size=4096");
        case Mount::Kind::proc: return mount_proc(there);
        case Mount::Kind::memory:
            return in_memory(there, "mode=0755,size=" + std::to_string(what.number));
    }
    errno = EINVAL;
    return false;
}

}  // namespace

std::optional<Failure> enter_root(const Job& setup) {
    const auto failed = [](const std::string& step) {
        return Failure{.step = step, .number = errno};
    };
    const mode_t before = umask(0022);
    if (mount("tmpfs", root_before, "tmpfs", as_bubblewrap, "mode=0755") != 0 ||
        chdir(root_before) != 0)
        return failed("make the root");
    for (const Mount& what : mounts_of(setup.program().arguments))
        if (!put(what, setup)) return failed("show " + what.there);
    if (syscall(SYS_pivot_root, ".", ".") != 0 || umount2(".", MNT_DETACH) != 0 ||
        chdir("/") != 0 || !make_read_only("/"))
        return failed("enter the root");
    umask(before);
    return std::nullopt;
}

std::optional<Failure> drop_capabilities() {
    const auto failed = [] { return Failure{.step = "drop all capabilities", .number = errno}; };
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) return failed();
    for (unsigned long capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) return failed();
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
    if (syscall(SYS_capset, &header, none) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return failed();
    return std::nullopt;
}

int copy_file(int from, const fs::path& to, mode_t mode) {
    const process::Descriptor file(
        open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!file.is_open()) return errno;
    char piece[65536];
    off_t at = 0;
    for (ssize_t got = 0; (got = pread(from, piece, sizeof piece, at)) != 0;) {
        if (got < 0 && errno == EINTR) continue;
        if (got >= 0) errno = ENOSPC;  // of a write that is cut short, which is no error yet
        if (got < 0 || write(file.get(), piece, static_cast<std::size_t>(got)) != got) return errno;
        at += got;
    }
    return 0;
}

}  // namespace cugrade::sandbox
