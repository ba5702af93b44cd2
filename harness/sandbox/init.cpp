// libexec/cugrade/sandbox-init: process 1 of an enclosure.
//
// Theory of operation. Bubblewrap makes the namespaces and executes this program in them; or a copy of
// this program is in namespaces below those (maker.hpp has when and why). It starts one command after
// another, each when the supervisor outside asks, and reaps whatever dies. To clear away a command it
// kills all processes of its PID namespace at once: kill(-1) spares only the caller, and a process
// with SIGKILL pending cannot fork. So one enclosure serves all runs of a submission, and nothing of
// a run is left when the next one starts: no process, and no file, for the private folder is emptied
// as well.
//
// What runs here cannot harm it: the kernel drops signals of a namespace's own processes to their
// process 1 (signal(7), pid_namespaces(7)), it is not dumpable, and the filter of system calls that
// commands get has no call for another process's memory or descriptors. Its answers say only how a
// command ended; the supervisor measures.
//
// The filter of system calls for commands holds for this process, too: the kernel compiles it once, and
// each command inherits it. It lets a command execute nothing, but it must let through the exec that
// starts it. It tells that one by the address of its path, which is a random one: see sandbox/calls.hpp.
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "process/process.hpp"
#include "sandbox/job.hpp"
#include "sandbox/maker.hpp"
#include "sandbox/root.hpp"
#include "sandbox/wire.hpp"

namespace cugrade::sandbox {
namespace {

namespace fs = std::filesystem;
using wire::Report;

class Init {
public:
    /// `folder`: the private folder. `setup`: the filter for commands.
    Init(std::string folder, bool keeps_files, Job setup)
        : folder_(std::move(folder)), keeps_files_(keeps_files), setup_(std::move(setup)) {}

    /// Returns when the supervisor is gone or makes no sense; the kernel then ends the namespace.
    void run() {
        if (!prepare() || !say_ready()) return;
        for (;;) {
            pollfd fds[] = {{wire::socket_fd, POLLIN, 0}, {signals_, POLLIN, 0}};
            if (poll(fds, 2, -1) < 0 && errno != EINTR) return;
            if (fds[1].revents != 0) {
                signalfd_siginfo info{};
                while (read(signals_, &info, sizeof info) == sizeof info) continue;
                reap(WNOHANG);
            }
            if (fds[0].revents != 0 && !obey()) return;
        }
    }

private:
    bool prepare() {
        sigset_t child;
        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        sigprocmask(SIG_SETMASK, &child, nullptr);
        signals_ = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
        if (signals_ < 0) return false;
        if (setup_.filter.empty()) return true;
        const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
        const std::uint64_t from = setup_.request.exec_from;
        void* begin = reinterpret_cast<void*>(from / page * page);
        return mmap(begin, 2 * page, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == begin &&
               prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && filter_calls();
    }

    bool filter_calls() {
        const sock_fprog filter{.len = static_cast<unsigned short>(setup_.filter.size()),
                                .filter = setup_.filter.data()};
        // Older kernels switch off the processor's speculation past stores for a process with a
        // filter, unless it is told not to. Nobody is in a submission's process to protect from it.
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                       &filter) == 0;
    }

    bool say_ready() {
        const Report report;
        const process::Descriptor folder(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        const int fd = folder.get();
        return folder.is_open() && send_all(wire::socket_fd, &report, sizeof report, {&fd, 1}) == 0;
    }

    static bool say(const Report& report) {
        return send_all(wire::socket_fd, &report, sizeof report) == 0;
    }

    bool obey() {
        Job job;
        if (!receive(wire::socket_fd, job)) return false;
        if (job.request.kind == wire::Kind::clear) return clear();
        if (job.request.kind == wire::Kind::put) return say(put(job));
        return job.request.kind == wire::Kind::run && command_ < 0 && start(job);
    }

    bool start(const Job& job) {
        process::Program program = job.program();
        if (program.path.size() >= static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) return false;
        for (std::size_t i = 0; i < program.descriptors.size(); ++i)
            if (program.descriptors[i].second == STDOUT_FILENO) {
                program.output = program.errors = program.descriptors[i].first;
                program.descriptors.erase(program.descriptors.begin() +
                                          static_cast<std::ptrdiff_t>(i));
                break;
            }
        program.group = process::Group::session;
        program.gains_no_privileges = true;
        program.limits = resource_limits(job.request);
        if (!setup_.filter.empty())
            program.exec_from = reinterpret_cast<char*>(setup_.request.exec_from);
        process::Failure why;
        auto child = process::start(program, why);
        if (child) {
            command_ = child->release();
            return true;
        }
        Report report{.kind = Report::Kind::not_started, .status = why.number};
        std::snprintf(report.step, sizeof report.step, "%s", why.step.c_str());
        return say(report);
    }

    /// Writes a file of the grader's into the private folder. A name that ends with a slash is only a
    /// folder's.
    [[nodiscard]] Report put(const Job& job) const {
        const auto ended = [](int number) {
            return Report{.kind = Report::Kind::put, .status = number};
        };
        if (job.fds.size() != 1) return ended(EINVAL);
        const fs::path path = folder_ / job.program().path;
        std::error_code error;
        fs::create_directories(path.parent_path(), error);
        if (!path.has_filename()) return ended(error.value());
        return ended(copy_file(job.fds.front().get(), path, 0444));
    }

    /// Reaps the dead, and reports the command's end. False when there is no child.
    bool reap(int options) {
        for (;;) {
            int status = 0;
            rusage usage{};
            const pid_t pid = wait4(-1, &status, options | __WALL, &usage);
            if (pid < 0 && errno == EINTR) continue;
            if (pid < 0) return false;
            if (pid == 0) return true;
            if (pid != command_) continue;
            command_ = -1;
            Report report{.kind = Report::Kind::ended, .status = status};
            report.peak_memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
            (void)say(report);
        }
    }

    bool clear() {
        kill(-1, SIGKILL);
        while (reap(0)) kill(-1, SIGKILL);
        if (!keeps_files_ && !emptied()) return false;
        return say({.kind = Report::Kind::cleared});
    }

    /// Removes what is in the private folder. Folders that their owner has locked are opened first.
    [[nodiscard]] bool emptied() const {
        std::error_code error;
        std::vector<fs::path> found;
        for (const auto& entry : fs::directory_iterator(folder_, error)) found.push_back(entry);
        for (const fs::path& path : found) {
            std::error_code locked;
            fs::remove_all(path, locked);
            if (!locked) continue;
            unlock(path);
            fs::remove_all(path, error);
            if (error) return false;
        }
        return !error;
    }

    /// Gives the owner all rights on a folder and those below it.
    static void unlock(const fs::path& folder) {
        std::error_code error;
        if (!fs::is_directory(fs::symlink_status(folder, error))) return;
        fs::permissions(folder, fs::perms::owner_all, error);
        for (const auto& entry : fs::directory_iterator(folder, error)) unlock(entry.path());
    }

    fs::path folder_;
    bool keeps_files_;
    Job setup_;
    int signals_ = -1;
    pid_t command_ = -1;
};

}  // namespace
}  // namespace cugrade::sandbox

// As bubblewrap starts it: FOLDER [keep], or nothing as the maker of further enclosures.
int main(int argc, char** argv) {
    using namespace cugrade::sandbox;
    syscall(SYS_close_range, wire::socket_fd + 1, ~0U, 0U);
    fcntl(wire::socket_fd, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_DUMPABLE, 0);
    Job setup;
    if (!receive(wire::socket_fd, setup)) return 1;
    if (argc > 1) {
        Init(argv[1], argc > 2 && std::strcmp(argv[2], "keep") == 0, std::move(setup)).run();
        return 1;
    }
    const wire::Report ready;
    if (send_all(wire::socket_fd, &ready, sizeof ready) != 0) return 1;
    auto own = make_enclosures();
    if (!own) return 1;
    fcntl(wire::socket_fd, F_SETFD, FD_CLOEXEC);
    const std::string folder = own->program().path;
    const bool keeps_files = own->request.keeps_files != 0;
    Init(folder, keeps_files, *std::move(own)).run();
    return 1;
}
