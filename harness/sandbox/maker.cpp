#include "sandbox/maker.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <utility>

#include "process/copy.hpp"
#include "process/process.hpp"
#include "sandbox/root.hpp"
#include "sandbox/wire.hpp"

namespace cugrade::sandbox {
namespace {

using wire::Report;

constexpr std::uint64_t namespaces = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC;

/// Reaps the inits of enclosures that are gone.
void reap(int signals) {
    signalfd_siginfo info{};
    while (read(signals, &info, sizeof info) == sizeof info) continue;
    while (waitpid(-1, nullptr, WNOHANG | __WALL) > 0) continue;
}

void tell(int socket, const process::Failure& why) {
    Report report{.kind = Report::Kind::not_started, .status = why.number};
    std::snprintf(report.step, sizeof report.step, "%s", why.step.c_str());
    (void)send_all(socket, &report, sizeof report);
}

/// In the new process 1. Nothing: it cannot be one; its supervisor knows why.
std::optional<Job> set_up(int socket) {
    if (dup2(socket, wire::socket_fd) < 0) return std::nullopt;
    syscall(SYS_close_range, wire::socket_fd + 1, ~0U, 0U);
    setsid();
    Job setup;
    if (!receive(wire::socket_fd, setup)) return std::nullopt;
    auto failed = enter_root(setup);
    if (!failed) failed = drop_capabilities();
    if (failed) {
        tell(wire::socket_fd, *failed);
        return std::nullopt;
    }
    setup.fds.clear();
    return setup;
}

}  // namespace

std::optional<Job> make_enclosures() {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_SETMASK, &child, nullptr);
    process::Descriptor signals(signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
    for (;;) {
        pollfd fds[] = {{wire::socket_fd, POLLIN, 0}, {signals.get(), POLLIN, 0}};
        if (poll(fds, 2, -1) < 0 && errno != EINTR) return std::nullopt;
        if (fds[1].revents != 0) reap(signals.get());
        if (fds[0].revents == 0) continue;
        Job job;
        if (!receive(wire::socket_fd, job) || job.request.kind != wire::Kind::make ||
            job.fds.size() != 1)
            return std::nullopt;
        const int socket = job.fds.front().get();
        const process::Copy copy = process::copy_this_process(namespaces);
        if (copy.pid == 0) {
            // What set_up closes is not to be closed again, by whoever has the number then.
            (void)job.fds.front().release();
            (void)signals.release();
            return set_up(socket);
        }
        if (copy.pid < 0) {
            tell(socket, {.step = "make namespaces below bubblewrap's", .number = errno});
            continue;
        }
        const Report made;
        const int reference = copy.reference.get();
        (void)send_all(socket, &made, sizeof made, {&reference, 1});
    }
}

}  // namespace cugrade::sandbox
