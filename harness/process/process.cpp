// How a process is started. Theory of operation:
//
// The child is made by vfork: it shares this process's memory, and only the calling thread waits,
// until the program is executed. So a start takes the same time from a grader of many GiB as from a
// supervisor. The child therefore must not allocate, lock or return: whatever its steps need, Start
// prepares before. (Namespaces need a program in between: bubblewrap, see sandbox/enclosure.hpp.)
//
// What fails goes through a close-on-exec pipe: end-of-file means that the program runs.
#include "process/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

namespace cugrade::process {
namespace {

/// What the child writes into its pipe when it does not get to run the program.
struct Report {
    std::size_t step = 0;  ///< in `policy`; its size: to run the program
    int number = 0;
};

/// A Program as system calls take it. The child changes only the descriptors in it.
struct Start {
    const Program& program;
    std::vector<char*> arguments;
    std::vector<char*> environment;
    const char* path = nullptr;
    int file = -1;
    std::vector<int> sources;  ///< descriptors here, or as_parent
    std::vector<int> targets;  ///< of the same number, what they become
    int above = 0;             ///< the first number beyond all targets
    int report = -1;
    pid_t parent = 0;
    rlim_t most_descriptors = 0;
};

// ---- The child's own side: between vfork and exec ---------------------------------------------

/// The parent has blocked all signals, so none of its handlers runs here. sigaction() refuses the
/// two that the C library keeps for itself, and a process may have been given them ignored: its
/// posix_spawn() (make's way to start a command) does that. Hence the system call.
bool signals(Start&) {
    constexpr std::size_t set_bytes = 8;           // as the kernel counts, for 64 signals
    constexpr std::array<long, 4> as_fresh = {0};  // the kernel's sigaction: SIG_DFL, no flags
    for (int number = 1; number <= 64; ++number)
        (void)syscall(SYS_rt_sigaction, number, as_fresh.data(), nullptr, set_bytes);
    sigset_t none;
    sigemptyset(&none);
    return sigprocmask(SIG_SETMASK, &none, nullptr) == 0;
}

bool group(Start& start) {
    switch (start.program.group) {
        case Group::parents: break;
        case Group::own: return setpgid(0, 0) == 0;
        case Group::session: return setsid() >= 0;
    }
    return true;
}

bool end_with_parent(Start& start) {
    if (!start.program.ends_with_thread) return true;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return false;
    if (getppid() != start.parent) _exit(1);  // it died before the line above
    return true;
}

bool privileges(Start& start) {
    return !start.program.gains_no_privileges || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

/// As root: to become another user for good. The C library's functions change all threads of the
/// process, and its list of threads is the parent's here. Hence the system calls.
bool user(Start& start) {
    if (!start.program.user) return true;
    const uid_t id = *start.program.user;
    return syscall(SYS_setgroups, 0, nullptr) == 0 && syscall(SYS_setresgid, id, id, id) == 0 &&
           syscall(SYS_setresuid, id, id, id) == 0;
}

bool directory(Start& start) {
    return start.program.directory.empty() || chdir(start.program.directory.c_str()) == 0;
}

/// All of `first` and beyond get closed by the exec.
void close_from_on_exec(int first, rlim_t most) {
#if defined(SYS_close_range)
    constexpr unsigned close_on_exec = 4;  // CLOSE_RANGE_CLOEXEC, which old headers lack
    if (syscall(SYS_close_range, first, ~0U, close_on_exec) == 0) return;
#endif
    for (int fd = first; static_cast<rlim_t>(fd) < most; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/// All sources first go above all targets, so that no target overwrites a source.
bool descriptors(Start& start) {
    if ((start.report = fcntl(start.report, F_DUPFD_CLOEXEC, start.above)) < 0) return false;
    if (start.file >= 0 && (start.file = fcntl(start.file, F_DUPFD_CLOEXEC, start.above)) < 0)
        return false;
    for (int& source : start.sources)
        if (source != as_parent && (source = fcntl(source, F_DUPFD_CLOEXEC, start.above)) < 0)
            return false;
    if (!start.program.inherits_descriptors)
        close_from_on_exec(STDERR_FILENO + 1, start.most_descriptors);
    for (std::size_t i = 0; i < start.sources.size(); ++i)
        if (start.sources[i] != as_parent && dup2(start.sources[i], start.targets[i]) < 0)
            return false;
    return true;
}

bool resource_limits(Start& start) {
    for (const ResourceLimit& wanted : start.program.limits) {
        const auto resource = static_cast<decltype(RLIMIT_CPU)>(wanted.resource);
        rlimit limit{};
        if (getrlimit(resource, &limit) != 0) return false;
        limit.rlim_max = std::min(limit.rlim_max, wanted.hard);
        limit.rlim_cur = std::min(wanted.soft, limit.rlim_max);
        if (setrlimit(resource, &limit) != 0) return false;
    }
    return true;
}

struct Step {
    const char* what;  ///< "cannot ..."
    bool (*apply)(Start&);
};

constexpr Step policy[] = {
    {"reset the signals", signals},
    {"make a process group", group},
    {"become another user", user},
    {"set the parent-death signal", end_with_parent},  // a change of the user forgets it
    {"give up privileges", privileges},
    {"enter the working directory", directory},
    {"arrange the file descriptors", descriptors},
    {"set the resource limits", resource_limits},
};

[[noreturn]] void become_program(Start& start) {
    Report report;
    while (report.step < std::size(policy) && policy[report.step].apply(start)) ++report.step;
    if (report.step == std::size(policy)) {
        if (start.file >= 0)
            syscall(SYS_execveat, start.file, start.path, start.arguments.data(),
                    start.environment.data(), AT_EMPTY_PATH);
        else
            execve(start.path, start.arguments.data(), start.environment.data());
    }
    report.number = errno;
    const ssize_t written = write(start.report, &report, sizeof report);
    _exit(written == sizeof report ? 127 : 126);
}

/// A separate function, so that the child cannot damage the caller's stack frame.
[[gnu::noinline]] pid_t make_child(Start& start) {
    const pid_t pid = vfork();
    if (pid == 0) become_program(start);
    return pid;
}

// ---- The parent's side ------------------------------------------------------------------------

/// While it lives, this thread takes no signals.
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;

private:
    sigset_t before_;
};

/// Pointers to the strings, and a null pointer.
std::vector<char*> as_array(const std::vector<std::string>& strings) {
    std::vector<char*> out;
    for (const std::string& text : strings) out.push_back(const_cast<char*>(text.c_str()));
    out.push_back(nullptr);
    return out;
}

rlim_t most_descriptors() {
    rlimit limit{};
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 1024;
}

}  // namespace

std::vector<std::string> own_environment() {
    std::vector<std::string> out;
    for (char** variable = environ; *variable != nullptr; ++variable) out.emplace_back(*variable);
    return out;
}

std::string Failure::text() const {
    const std::string reason = std::strerror(number);
    return step == "run" ? reason : "cannot " + step + ": " + reason;
}

Ended how_ended(int wait_status) {
    if (WIFSIGNALED(wait_status)) return {.signal = WTERMSIG(wait_status)};
    return {.exit_code = WEXITSTATUS(wait_status)};
}

std::optional<Child> start(const Program& program, Failure& why) {
    const auto failed = [&](const char* step) {
        why = {.step = step, .number = errno};
        return std::nullopt;
    };
    const Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!null.is_open()) return failed("open /dev/null");
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return failed("make a pipe");
    const Descriptor reports(ends[0]);
    Descriptor report(ends[1]);

    const char* path = program.file >= 0 ? "" : program.path.c_str();
    if (program.exec_from != nullptr) path = std::strcpy(program.exec_from, path);
    Start start{.program = program,
                .arguments = as_array(program.arguments),
                .environment = as_array(program.environment),
                .path = path,
                .file = program.file,
                .sources = {program.input, program.output, program.errors},
                .targets = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO},
                .report = report.get(),
                .parent = getpid(),
                .most_descriptors = most_descriptors()};
    for (const auto& [here, there] : program.descriptors) {
        start.sources.push_back(here);
        start.targets.push_back(there);
    }
    std::ranges::replace(start.sources, null_device, null.get());
    start.above = std::ranges::max(start.targets) + 1;

    pid_t pid = -1;
    {
        const SignalsBlocked blocked;
        pid = make_child(start);
    }
    if (pid < 0) return failed("make a process");
    Child child(pid);
    report.close();
    Report told;
    ssize_t got = 0;
    while ((got = read(reports.get(), &told, sizeof told)) < 0 && errno == EINTR) {
    }
    if (got == 0) return child;
    why = {.step = told.step < std::size(policy) ? policy[told.step].what : "run",
           .number = told.number};
    (void)child.wait();
    return std::nullopt;
}

Descriptor memory_file(const char* name) { return Descriptor(memfd_create(name, MFD_CLOEXEC)); }

std::string text_of(const Descriptor& file) {
    std::string out;
    std::array<char, 65536> piece;
    for (ssize_t got = 0;
         (got = pread(file.get(), piece.data(), piece.size(), static_cast<off_t>(out.size()))) > 0;)
        out.append(piece.data(), static_cast<std::size_t>(got));
    return out;
}

// ---- A child ----------------------------------------------------------------------------------

Child::~Child() {
    if (pid_ < 0) return;
    kill();
    (void)wait();
}

bool Child::reap(int options) {
    if (ended_) return true;
    int status = 0;
    pid_t pid = 0;
    while ((pid = waitpid(pid_, &status, options)) < 0 && errno == EINTR) {
    }
    if (pid != 0) ended_ = how_ended(status);  // an error: somebody else has waited for it
    return ended_.has_value();
}

Ended Child::wait() {
    reap(0);
    return *ended_;
}

std::optional<Ended> Child::wait_for(std::chrono::milliseconds longest) {
    using std::chrono::milliseconds;
    const auto end = std::chrono::steady_clock::now() + longest;
    if (reap(WNOHANG)) return ended_;
    const Descriptor reference(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
    for (;;) {
        if (reap(WNOHANG)) return ended_;
        const auto left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0) return std::nullopt;
        pollfd p{reference.get(), POLLIN, 0};
        if (reference.is_open())
            (void)poll(&p, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 1 << 30)));
        else  // a kernel before Linux 5.3
            std::this_thread::sleep_for(std::min(left, milliseconds(10)));
    }
}

void Child::kill() {
    if (!ended_) ::kill(pid_, SIGKILL);
}

}  // namespace cugrade::process
