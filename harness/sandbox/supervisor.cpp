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
// from /proc. Limits of single processes (file size, and a second line for processor time and
// address space) are the kernel's own. What a child burnt counts once it is reaped, by its
// parent (cutime in /proc) or by the supervisor (getrusage).
//
// The tree ends when the command itself exits, when a limit is passed, when the grader closes its
// half of the socket or dies, and on SIGTERM, SIGHUP or SIGINT. The Answer is sent after that.
//
// What the command runs under is the ordered list `policy` below. Namespaces and a system call
// filter would be rows of it.
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
#include <vector>

#include "protocol/descriptors.hpp"
#include "sandbox/process_tree.hpp"
#include "sandbox/wire.hpp"

namespace cugrade::sandbox {
namespace {

constexpr int tick_ms = 10;
/// A process may stay in an uninterruptible system call; after this without any progress the
/// supervisor gives up.
constexpr double give_up_s = 30;
/// How many more tasks than now this user may have, seen from the command. Far above any limit of
/// ours, because the kernel counts what runs beside the command too.
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

// ---- The command's own side: between fork and exec -------------------------------------------

struct Job {
    wire::Request request;
    std::string strings;
    std::vector<int> fds;  ///< as received
    const char* program = nullptr;
    const char* directory = nullptr;
    std::vector<char*> argv;
    std::vector<char*> environment;
    pid_t supervisor = 0;
    int null = -1;          ///< becomes stdin
    int output = -1;        ///< becomes stdout and stderr
    int* report = nullptr;  ///< where a failed step is told; moves out of the way of the targets
};

bool set_limit(decltype(RLIMIT_CPU) resource, rlim_t soft, rlim_t hard) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0) return false;
    limit.rlim_max = std::min(limit.rlim_max, hard);
    limit.rlim_cur = std::min(soft, limit.rlim_max);
    return setrlimit(resource, &limit) == 0;
}

bool own_session(const Job&) { return setsid() >= 0; }

bool end_with_the_supervisor(const Job& job) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return false;
    if (getppid() != job.supervisor) _exit(1);  // it died before the line above
    return true;
}

bool no_new_privileges(const Job&) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; }

bool working_directory(const Job& job) {
    return *job.directory == '\0' || chdir(job.directory) == 0;
}

/// All sources first go above all targets, so that no target overwrites a source. Everything that
/// is not a target keeps its close-on-exec flag.
bool file_descriptors(const Job& job) {
    std::vector<int> sources{job.null, job.output, job.output};
    std::vector<int> targets{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
    sources.insert(sources.end(), job.fds.begin(), job.fds.end());
    for (std::size_t i = 0; i < job.fds.size(); ++i) targets.push_back(job.request.fd_targets[i]);
    const int above = *std::max_element(targets.begin(), targets.end()) + 1;
    const int report = fcntl(*job.report, F_DUPFD_CLOEXEC, above);
    if (report < 0) return false;
    *job.report = report;
    for (int& source : sources)
        if ((source = fcntl(source, F_DUPFD_CLOEXEC, above)) < 0) return false;
    for (std::size_t i = 0; i < sources.size(); ++i)
        if (dup2(sources[i], targets[i]) < 0) return false;
    return true;
}

/// Tasks of the whole machine: the second number of "1/523" in /proc/loadavg.
long tasks_of_the_machine() {
    char text[128];
    read_file("/proc/loadavg", text, sizeof text);
    const char* slash = std::strchr(text, '/');
    return slash == nullptr ? 0 : std::atol(slash + 1);
}

bool resource_limits(const Job& job) {
    const Limits& limits = job.request.limits;
    // Keeps a fork bomb finite until the tick sees it. (The kernel does not hold root to it.)
    const auto tasks = static_cast<rlim_t>(tasks_of_the_machine() + limits.processes + spare_tasks);
    if (limits.processes > 0 && !set_limit(RLIMIT_NPROC, tasks, tasks)) return false;
    // The tick sees processor time first; the kernel's limit is for a supervisor that is starved.
    const auto cpu = static_cast<rlim_t>(std::ceil(limits.cpu_s)) + 1;
    return set_limit(RLIMIT_CORE, 0, 0) &&
           set_limit(RLIMIT_NOFILE, max_open_files, max_open_files) &&
           (limits.file_bytes == 0 ||
            set_limit(RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes)) &&
           (limits.cpu_s <= 0 || set_limit(RLIMIT_CPU, cpu, cpu + 1)) &&
           (limits.address_space_bytes == 0 ||
            set_limit(RLIMIT_AS, limits.address_space_bytes, limits.address_space_bytes));
}

/// The supervisor blocks all signals; the command starts as from a shell.
bool signals(const Job&) {
    sigset_t none;
    sigemptyset(&none);
    return sigprocmask(SIG_SETMASK, &none, nullptr) == 0;
}

struct Step {
    const char* what;
    bool (*apply)(const Job&);
};

constexpr Step policy[] = {
    {"make a session", own_session},
    {"set the parent-death signal", end_with_the_supervisor},
    {"give up privileges", no_new_privileges},
    {"enter the working directory", working_directory},
    {"arrange the file descriptors", file_descriptors},
    {"set the resource limits", resource_limits},
    {"reset the signals", signals},
};

/// What the child writes into its close-on-exec pipe when it does not get to run the command.
struct Failure {
    char what[32] = {};
    int number = 0;
};

[[noreturn]] void become_command(Job& job) {
    const char* what = "run";
    bool ok = true;
    for (const Step& step : policy) {
        if ((ok = step.apply(job))) continue;
        what = step.what;
        break;
    }
    if (ok) execve(job.program, job.argv.data(), job.environment.data());
    Failure failure;
    failure.number = errno;
    std::strncpy(failure.what, what, sizeof failure.what - 1);
    ssize_t ignored = write(*job.report, &failure, sizeof failure);
    _exit(ignored == sizeof failure ? 127 : 126);
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
        if (over_) return;  // the first reason is the one
        over_ = true;
        answer_.end = reason;
    }

    void watch_signals() {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, nullptr);
        signals_ = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    }

    void not_started(const char* what, int number) {
        end(End::not_started);
        std::snprintf(answer_.message, sizeof answer_.message, "cannot %s %s: %s", what,
                      job_.program, std::strerror(number));
    }

    void start() {
        started_ = now();
        next_tick_ = started_ + 1e-3 * tick_ms;
        int output[2], report[2];
        job_.null = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (job_.null < 0 || signals_ < 0 || pipe2(output, O_CLOEXEC) != 0 ||
            pipe2(report, O_CLOEXEC) != 0)
            return not_started("prepare to run", errno);
        job_.output = output[1];
        job_.report = &report[1];
        job_.supervisor = getpid();
        command_ = fork();
        if (command_ == 0) become_command(job_);
        const int error = errno;
        close(output[1]);
        close(report[1]);
        close(job_.null);
        for (const int fd : job_.fds) close(fd);
        output_ = output[0];
        fcntl(output_, F_SETFL, O_NONBLOCK);
        if (command_ < 0) return not_started("fork to run", error);
        Failure failure;
        ssize_t got = 0;
        while ((got = read(report[0], &failure, sizeof failure)) < 0 && errno == EINTR) {
        }
        close(report[0]);
        if (got == sizeof failure) not_started(failure.what, failure.number);
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

    /// Reaps whoever is dead; false when no child is left.
    bool reap() {
        for (;;) {
            int status = 0;
            const pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);
            if (pid < 0 && errno == EINTR) continue;
            if (pid < 0) return false;
            if (pid == 0) return true;
            if (pid != command_ || over_) continue;
            if (WIFEXITED(status)) {
                answer_.exit_code = WEXITSTATUS(status);
                end(End::exited);
            } else {
                answer_.signal = WTERMSIG(status);
                end(answer_.signal == SIGXFSZ   ? End::file_limit
                    : answer_.signal == SIGXCPU ? End::cpu_limit
                                                : End::signalled);
            }
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
        // A second line behind the socket: the grader is gone and somebody inherited its end.
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
            // Stopped before its children are listed, a process can add none that are missed.
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
    job.strings.resize(request.string_bytes);
    if (!receive(job.strings.data(), job.strings.size(), job.fds)) return false;
    char* at = job.strings.data();
    const char* end = at + job.strings.size();
    const auto next = [&]() -> char* {
        if (at >= end) return nullptr;
        char* text = at;
        at += std::strlen(at) + 1;
        return text;
    };
    job.program = next();
    job.directory = next();
    for (std::uint32_t i = 0; i < request.argument_count; ++i) job.argv.push_back(next());
    for (std::uint32_t i = 0; i < request.variable_count; ++i) job.environment.push_back(next());
    const bool whole = job.directory != nullptr &&
                       std::count(job.argv.begin(), job.argv.end(), nullptr) == 0 &&
                       std::count(job.environment.begin(), job.environment.end(), nullptr) == 0;
    job.argv.push_back(nullptr);
    job.environment.push_back(nullptr);
    return whole;
}

/// Among hundreds of runnable processes of a fork bomb the supervisor must still come first. The
/// command does not inherit it. Without the privilege RLIMIT_NPROC, from which only the privileged
/// are exempt, keeps the bomb small instead.
void take_precedence() {
    const sched_param lowest_realtime{.sched_priority = 1};
    if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest_realtime) == 0) return;
    const sched_param none{};
    if (sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none) == 0)
        setpriority(PRIO_PROCESS, 0, -20);
}

int supervise() {
    take_precedence();
    // Whatever the grader's process had open without close-on-exec stays out of the command.
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
