// The grader's side of the sandbox. Theory of operation:
//
// `start` spawns one supervisor per command and sends it the whole description through a socket;
// nothing secret or long appears on a command line. From then on the supervisor does everything:
// it starts the command, drains its output, watches the limits and ends the tree. The grader needs
// no thread and no timer per command: the Answer waits in the socket until `wait` reads it.
//
// The socket is also the leash. Its other end sees end-of-file when `kill` shuts it down or when
// the grader is gone for whatever reason, SIGKILL included, and that ends the tree.
#include "sandbox/sandbox.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <thread>

#include "core/clock.hpp"
#include "protocol/descriptors.hpp"
#include "sandbox/awake_processor.hpp"
#include "sandbox/process_tree.hpp"
#include "sandbox/wire.hpp"

namespace cugrade::sandbox {
namespace {

namespace fs = std::filesystem;

/// Who has not stopped by then wakes itself.
constexpr std::chrono::seconds longest_stop{1};
/// A thread within a system call of a driver stops when that returns.
constexpr std::chrono::seconds longest_call{5};

/// How long after the command's wall limit a supervisor may take to kill a tree and say so.
constexpr std::chrono::seconds grace{120};

Error harness_error(const std::string& what, int number) {
    return {.kind = ErrorKind::harness, .message = what + ": " + std::strerror(number)};
}

struct Fd {
    int number = -1;
    Fd() = default;
    explicit Fd(int fd) : number(fd) {}
    Fd(Fd&& other) noexcept : number(std::exchange(other.number, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        std::swap(number, other.number);
        return *this;
    }
    ~Fd() {
        if (number >= 0) ::close(number);
    }
};

/// Sends everything; with the first byte also `fds`. 0 or errno.
int send_all(int socket, std::string_view bytes, const std::vector<int>& fds) {
    std::span<const int> with_first = fds;
    while (!bytes.empty()) {
        const ssize_t sent = protocol::send_with(socket, bytes.data(), bytes.size(), with_first);
        if (sent < 0) {
            if (errno == EINTR) continue;
            return errno;
        }
        with_first = {};
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return 0;
}

/// The supervisor in a session of its own (a terminal's Ctrl-C is for the grader), with nothing of
/// the grader's but the socket and stderr, and with signals as a fresh program has them.
Result<pid_t> spawn(const fs::path& supervisor, int socket) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0 || posix_spawnattr_init(&attributes) != 0)
        return harness_error("cannot start the supervisor", ENOMEM);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, socket, wire::socket_fd);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(
        &attributes,
        static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    std::string name = "cugrade-supervisor";
    char* argv[] = {name.data(), nullptr};
    char* environment[] = {nullptr};
    pid_t pid = -1;
    const int error =
        posix_spawn(&pid, supervisor.c_str(), &actions, &attributes, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) {
        Error failed = harness_error("cannot start the supervisor", error);
        failed.file = supervisor.string();
        if (error == ENOENT)
            failed.remedy = "build or install cugrade again: its files are not complete";
        return failed;
    }
    return pid;
}

class SupervisedProcess final : public Process {
public:
    SupervisedProcess(pid_t pid, Fd socket, double wall_s)
        : pid_(pid),
          socket_(std::move(socket)),
          has_deadline_(wall_s > 0),
          deadline_(
              Clock::now() + grace +
              std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(wall_s))) {}

    ~SupervisedProcess() override {
        if (outcome_) return;
        kill();
        (void)wait();
    }

    Outcome wait() override {
        if (!outcome_) outcome_ = receive();
        return *outcome_;
    }

    void kill() override { ::shutdown(socket_.number, SHUT_WR); }

    bool running() override {
        if (outcome_) return false;
        pollfd p{socket_.number, POLLIN, 0};
        return ::poll(&p, 1, 0) == 0;
    }

    Status pause() override {
        const auto start = Clock::now();
        paused_.clear();
        command_ = 0;
        // Until there is nobody new: one that has woken itself may have left a child and died.
        for (bool first = true; stop_new(); first = false) {
            const bool endless = !first && Clock::now() - start > longest_stop;
            for (auto& [pid, ran] : paused_) {
                if (ran != unread) continue;
                auto now =
                    endless ? Result<std::uint64_t>(never_paused) : ran_until_halted(pid, start);
                if (!now) return now.error();
                ran = *now;
            }
            if (endless) break;
        }
        return Done{};
    }

    bool paused_throughout() override {
        // One that has died since has run, and may have left a child.
        return std::ranges::all_of(paused_, [](const auto& process) {
            const ThreadsState now = read_threads(process.first);
            return process.second == died_before || (now.halted && now.ran == process.second);
        });
    }

    void keep_processor_awake() override {
        ProcessState state;
        if (command_ == 0 || !read_state(command_, state)) return;
        if (!awake_) awake_.emplace();
        awake_->keep(state.processor);
    }

    void resume() override {
        for (const auto& [pid, ran] : paused_) ::kill(pid, SIGCONT);
        if (awake_) awake_->release();
        paused_.clear();
    }

    [[nodiscard]] int socket() const { return socket_.number; }

private:
    /// Stops the processes of the tree that are not in `paused_` yet; whether there were any.
    bool stop_new() {
        bool found = false;
        // Stopped before its children are listed, a process can add none that are missed.
        for_each_descendant(pid_, [&](pid_t pid) {
            if (!paused_.try_emplace(pid, unread).second) return true;
            if (command_ == 0) command_ = pid;  // the supervisor's first child
            ::kill(pid, SIGSTOP);
            return found = true;
        });
        return found;
    }

    /// What a process that has been told to stop had run when it did. Halted, and no time accounted
    /// any more: that may come a moment later. Where the kernel does not tell, two looks have to
    /// agree. One that runs again by then has woken itself, which paused_throughout() will see.
    static Result<std::uint64_t> ran_until_halted(pid_t pid, Clock::time_point start) {
        for (std::optional<std::uint64_t> before;;) {
            const ThreadsState now = read_threads(pid);
            if (now.halted && (now.settled || now.ran == before))
                return now.dead ? died_before : now.ran;
            if (before && !now.halted) return *before;
            if (now.halted)
                before = now.ran;
            else
                std::this_thread::sleep_for(std::chrono::microseconds(20));
            if (Clock::now() - start < (now.uninterruptible ? longest_call : longest_stop))
                continue;
            if (now.uninterruptible)
                return harness_error("cannot pause the processes of a command", ETIMEDOUT);
            return never_paused;
        }
    }

    /// False at end-of-file, on an error and after the deadline.
    bool read_all(void* to, std::size_t bytes) {
        auto* out = static_cast<char*>(to);
        while (bytes > 0) {
            int wait_ms = -1;
            if (has_deadline_) {
                const auto left =
                    std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now());
                if (left.count() <= 0) return false;
                wait_ms = static_cast<int>(std::min<std::int64_t>(left.count() + 1, 1 << 30));
            }
            pollfd p{socket_.number, POLLIN, 0};
            const int ready = ::poll(&p, 1, wait_ms);
            if (ready < 0 && errno != EINTR) return false;
            if (ready <= 0) continue;
            const ssize_t got = ::recv(socket_.number, out, bytes, 0);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return false;
            out += got;
            bytes -= static_cast<std::size_t>(got);
        }
        return true;
    }

    Outcome receive() {
        wire::Answer answer;
        Outcome outcome;
        const bool whole = read_all(&answer, sizeof answer) && [&] {
            outcome.output.resize(answer.output_bytes);
            return read_all(outcome.output.data(), outcome.output.size());
        }();
        if (!whole)
            ::kill(pid_,
                   SIGKILL);  // stopped or dead: the command's own parent-death signal follows
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        if (!whole || answer.survivors != 0) {
            outcome = {};
            outcome.end = End::not_started;
            outcome.message = whole ? "the kernel does not let all of the command's processes end"
                                    : "the supervisor of the command ended or hung";
            return outcome;
        }
        outcome.end = answer.end;
        outcome.exit_code = answer.exit_code;
        outcome.signal = answer.signal;
        outcome.wall_s = answer.wall_s;
        outcome.cpu_s = answer.cpu_s;
        outcome.peak_memory_bytes = answer.peak_memory_bytes;
        answer.message[sizeof answer.message - 1] = '\0';
        outcome.message = answer.message;
        return outcome;
    }

    pid_t pid_;
    Fd socket_;
    bool has_deadline_;
    Clock::time_point deadline_;
    std::optional<Outcome> outcome_;
    static constexpr std::uint64_t never_paused = ~std::uint64_t{0};
    static constexpr std::uint64_t died_before = never_paused - 1;
    static constexpr std::uint64_t unread = never_paused - 2;
    std::map<pid_t, std::uint64_t> paused_;  ///< what each had run until then
    pid_t command_ = 0;                      ///< of these, the command itself
    std::optional<AwakeProcessor> awake_;
};

}  // namespace

std::string find_program(const std::string& name, std::string_view path) {
    if (name.find('/') != std::string::npos) return name;
    while (!path.empty()) {
        const std::size_t colon = path.find(':');
        const fs::path candidate = fs::path(path.substr(0, colon)) / name;
        std::error_code error;
        if (::access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate, error))
            return candidate;
        path.remove_prefix(colon == std::string_view::npos ? path.size() : colon + 1);
    }
    return name;
}

Result<std::unique_ptr<Process>> start(const fs::path& supervisor, const Command& command,
                                       const Limits& limits) {
    if (command.argv.empty())
        return Error{.kind = ErrorKind::harness, .message = "a command without a program"};
    if (command.fds.size() > wire::max_fds)
        return Error{.kind = ErrorKind::harness,
                     .message = "too many file descriptors for a command"};

    wire::Request request;
    request.limits = limits;
    request.argument_count = static_cast<std::uint32_t>(command.argv.size());
    request.variable_count = static_cast<std::uint32_t>(command.environment.size());
    request.fd_count = static_cast<std::uint32_t>(command.fds.size());
    std::vector<int> fds;
    for (const auto& [here, there] : command.fds) {
        request.fd_targets[fds.size()] = there;
        fds.push_back(here);
    }
    std::string strings;
    const auto add = [&strings](std::string_view text) { strings.append(text).push_back('\0'); };
    const auto path = command.environment.find("PATH");
    // A name that is not found stays as it is: the supervisor's exec then says what is wrong.
    add(find_program(command.argv[0],
                     path == command.environment.end() ? std::string_view() : path->second));
    add(command.directory.native());
    for (const std::string& argument : command.argv) add(argument);
    for (const auto& [name, value] : command.environment) add(name + "=" + value);
    request.string_bytes = strings.size();

    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return harness_error("cannot start the supervisor", errno);
    Fd ours(ends[0]);
    Fd theirs(ends[1]);
    // Out of the way of the numbers that the supervisor's own descriptors get.
    if (theirs.number <= wire::socket_fd) {
        Fd other(::fcntl(theirs.number, F_DUPFD_CLOEXEC, wire::socket_fd + 1));
        if (other.number < 0) return harness_error("cannot start the supervisor", errno);
        theirs = std::move(other);
    }
    Result<pid_t> pid = spawn(supervisor, theirs.number);
    if (!pid) return pid.error();
    theirs = Fd();
    auto process = std::make_unique<SupervisedProcess>(*pid, std::move(ours), limits.wall_s);
    const std::string_view head(reinterpret_cast<const char*>(&request), sizeof request);
    int error = send_all(process->socket(), head, fds);
    if (error == 0) error = send_all(process->socket(), strings, {});
    if (error != 0) return harness_error("cannot speak with the supervisor", error);
    return std::unique_ptr<Process>(std::move(process));
}

Result<Outcome> run(const fs::path& supervisor, const Command& command, const Limits& limits) {
    auto process = start(supervisor, command, limits);
    if (!process) return process.error();
    return (*process)->wait();
}

}  // namespace cugrade::sandbox
