// libexec/cugrade/supervisor: runs one untrusted command and outlives all that it starts.
//
// Theory of operation. The supervisor is a child subreaper: when a process below it dies, the
// orphans become the supervisor's children, however they detached (double fork, setsid, closed
// descriptors). So "waitpid says that I have no children" means that nothing of the command is
// left, and the loop that kills until then is complete. It stops every process before it kills any:
// a stopped process cannot fork, so a fork bomb cannot outrun the loop.
//
// One thread, one poll loop over the grader's socket, a signalfd and the command's output, with a
// tick every few milliseconds that adds up memory, processor time and processes of the whole tree
// from /proc. The kernel enforces limits of single processes (file size, and a second line for
// processor time and address space). A child's processor time counts once the child is reaped: by
// its parent (cutime in /proc) or by the supervisor (getrusage).
//
// The tree ends when the command itself exits, when a limit is passed, when the grader closes its
// half of the socket or dies, and on SIGTERM, SIGHUP or SIGINT. The Answer is sent after that.
//
// `start` fills in the process::Program that the command runs under; process.cpp performs its
// steps.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "process/process.hpp"
#include "protocol/descriptors.hpp"
#include "sandbox/process_tree.hpp"
#include "sandbox/wire.hpp"

namespace cugrade::sandbox {
namespace {

constexpr int tick_ms = 10;
/// A process may stay in an uninterruptible system call; after this without any progress the
/// supervisor gives up.
constexpr double give_up_s = 30;
/// This user may have this many more tasks than now, seen from the command. Far above any limit of
/// ours, because the kernel also counts tasks beside the command.
constexpr long spare_tasks = 4096;
constexpr int max_open_files = 1024;

double now() {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void sleep_ms(double ms) {
    timespec t{0, static_cast<long>(ms * 1e6)};
    nanosleep(&t, nullptr);
}

// ---- What the command starts with -----------------------------------------------------------

struct Job {
    wire::Request request;
    std::vector<int> fds;  ///< as received
    process::Program program;
};

/// Tasks of the whole machine: the second number of "1/523" in /proc/loadavg.
long tasks_of_the_machine() {
    char text[128];
    read_file("/proc/loadavg", text, sizeof text);
    const char* slash = std::strchr(text, '/');
    return slash == nullptr ? 0 : std::atol(slash + 1);
}

/// The limits that the kernel enforces, for each process by itself.
std::vector<process::ResourceLimit> resource_limits(const Limits& limits) {
    const auto both = [](int resource, rlim_t limit) {
        return process::ResourceLimit{resource, limit, limit};
    };
    std::vector<process::ResourceLimit> out{both(RLIMIT_CORE, 0),
                                            both(RLIMIT_NOFILE, max_open_files)};
    // Keeps a fork bomb finite until the tick sees it. (The kernel does not hold root to it.)
    if (limits.processes > 0)
        out.push_back(both(RLIMIT_NPROC, static_cast<rlim_t>(tasks_of_the_machine() +
                                                             limits.processes + spare_tasks)));
    if (limits.file_bytes > 0) out.push_back(both(RLIMIT_FSIZE, limits.file_bytes));
    // The tick sees processor time first; the kernel's limit is for a supervisor that is starved.
    const auto cpu_s = static_cast<rlim_t>(std::ceil(limits.cpu_s)) + 1;
    if (limits.cpu_s > 0) out.push_back({RLIMIT_CPU, cpu_s, cpu_s + 1});
    if (limits.address_space_bytes > 0) out.push_back(both(RLIMIT_AS, limits.address_space_bytes));
    return out;
}

// ---- The supervisor --------------------------------------------------------------------------

class Supervisor {
public:
    explicit Supervisor(Job& job) : job_(job), limits_(job.request.limits) {}

    void run() {
        watch_signals();
        start();
        if (!over_) loop();
        end_tree();
        drain();
        finish();
    }

private:
    void end(End reason) {
        if (over_) return;  // the first reason counts
        over_ = true;
        answer_.end = reason;
    }

    void watch_signals() {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, nullptr);
        signals_ = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    }

    void not_started(const process::Failure& why) {
        end(End::not_started);
        std::snprintf(answer_.message, sizeof answer_.message, "cannot %s %s: %s", why.step.c_str(),
                      job_.program.path.c_str(), std::strerror(why.number));
    }

    void start() {
        started_ = now();
        next_tick_ = started_ + 1e-3 * tick_ms;
        int output[2];
        if (signals_ < 0 || pipe2(output, O_CLOEXEC) != 0)
            return not_started({"prepare to run", errno});
        process::Program& program = job_.program;
        program.output = program.errors = output[1];
        program.group = process::Group::session;
        program.ends_with_thread = true;
        program.gains_no_privileges = true;
        program.limits = resource_limits(limits_);
        process::Failure why;
        auto child = process::start(program, why);
        close(output[1]);
        for (const int fd : job_.fds) close(fd);
        output_ = output[0];
        fcntl(output_, F_SETFL, O_NONBLOCK);
        if (!child) return not_started(why);
        command_ = child->release();  // reap() waits for it, as for every child
    }

    void loop() {
        while (!over_) {
            pollfd fds[] = {{wire::socket_fd, POLLIN | POLLRDHUP, 0},
                            {signals_, POLLIN, 0},
                            {output_, POLLIN, 0}};  // negative once it is at its end: not polled
            const double wall_left = limits_.wall_s > 0 ? limits_.wall_s - (now() - started_) : 1;
            const int timeout =
                std::clamp(static_cast<int>(std::ceil(1e3 * wall_left)), 0, tick_ms);
            if (poll(fds, 3, timeout) < 0 && errno != EINTR) return end(End::killed);
            if (fds[0].revents != 0) end(End::killed);
            if (fds[2].revents != 0) drain();
            if (fds[1].revents != 0) take_signals();
            if (!over_ && now() >= next_tick_) tick();
        }
    }

    void take_signals() {
        signalfd_siginfo info{};
        while (read(signals_, &info, sizeof info) == sizeof info) {
            const auto number = static_cast<int>(info.ssi_signo);
            if (number == SIGTERM || number == SIGHUP || number == SIGINT || number == SIGQUIT)
                end(End::killed);
        }
        reap();
    }

    /// Reaps the dead children. False when no child is left.
    bool reap() {
        for (;;) {
            int status = 0;
            const pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);
            if (pid < 0 && errno == EINTR) continue;
            if (pid < 0) return false;
            if (pid == 0) return true;
            if (pid != command_ || over_) continue;
            const process::Ended how = process::how_ended(status);
            answer_.exit_code = how.exit_code;
            answer_.signal = how.signal;
            end(how.signal == 0         ? End::exited
                : how.signal == SIGXFSZ ? End::file_limit
                : how.signal == SIGXCPU ? End::cpu_limit
                                        : End::signalled);
        }
    }

    void tick() {
        next_tick_ = now() + 1e-3 * tick_ms;
        double cpu = 0;
        long tasks = 0;
        std::uint64_t resident = 0;
        for_each_descendant(getpid(), [&](pid_t pid) {
            ProcessState state;
            if (!read_state(pid, state)) return true;
            cpu += state.cpu_s;
            tasks += std::max(state.threads, 1L);
            resident += state.resident;
            return limits_.processes == 0 || tasks <= limits_.processes;  // enough is known
        });
        answer_.cpu_s = std::max(answer_.cpu_s, cpu + reaped_cpu_s());
        answer_.peak_memory_bytes = std::max(answer_.peak_memory_bytes, resident);
        if (limits_.processes > 0 && tasks > limits_.processes) end(End::process_limit);
        judge();
        if (limits_.wall_s > 0 && now() - started_ >= limits_.wall_s) end(End::wall_limit);
        // Behind the socket, a second check: the grader is gone, but another process has inherited
        // its end.
        if (getppid() != grader_) end(End::killed);
    }

    void judge() {
        if (limits_.memory_bytes > 0 && answer_.peak_memory_bytes > limits_.memory_bytes)
            end(End::memory_limit);
        if (limits_.cpu_s > 0 && answer_.cpu_s > limits_.cpu_s) end(End::cpu_limit);
    }

    static double reaped_cpu_s() {
        rusage usage{};
        getrusage(RUSAGE_CHILDREN, &usage);
        const auto seconds = [](const timeval& t) {
            return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
        };
        return seconds(usage.ru_utime) + seconds(usage.ru_stime);
    }

    void drain() {
        char buffer[64 * 1024];
        while (output_ >= 0) {
            const ssize_t got = read(output_, buffer, sizeof buffer);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0 && errno == EAGAIN) return;
            if (got <= 0) {
                close(output_);
                output_ = -1;
                return;
            }
            const std::uint64_t room = limits_.output_bytes - text_.size();
            text_.append(buffer, std::min<std::size_t>(static_cast<std::size_t>(got), room));
            if (static_cast<std::uint64_t>(got) <= room) continue;
            // What the command wrote before it ended counts too, so an exit is no excuse.
            if (answer_.end == End::exited || answer_.end == End::signalled) over_ = false;
            end(End::output_limit);
            return;
        }
    }

    /// Ends when no process of the command is left. See the top of the file.
    void end_tree() {
        if (command_ <= 0) return;
        ::kill(-command_, SIGKILL);  // most trees are one group: one stroke
        double deadline = now() + give_up_s;
        double pause_ms = 0.1;
        std::set<pid_t> before;
        while (reap()) {
            // A process is stopped before its children are listed, so it cannot add one that is
            // missed.
            std::set<pid_t> stopped;
            for (bool found = true; found;) {
                found = false;
                for_each_descendant(getpid(), [&](pid_t pid) {
                    if (!stopped.insert(pid).second) return true;
                    found = ::kill(pid, SIGSTOP) == 0 || found;
                    return true;
                });
            }
            for (const pid_t pid : stopped) ::kill(pid, SIGKILL);
            if (stopped != before) deadline = now() + give_up_s;
            before = std::move(stopped);
            if (now() > deadline) {
                answer_.survivors = 1;
                return;
            }
            if (!reap()) return;
            sleep_ms(pause_ms);
            pause_ms = std::min(2 * pause_ms, 10.0);
        }
    }

    void finish() {
        answer_.wall_s = now() - started_;
        answer_.cpu_s = std::max(answer_.cpu_s, reaped_cpu_s());
        rusage usage{};
        getrusage(RUSAGE_CHILDREN, &usage);
        answer_.peak_memory_bytes =
            std::max(answer_.peak_memory_bytes, static_cast<std::uint64_t>(usage.ru_maxrss) * 1024);
        if (answer_.end == End::exited || answer_.end == End::signalled) {
            over_ = false;  // a limit passed between two ticks
            judge();
        }
        answer_.output_bytes = text_.size();
        send_all(&answer_, sizeof answer_);
        send_all(text_.data(), text_.size());
    }

    static void send_all(const void* bytes, std::size_t size) {
        const auto* at = static_cast<const char*>(bytes);
        while (size > 0) {
            const ssize_t sent = send(wire::socket_fd, at, size, MSG_NOSIGNAL);
            if (sent < 0 && errno == EINTR) continue;
            if (sent <= 0) return;  // the grader is gone
            at += sent;
            size -= static_cast<std::size_t>(sent);
        }
    }

    Job& job_;
    const Limits& limits_;
    const pid_t grader_ = getppid();
    wire::Answer answer_;
    std::string text_;
    bool over_ = false;
    pid_t command_ = -1;
    int signals_ = -1;
    int output_ = -1;
    double started_ = 0;
    double next_tick_ = 0;
};

// ---- The description -------------------------------------------------------------------------

/// False when the grader is gone or the bytes make no sense. Descriptors are added to `fds`.
bool receive(void* to, std::size_t size, std::vector<int>& fds) {
    auto* at = static_cast<char*>(to);
    while (size > 0) {
        const ssize_t got = protocol::receive_with(wire::socket_fd, at, size, fds);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

bool receive(Job& job) {
    wire::Request& request = job.request;
    if (!receive(&request, sizeof request, job.fds) || job.fds.size() != request.fd_count ||
        request.fd_count > wire::max_fds)
        return false;
    std::string strings(request.string_bytes, '\0');
    if (!receive(strings.data(), strings.size(), job.fds)) return false;
    std::size_t at = 0;
    bool whole = true;
    const auto next = [&]() -> std::string {
        const std::size_t end = strings.find('\0', at);
        whole = whole && end != std::string::npos;
        if (!whole) return {};
        return strings.substr(std::exchange(at, end + 1), end - at);
    };
    process::Program& program = job.program;
    program.path = next();
    program.directory = next();
    for (std::uint32_t i = 0; whole && i < request.argument_count; ++i)
        program.arguments.push_back(next());
    for (std::uint32_t i = 0; whole && i < request.variable_count; ++i)
        program.environment.push_back(next());
    for (std::uint32_t i = 0; i < request.fd_count; ++i)
        program.descriptors.emplace_back(job.fds[i], request.fd_targets[i]);
    return whole;
}

/// The supervisor must run first, even among hundreds of runnable processes of a fork bomb. The
/// command does not inherit this. Without the privilege, RLIMIT_NPROC keeps the bomb small instead;
/// only the privileged are exempt from it.
void take_precedence() {
    const sched_param lowest_realtime{.sched_priority = 1};
    if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest_realtime) == 0) return;
    const sched_param none{};
    if (sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none) == 0)
        setpriority(PRIO_PROCESS, 0, -20);
}

int supervise() {
    take_precedence();
    // Keeps descriptors that the grader's process had open without close-on-exec out of the
    // command.
    syscall(SYS_close_range, wire::socket_fd + 1, ~0U, 0U);
    fcntl(wire::socket_fd, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    Job job;
    if (!receive(job)) {
        std::fputs("supervisor: started by cugrade, not by hand\n", stderr);
        return 1;
    }
    Supervisor(job).run();
    return 0;
}

}  // namespace
}  // namespace cugrade::sandbox

int main() { return cugrade::sandbox::supervise(); }
