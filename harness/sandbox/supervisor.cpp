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
// Without an enclosure the command is the supervisor's own child, and the supervisor ends after it.
// With one, the first Request makes it, and each later one starts a command inside, as a child of the
// enclosure's init. The supervisor stays outside, where nothing can see it, and watches the same
// tree of processes by their numbers outside. The init clears a command away, and the enclosure
// takes the next one. If the grader is gone, or the init does not answer in time, the supervisor
// kills the init, with which the kernel kills the PID namespace, and the enclosure is gone.
//
// The first Request may also start a maker of enclosures (maker.hpp). The supervisor then has no
// enclosure itself. When asked, it asks the maker for one and makes a copy of itself that supervises
// it: nothing is executed. The maker is below the first supervisor, so all enclosures end with that.
// The init of an enclosure is not below the copy, which therefore knows it by a pidfd, not by its number.
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
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "process/copy.hpp"
#include "process/process.hpp"
#include "sandbox/job.hpp"
#include "sandbox/process_tree.hpp"
#include "sandbox/supervised_enclosure.hpp"
#include "sandbox/wire.hpp"

namespace cugrade::sandbox {
namespace {

constexpr int tick_ms = 10;
/// A process may stay in an uninterruptible system call; after this without any progress the
/// supervisor gives up.
constexpr double give_up_s = 30;
/// This user may have this many more tasks than now, seen from the command.
constexpr long spare_tasks = 4096;

/// Waits until a child has died, but no longer than this. Precondition: signals are blocked.
void wait_for_a_death(double most_ms) {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    const timespec most{0, static_cast<long>(most_ms * 1e6)};
    sigtimedwait(&child, nullptr, &most);
}

/// Tasks of the whole machine: the second number of "1/523" in /proc/loadavg.
long tasks_of_the_machine() {
    char text[128];
    read_file("/proc/loadavg", text, sizeof text);
    const char* slash = std::strchr(text, '/');
    return slash == nullptr ? 0 : std::atol(slash + 1);
}

/// Reaps the children that are dead. Calls ended(pid, status) for each; false when none is left.
template <class F>
bool reap_children(F&& ended) {
    for (;;) {
        int status = 0;
        const pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);
        if (pid < 0 && errno == EINTR) continue;
        if (pid < 0) return false;
        if (pid == 0) return true;
        ended(pid, status);
    }
}

/// Kills everything below this process. False: the kernel did not let all of it be killed.
/// `init`: of the enclosure. It takes all that is in the namespace with it, mostly in this time.
bool kill_all_below(pid_t init) {
    constexpr double most_of_init_s = 0.1;
    const auto gone = [] { return !reap_children([](pid_t, int) {}); };
    bool is_there = false;  // if not, its number may be another process's
    for_each_descendant(getpid(), [&](pid_t pid) { return !(is_there = is_there || pid == init); });
    if (is_there && ::kill(init, SIGKILL) == 0)
        for (const double end = now() + most_of_init_s; !gone() && now() < end;)
            wait_for_a_death(10);
    double deadline = now() + give_up_s;
    double pause_ms = 0.1;
    std::set<pid_t> before;
    while (!gone()) {
        // A process is stopped before its children are listed, so it cannot add one that is missed.
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
        if (now() > deadline) return false;
        if (gone()) return true;
        wait_for_a_death(pause_ms);
        pause_ms = std::min(2 * pause_ms, 10.0);
    }
    return true;
}

// ---- The supervisor --------------------------------------------------------------------------

/// The grader, as long as it is there.
class Grader {
public:
    /// This process is now a copy of the one that the grader started.
    void was_copied() { grader_ = std::exchange(parent_, getppid()); }
    [[nodiscard]] bool is_there() const {
        ProcessState parent;
        return getppid() == parent_ &&
               (grader_ == 0 || (read_state(parent_, parent) && parent.parent == grader_));
    }

private:
    pid_t parent_ = getppid();
    pid_t grader_ = 0;  ///< the parent's parent, if this is a copy
};

/// Kills all of an enclosure. False: the kernel did not let all of it be killed.
bool end(const SupervisedEnclosure& enclosure) {
    return enclosure.is_made_by_maker() ? enclosure.end(give_up_s)
                                        : kill_all_below(enclosure.init());
}

/// One command, from its start to the Answer.
class Supervisor {
public:
    /// `inside`: null to run it as a child of this process.
    Supervisor(Job& job, int signals, const Grader& grader, SupervisedEnclosure* inside)
        : job_(job),
          limits_(job.request.limits),
          grader_(grader),
          signals_(signals),
          inside_(inside) {}

    /// Returns whether another command can be run.
    bool run() {
        if (inside_ != nullptr) cpu_before_s_ = tree_cpu_s();
        start();
        if (!over_) loop();
        end_tree();
        drain();
        finish();
        return answer_.reusable != 0;
    }

private:
    void end(End reason) {
        if (over_) return;  // the first reason counts
        over_ = true;
        answer_.end = reason;
    }

    void not_started(const std::string& step, int number) {
        end(End::not_started);
        std::snprintf(answer_.message, sizeof answer_.message, "cannot %s %s: %s", step.c_str(),
                      job_.strings.c_str(), std::strerror(number));
    }

    void start() {
        started_ = now();
        next_tick_ = started_ + 1e-3 * tick_ms_;
        int output[2];
        if (signals_ < 0 || pipe2(output, O_CLOEXEC) != 0)
            return not_started("prepare to run", errno);
        output_ = output[0];
        fcntl(output_, F_SETFL, O_NONBLOCK);
        const process::Descriptor theirs(output[1]);
        // Far above any limit of ours, because the kernel also counts tasks beside the command.
        if (limits_.processes > 0)
            job_.request.most_tasks =
                static_cast<std::uint64_t>(tasks_of_the_machine() + limits_.processes + spare_tasks);
        if (inside_ != nullptr) {
            if (!inside_->start(job_, theirs.get())) not_started("speak with the sandbox of", EPIPE);
            // Whoever waits for the command's ends of these would else wait for us.
            job_.fds.clear();
            return;
        }
        process::Program program = job_.program();
        program.output = program.errors = theirs.get();
        program.group = process::Group::session;
        program.ends_with_thread = true;
        program.gains_no_privileges = true;
        program.limits = resource_limits(job_.request);
        process::Failure why;
        auto child = process::start(program, why);
        job_.fds.clear();
        if (!child) return not_started(why.step, why.number);
        command_ = child->release();  // reap() waits for it, as for every child
    }

    void loop() {
        while (!over_) {
            pollfd fds[] = {{wire::socket_fd, POLLIN | POLLRDHUP, 0},
                            {signals_, POLLIN, 0},
                            {output_, POLLIN, 0},  // negative once it is at its end: not polled
                            {inside_ != nullptr ? inside_->socket() : -1, POLLIN, 0}};
            const double wall_left = limits_.wall_s > 0 ? limits_.wall_s - (now() - started_) : 1;
            const int timeout =
                std::clamp(static_cast<int>(std::ceil(1e3 * wall_left)), 0, tick_ms_);
            if (poll(fds, std::size(fds), timeout) < 0 && errno != EINTR) return end(End::killed);
            if (fds[0].revents != 0) take_request();
            if (fds[2].revents != 0) drain();
            if (fds[1].revents != 0) take_signals();
            if (fds[3].revents != 0 && !over_) take_report();
            if (!over_ && now() >= next_tick_) tick();
        }
    }

    /// While a command runs, a grader only asks to end it, or is gone.
    void take_request() {
        Job job;
        grader_is_there_ = inside_ != nullptr && receive(wire::socket_fd, job);
        end(End::killed);
    }

    void take_signals() {
        signalfd_siginfo info{};
        while (read(signals_, &info, sizeof info) == sizeof info) {
            const auto number = static_cast<int>(info.ssi_signo);
            if (number == SIGTERM || number == SIGHUP || number == SIGINT || number == SIGQUIT)
                end(End::killed);
        }
        const bool children = reap_children([this](pid_t pid, int status) {
            if (pid == command_) ended(status);
        });
        if (inside_ != nullptr && !inside_->is_made_by_maker() && !children) lost();
    }

    void take_report() {
        wire::Report report;
        if (!inside_->receive(report)) return lost();
        if (report.kind == wire::Report::Kind::not_started) {
            report.step[sizeof report.step - 1] = '\0';
            return not_started(report.step, report.status);
        }
        if (report.kind != wire::Report::Kind::ended) return lost();
        answer_.peak_memory_bytes = std::max(answer_.peak_memory_bytes, report.peak_memory_bytes);
        ended(report.status);
    }

    /// The enclosure has ended, which nothing inside can bring about.
    void lost() {
        enclosure_is_lost_ = true;
        end(End::not_started);
        std::snprintf(answer_.message, sizeof answer_.message,
                      "the sandbox was ended from outside");
    }

    void ended(int status) {
        const process::Ended how = process::how_ended(status);
        if (over_) return;
        answer_.exit_code = how.exit_code;
        answer_.signal = how.signal;
        end(how.signal == 0         ? End::exited
            : how.signal == SIGXFSZ ? End::file_limit
            : how.signal == SIGXCPU ? End::cpu_limit
                                    : End::signalled);
    }

    /// The process that the command and all that it starts are below.
    [[nodiscard]] pid_t root() const { return inside_ != nullptr ? inside_->init() : getpid(); }

    /// Processor time of all that is or was below the root. Its own does not count.
    [[nodiscard]] double tree_cpu_s() const {
        double cpu = reaped_cpu_s();
        for_each_descendant(root(), [&](pid_t pid) {
            ProcessState state;
            if (read_state(pid, state)) cpu += state.cpu_s;
            return true;
        });
        return cpu;
    }

    void tick() {
        next_tick_ = now() + 1e-3 * tick_ms_;
        double cpu = 0;
        long tasks = 0;
        std::uint64_t resident = 0;
        for_each_descendant(root(), [&](pid_t pid) {
            ProcessState state;
            if (!read_state(pid, state)) return true;
            cpu += state.cpu_s;
            tasks += std::max(state.threads, 1L);
            resident += state.resident;
            return limits_.processes == 0 || tasks <= limits_.processes;  // enough is known
        });
        answer_.cpu_s = std::max(answer_.cpu_s, cpu + reaped_cpu_s() - cpu_before_s_);
        answer_.peak_memory_bytes = std::max(answer_.peak_memory_bytes, resident);
        if (limits_.processes > 0 && tasks > limits_.processes) end(End::process_limit);
        if (limits_.files > 0 && inside_ != nullptr && inside_->files() > limits_.files)
            end(End::file_limit);
        judge();
        if (limits_.wall_s > 0 && now() - started_ >= limits_.wall_s) end(End::wall_limit);
        // Behind the socket, a second check: the grader is gone, but another process has inherited
        // its end.
        if (!grader_.is_there()) end(End::killed);
    }

    void judge() {
        if (limits_.memory_bytes > 0 && answer_.peak_memory_bytes > limits_.memory_bytes)
            end(End::memory_limit);
        if (limits_.cpu_s > 0 && answer_.cpu_s > limits_.cpu_s) end(End::cpu_limit);
    }

    /// Of processes below the root that have been reaped.
    [[nodiscard]] double reaped_cpu_s() const {
        if (inside_ != nullptr) {
            ProcessState init;  // its own time is next to nothing
            return read_state(inside_->init(), init) ? init.cpu_s : 0;
        }
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
        if (inside_ != nullptr) {
            if (grader_is_there_ && !enclosure_is_lost_ && inside_->clear()) {
                answer_.reusable = 1;
                return;
            }
        } else {
            if (command_ <= 0) return;
            ::kill(-command_, SIGKILL);  // most trees are one group: one stroke
        }
        if (!(inside_ != nullptr ? sandbox::end(*inside_) : kill_all_below(-1)))
            answer_.survivors = 1;
    }

    void finish() {
        answer_.wall_s = now() - started_;
        if (inside_ == nullptr || answer_.reusable != 0)
            answer_.cpu_s = std::max(answer_.cpu_s, reaped_cpu_s() - cpu_before_s_);
        if (inside_ == nullptr) {
            rusage usage{};
            getrusage(RUSAGE_CHILDREN, &usage);
            answer_.peak_memory_bytes = std::max(
                answer_.peak_memory_bytes, static_cast<std::uint64_t>(usage.ru_maxrss) * 1024);
        }
        if (answer_.end == End::exited || answer_.end == End::signalled) {
            over_ = false;  // a limit passed between two ticks
            judge();
        }
        answer_.output_bytes = text_.size();
        if (output_ >= 0) close(output_);
        if (send_all(wire::socket_fd, &answer_, sizeof answer_) == 0)
            (void)send_all(wire::socket_fd, text_.data(), text_.size());
    }

    Job& job_;
    const Limits& limits_;
    /// Without a limit to watch, ticks only see whether the grader is still there.
    const int tick_ms_ =
        limits_.cpu_s > 0 || limits_.memory_bytes > 0 || limits_.processes > 0 ? tick_ms : 1000;
    const Grader& grader_;
    wire::Answer answer_;
    std::string text_;
    bool over_ = false;
    pid_t command_ = -1;
    int signals_;
    SupervisedEnclosure* inside_;
    bool grader_is_there_ = true;
    bool enclosure_is_lost_ = false;
    int output_ = -1;
    double started_ = 0;
    double next_tick_ = 0;
    double cpu_before_s_ = 0;
};

/// Makes the enclosure and tells the grader. False if there is none.
bool enclose(const Job& job, SupervisedEnclosure& enclosure) {
    wire::Answer answer;
    const std::string why = enclosure.make(job);
    if (why.empty()) {
        answer.init = enclosure.init();
        std::vector<int> fds;
        for (const process::Descriptor& fd : enclosure.folder()) fds.push_back(fd.get());
        process::Descriptor own;
        if (enclosure.is_made_by_maker()) {
            own = process::reference_to_this_process();
            fds.push_back(own.get());
        }
        if (send_all(wire::socket_fd, &answer, sizeof answer, fds) == 0) return true;
    } else {
        answer.end = End::not_started;
        std::snprintf(answer.message, sizeof answer.message, "%s", why.c_str());
        (void)send_all(wire::socket_fd, &answer, sizeof answer);
    }
    (void)end(enclosure);
    return false;
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

/// Asks the maker for an enclosure, and makes a copy of this process that supervises it: there, `enclosure`
/// and the socket to the grader are the copy's own. If that fails, the grader sees end-of-file.
void copy_for_enclosure(const Job& job, SupervisedEnclosure& enclosure, Grader& grader) {
    (void)reap_children([](pid_t, int) {});  // copies that have ended
    int ends[2];
    if (job.fds.size() != 1 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
    process::Descriptor ours(ends[0]), theirs(ends[1]);
    if (!enclosure.ask_maker(theirs.get())) return;
    theirs.close();
    if (process::copy_this_process().pid != 0) return;
    if (dup3(job.fds.front().get(), wire::socket_fd, O_CLOEXEC) < 0) _exit(1);
    enclosure = SupervisedEnclosure(std::move(ours));
    grader.was_copied();
    take_precedence();
}

int supervise() {
    take_precedence();
    // Keeps descriptors that the grader's process had open without close-on-exec out of the
    // command.
    syscall(SYS_close_range, wire::socket_fd + 1, ~0U, 0U);
    fcntl(wire::socket_fd, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    const int signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    SupervisedEnclosure enclosure;
    Grader grader;
    std::vector<process::Descriptor> held;
    bool understood = false;
    for (;;) {
        Job job;
        if (!receive(wire::socket_fd, job)) break;
        understood = true;
        if (job.request.kind == wire::Kind::clear) continue;  // the command ended meanwhile
        if (job.request.kind == wire::Kind::put) {
            wire::Answer answer;
            answer.exit_code = enclosure.stands() ? enclosure.put(job) : EPIPE;
            if (send_all(wire::socket_fd, &answer, sizeof answer) != 0) break;
            continue;
        }
        if (job.request.kind == wire::Kind::make) {
            copy_for_enclosure(job, enclosure, grader);
            continue;
        }
        if (job.request.kind == wire::Kind::enclose) {
            if (enclosure.stands() || !enclose(job, enclosure)) break;
            for (std::size_t i = 0; i < job.fds.size(); ++i)
                if (job.request.fd_targets[i] == wire::held) held.push_back(std::move(job.fds[i]));
            continue;
        }
        Supervisor command(job, signals, grader, enclosure.stands() ? &enclosure : nullptr);
        if (!command.run()) break;
    }
    if (!understood) std::fputs("supervisor: started by cugrade, not by hand\n", stderr);
    return understood && end(enclosure) ? 0 : 1;
}

}  // namespace
}  // namespace cugrade::sandbox

int main() { return cugrade::sandbox::supervise(); }
