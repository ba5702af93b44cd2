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

#include <poll.h>
#include <sys/socket.h>
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
#include "process/process.hpp"
#include "protocol/descriptors.hpp"
#include "sandbox/awake_processor.hpp"
#include "sandbox/process_tree.hpp"
#include "sandbox/wire.hpp"

namespace cugrade::sandbox {
namespace {

namespace fs = std::filesystem;

/// A process that has not stopped by then wakes itself.
constexpr std::chrono::seconds longest_stop{1};
/// A thread in a system call of a driver stops only when the call returns.
constexpr std::chrono::seconds longest_call{5};

/// How long after the command's wall limit a supervisor may take to kill a tree and say so.
constexpr std::chrono::seconds grace{120};

Error harness_error(const std::string& what, int number) {
    return {.kind = ErrorKind::harness, .message = what + ": " + std::strerror(number)};
}

/// Sends all bytes, and `fds` with the first byte. Returns 0 or errno.
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

/// Starts the supervisor in a session of its own (a terminal's Ctrl-C is for the grader). It
/// inherits only the socket and stderr from the grader.
Result<process::Child> spawn(const fs::path& supervisor, int socket) {
    process::Failure why;
    auto child = process::start({.path = supervisor.string(),
                                 .arguments = {"cugrade-supervisor"},
                                 .environment = {},
                                 .descriptors = {{socket, wire::socket_fd}},
                                 .group = process::Group::session},
                                why);
    if (child) return *std::move(child);
    Error failed{.message = "cannot start the supervisor: " + why.text(),
                 .file = supervisor.string()};
    if (why.number == ENOENT)
        failed.remedy = "build or install cugrade again: its files are not complete";
    return failed;
}

class SupervisedProcess final : public Process {
public:
    SupervisedProcess(process::Child supervisor, process::Descriptor socket, double wall_s)
        : supervisor_(std::move(supervisor)),
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

    void kill() override { ::shutdown(socket_.get(), SHUT_WR); }

    bool running() override {
        if (outcome_) return false;
        pollfd p{socket_.get(), POLLIN, 0};
        return ::poll(&p, 1, 0) == 0;
    }

    Status pause() override {
        const auto start = Clock::now();
        paused_.clear();
        command_ = 0;
        // Repeats until no new process appears: a process that woke itself may have left a child
        // and died.
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
        // A process that has died since the pause has run, and may have left a child.
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

    [[nodiscard]] int socket() const { return socket_.get(); }

private:
    /// Stops the processes of the tree that are not in `paused_` yet. Returns whether there were
    /// any.
    bool stop_new() {
        bool found = false;
        // A process is stopped before its children are listed, so it cannot add one that is missed.
        for_each_descendant(supervisor_.pid(), [&](pid_t pid) {
            if (!paused_.try_emplace(pid, unread).second) return true;
            if (command_ == 0) command_ = pid;  // the supervisor's first child
            ::kill(pid, SIGSTOP);
            return found = true;
        });
        return found;
    }

    /// How long a process had run when it halted, after it was told to stop. Waits until it has
    /// halted and the kernel accounts no more time to it, which may be a moment later. If the
    /// kernel does not tell, two readings have to agree. A process that runs again by then has
    /// woken itself, which paused_throughout() will see.
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
            pollfd p{socket_.get(), POLLIN, 0};
            const int ready = ::poll(&p, 1, wait_ms);
            if (ready < 0 && errno != EINTR) return false;
            if (ready <= 0) continue;
            const ssize_t got = ::recv(socket_.get(), out, bytes, 0);
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
        if (!whole) supervisor_.kill();  // hung or dead: the command ends with it
        (void)supervisor_.wait();
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

    process::Child supervisor_;
    process::Descriptor socket_;
    bool has_deadline_;
    Clock::time_point deadline_;
    std::optional<Outcome> outcome_;
    static constexpr std::uint64_t never_paused = ~std::uint64_t{0};
    static constexpr std::uint64_t died_before = never_paused - 1;
    static constexpr std::uint64_t unread = never_paused - 2;
    std::map<pid_t, std::uint64_t> paused_;  ///< how long each had run when it was paused
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
    process::Descriptor ours(ends[0]), theirs(ends[1]);
    auto child = spawn(supervisor, theirs.get());
    if (!child) return child.error();
    theirs.close();
    auto process =
        std::make_unique<SupervisedProcess>(*std::move(child), std::move(ours), limits.wall_s);
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
