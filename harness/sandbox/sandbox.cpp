// The grader's side of the sandbox. Theory of operation:
//
// A Channel is a supervisor and the socket to it. A command's whole description goes through that
// socket; nothing secret or long appears on a command line. From then on the supervisor does
// everything: it starts the command, drains its output, watches the limits and ends the tree. The
// grader needs no thread and no timer per command: the Answer waits in the socket until `wait`
// reads it. With an enclosure the channel is used again after that.
//
// The socket is also the leash. Its other end sees end-of-file when `kill` shuts it down or when
// the grader is gone for whatever reason, SIGKILL included, and that ends the tree.
#include "sandbox/sandbox.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <future>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "core/clock.hpp"
#include "core/files.hpp"
#include "process/process.hpp"
#include "protocol/descriptors.hpp"
#include "sandbox/awake_processor.hpp"
#include "sandbox/calls.hpp"
#include "sandbox/enclosure.hpp"
#include "sandbox/job.hpp"
#include "sandbox/process_tree.hpp"
#include "sandbox/users.hpp"
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

/// Supervisors that have lost their socket while no command ran, and are about to end. It takes the
/// kernel some 10 ms to clear away an enclosure, in which nothing but our own process 1 is left:
/// nobody waits for that but this process at its end.
class Ending {
public:
    static Ending& of_this_process() {
        static Ending ending;
        return ending;
    }
    ~Ending() {
        for (process::Child& supervisor : supervisors_) (void)supervisor.wait_for(grace);
    }
    void add(process::Child supervisor) {
        const std::lock_guard lock(mutex_);
        std::erase_if(supervisors_, [](process::Child& one) {
            return one.wait_for(std::chrono::milliseconds(0)).has_value();
        });
        supervisors_.push_back(std::move(supervisor));
    }

private:
    std::mutex mutex_;
    std::list<process::Child> supervisors_;
};

/// A supervisor and the socket to it.
class Channel {
public:
    /// Starts the supervisor in a session of its own (a terminal's Ctrl-C is for the grader). It
    /// inherits only the socket and stderr from the grader.
    static Result<std::shared_ptr<Channel>> open(const fs::path& supervisor) {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            return harness_error("cannot start the supervisor", errno);
        process::Descriptor ours(ends[0]), theirs(ends[1]);
        process::Failure why;
        auto child = process::start({.path = supervisor.string(),
                                     .arguments = {"cugrade-supervisor"},
                                     .environment = {},
                                     .descriptors = {{theirs.get(), wire::socket_fd}},
                                     .group = process::Group::session},
                                    why);
        if (child) return std::make_shared<Channel>(*std::move(child), std::move(ours));
        Error failed{.message = "cannot start the supervisor: " + why.text(),
                     .file = supervisor.string()};
        if (why.number == ENOENT)
            failed.remedy = "build or install cugrade again: its files are not complete";
        return failed;
    }
    Channel(process::Child supervisor, process::Descriptor socket)
        : supervisor_(std::move(supervisor)),
          socket_(std::move(socket)),
          root_(supervisor_.pid()) {}
    /// A supervisor without a socket ends itself and what is below it.
    ~Channel() {
        socket_.close();
        if (state == State::idle)
            Ending::of_this_process().add(std::move(supervisor_));
        else
            (void)supervisor_.wait_for(grace);
    }
    Channel(const Channel&) = delete;

    Status send(Job& job, const std::vector<int>& fds) {
        job.request.fd_count = static_cast<std::uint32_t>(fds.size());
        job.request.string_bytes = job.strings.size();
        job.request.filter_count = static_cast<std::uint32_t>(job.filter.size());
        int error = send_all(socket_.get(), &job.request, sizeof job.request, fds);
        if (error == 0) error = send_all(socket_.get(), job.strings.data(), job.strings.size());
        if (error == 0)
            error = send_all(socket_.get(), job.filter.data(),
                             job.filter.size() * sizeof job.filter[0]);
        if (error != 0) return harness_error("cannot speak with the supervisor", error);
        return Done{};
    }

    /// False at end-of-file, on an error and after the deadline. Adds descriptors that come along.
    bool receive(void* to, std::size_t bytes, std::optional<Clock::time_point> deadline,
                 std::vector<process::Descriptor>& fds) {
        auto* out = static_cast<char*>(to);
        while (bytes > 0) {
            int wait_ms = -1;
            if (deadline) {
                const auto left =
                    std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - Clock::now());
                if (left.count() <= 0) return false;
                wait_ms = static_cast<int>(std::min<std::int64_t>(left.count() + 1, 1 << 30));
            }
            pollfd p{socket_.get(), POLLIN, 0};
            const int ready = ::poll(&p, 1, wait_ms);
            if (ready < 0 && errno != EINTR) return false;
            if (ready <= 0) continue;
            std::vector<int> numbers;
            const ssize_t got = protocol::receive_with(socket_.get(), out, bytes, numbers);
            for (const int fd : numbers) fds.emplace_back(fd);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return false;
            out += got;
            bytes -= static_cast<std::size_t>(got);
        }
        return true;
    }

    [[nodiscard]] int socket() const { return socket_.get(); }
    /// The process that commands are below.
    [[nodiscard]] pid_t root() const { return root_; }
    [[nodiscard]] bool encloses() const { return root_ != supervisor_.pid(); }
    void set_root(pid_t init) { root_ = init; }
    /// Ends the supervisor at once: it hangs, or is dead.
    void kill() { supervisor_.kill(); }
    /// Waits for the supervisor's end, after its last answer.
    void wait() { (void)supervisor_.wait(); }

    /// over: the supervisor takes no other command.
    enum class State { idle, busy, over };
    std::atomic<State> state = State::idle;

private:
    process::Child supervisor_;
    process::Descriptor socket_;
    pid_t root_;
};

class SupervisedProcess final : public Process {
public:
    SupervisedProcess(std::shared_ptr<Channel> channel, const Limits& limits)
        : channel_(std::move(channel)), output_bytes_(limits.output_bytes) {
        if (limits.wall_s > 0)
            deadline_ = Clock::now() + grace +
                        std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(limits.wall_s));
    }

    ~SupervisedProcess() override {
        if (outcome_) return;
        kill();
        (void)wait();
    }

    Outcome wait() override {
        if (!outcome_) outcome_ = receive();
        return *outcome_;
    }

    void kill() override {
        if (outcome_) return;
        if (!channel_->encloses()) {
            ::shutdown(channel_->socket(), SHUT_WR);
            return;
        }
        Job clear;
        clear.request.kind = wire::Kind::clear;
        clear.strings.assign(2, '\0');
        (void)channel_->send(clear, {});  // a supervisor that is gone has ended the command
    }

    bool running() override {
        if (outcome_) return false;
        pollfd p{channel_->socket(), POLLIN, 0};
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

private:
    /// Stops the processes of the tree that are not in `paused_` yet. Returns whether there were
    /// any.
    bool stop_new() {
        bool found = false;
        // A process is stopped before its children are listed, so it cannot add one that is missed.
        for_each_descendant(channel_->root(), [&](pid_t pid) {
            if (!paused_.try_emplace(pid, unread).second) return true;
            if (command_ == 0) command_ = pid;  // the root's first child
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

    Outcome receive() {
        wire::Answer answer;
        std::optional<Outcome> outcome;
        std::vector<process::Descriptor> none;
        const bool whole = channel_->receive(&answer, sizeof answer, deadline_, none) &&
                           answer.output_bytes <= output_bytes_ &&
                           (outcome = read_outcome(answer)) && [&] {
                               outcome->output.resize(answer.output_bytes);
                               return channel_->receive(outcome->output.data(),
                                                        outcome->output.size(), deadline_, none);
                           }();
        channel_->state = Channel::State::over;
        if (!whole) channel_->kill();  // hung or dead: the command ends with it
        if (!whole || answer.reusable == 0) channel_->wait();
        if (!whole || answer.survivors != 0)
            return {.end = End::not_started,
                    .output = {},
                    .message = whole ? "the kernel does not let all of the command's processes end"
                                     : "the supervisor of the command ended or hung"};
        if (answer.reusable != 0) channel_->state = Channel::State::idle;
        return *std::move(outcome);
    }

    std::shared_ptr<Channel> channel_;
    std::uint64_t output_bytes_;
    std::optional<Clock::time_point> deadline_;
    std::optional<Outcome> outcome_;
    static constexpr std::uint64_t never_paused = ~std::uint64_t{0};
    static constexpr std::uint64_t died_before = never_paused - 1;
    static constexpr std::uint64_t unread = never_paused - 2;
    std::map<pid_t, std::uint64_t> paused_;  ///< how long each had run when it was paused
    pid_t command_ = 0;                      ///< of these, the command itself
    std::optional<AwakeProcessor> awake_;
};

/// How long an enclosure may take to be made on a machine that is busy.
constexpr std::chrono::seconds longest_making{60};

Result<Job> job_of(const std::vector<std::string>& argv, const std::string& program,
                   const std::string& directory,
                   const std::map<std::string, std::string>& environment) {
    Job job;
    job.request.argument_count = static_cast<std::uint32_t>(argv.size());
    job.request.variable_count = static_cast<std::uint32_t>(environment.size());
    const auto add = [&job](std::string_view text) {
        job.strings.append(text).push_back('\0');
    };
    add(program);
    add(directory);
    for (const std::string& argument : argv) add(argument);
    for (const auto& [name, value] : environment) add(name + "=" + value);
    if (job.strings.size() > wire::max_string_bytes)
        return Error{.kind = ErrorKind::harness, .message = "the command is too long"};
    return job;
}

Result<std::unique_ptr<Process>> start_on(std::shared_ptr<Channel> channel, const Command& command,
                                          const Limits& limits) {
    if (command.argv.empty())
        return Error{.kind = ErrorKind::harness, .message = "a command without a program"};
    if (command.fds.size() + 1 >= wire::max_fds)  // the supervisor adds one
        return Error{.kind = ErrorKind::harness,
                     .message = "too many file descriptors for a command"};
    const auto path = command.environment.find("PATH");
    // A name that is not found stays as it is: the supervisor's exec then says what is wrong.
    auto job = job_of(command.argv,
                      find_program(command.argv[0], path == command.environment.end()
                                                        ? std::string_view()
                                                        : path->second),
                      command.directory.native(), command.environment);
    if (!job) return job.error();
    job->request.limits = limits;
    std::vector<int> fds;
    const auto pass = [&](int here, int there) {
        job->request.fd_targets[fds.size()] = there;
        fds.push_back(here);
    };
    for (const auto& [here, there] : command.fds) pass(here, there);
    if (command.program >= 0) pass(command.program, wire::executed);
    channel->state = Channel::State::busy;
    auto process = std::make_unique<SupervisedProcess>(channel, limits);
    if (auto sent = channel->send(*job, fds); !sent) return sent.error();
    return std::unique_ptr<Process>(std::move(process));
}

// ---- Enclosures ------------------------------------------------------------------------------

class OwnEnclosure final : public sandbox::Enclosure {
public:
    OwnEnclosure(std::shared_ptr<Channel> channel, process::Descriptor folder)
        : channel_(std::move(channel)), folder_(std::move(folder)) {}

    Result<std::unique_ptr<Process>> start(const Command& command, const Limits& limits) override {
        if (!is_idle()) return harness_error("the sandbox cannot take another command", EBUSY);
        return start_on(channel_, command, limits);
    }
    Status make_folder(const fs::path& name) override { return put("/dev/null", name / ""); }

    Status put(const fs::path& file, const fs::path& name) override {
        const process::Descriptor content(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
        if (!content.is_open()) return cannot("read", file, errno);
        auto job = job_of({}, name.string(), {}, {});
        if (!job) return job.error();
        job->request.kind = wire::Kind::put;
        if (auto sent = channel_->send(*job, {content.get()}); !sent) return sent;
        wire::Answer answer;
        std::vector<process::Descriptor> none;
        if (!channel_->receive(&answer, sizeof answer, Clock::now() + longest_making, none))
            return harness_error("cannot put a file into the sandbox", EPIPE);
        if (answer.exit_code != 0) return cannot("put into the sandbox", file, answer.exit_code);
        return Done{};
    }
    bool is_idle() const override { return channel_->state == Channel::State::idle; }
    bool is_over() const override { return channel_->state == Channel::State::over; }
    const process::Descriptor& folder() const override { return folder_; }

private:
    std::shared_ptr<Channel> channel_;
    process::Descriptor folder_;
};

/// The error for what bubblewrap has said.
Error no_enclosure(const std::string& why) {
    Error error{.kind = ErrorKind::harness, .message = "no sandbox can be made: " + why};
    // A namespace, a map of users, a mount, the loopback device: the machine allows none of them.
    const auto says = [&why](const char* text) { return why.find(text) != std::string::npos; };
    if (!says("amespace") && !says("ermission denied") && !says("not permitted")) return error;
    char text[8] = {};
    const bool restricted =
        read_file("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", text, sizeof text) > 0 &&
        text[0] == '1';
    error.remedy =
        restricted ? "AppArmor keeps programs from making user namespaces here: let bubblewrap make "
                     "them, as docs/security.md says"
                   : "let users make namespaces (sysctl user.max_user_namespaces), or, in a "
                     "container, allow them to it; docs/security.md says what is needed";
    return error;
}

class OwnKeeper final : public Keeper {
public:
    OwnKeeper(fs::path libexec, std::optional<User> user)
        : libexec_(std::move(libexec)), user_(std::move(user)) {}

    std::optional<uid_t> own_user() const override {
        return user_ ? std::optional(user_->id()) : std::nullopt;
    }

    Result<std::unique_ptr<Enclosure>> enclose(const View& view) override {
        auto channel = begin_to_enclose(view);
        if (!channel) return channel.error();
        return finish_enclosing(*std::move(channel));
    }

    Status prepare(const View& view, int count) override {
        const std::lock_guard lock(mutex_);
        const auto there = std::ranges::count(begun_, view, &Begun::view) +
                           std::ranges::count(kept_, view, &Kept::view);
        for (auto i = there; i < count; ++i) {
            auto channel = begin_to_enclose(view);
            if (!channel) return channel.error();
            begun_.push_back({view, *std::move(channel)});
        }
        return Done{};
    }

    Result<std::unique_ptr<Process>> start(const View& view, const Command& command,
                                           const Limits& limits) override {
        std::shared_ptr<Channel> begun;
        {
            const std::lock_guard lock(mutex_);
            std::erase_if(kept_, [](const Kept& one) { return one.enclosure->is_over(); });
            for (Kept& one : kept_)
                if (one.view == view && one.enclosure->is_idle())
                    return one.enclosure->start(command, limits);
            const auto same = std::ranges::find(begun_, view, &Begun::view);
            if (same != begun_.end()) {
                begun = std::move(same->channel);
                begun_.erase(same);
            }
        }
        auto made = begun ? finish_enclosing(std::move(begun)) : enclose(view);
        if (!made) return made.error();
        auto process = (*made)->start(command, limits);
        keep(view, *std::move(made));
        return process;
    }

    void keep(const View& view, std::unique_ptr<Enclosure> made) {
        const std::lock_guard lock(mutex_);
        kept_.push_back({view, std::move(made)});
    }

private:
    struct Begun {
        View view;
        std::shared_ptr<Channel> channel;
    };
    struct Kept {
        View view;
        std::unique_ptr<Enclosure> enclosure;
    };

    /// Tells a supervisor what to make. It is made while the caller does something else.
    Result<std::shared_ptr<Channel>> begin_to_enclose(const View& view) {
        auto command = enclosure_command(view, libexec_ / "sandbox-init", own_user());
        if (!command) return command.error();
        const auto& filter = filter_for(view.calls);
        if (!filter) return filter.error();
        auto job = job_of(command->arguments, command->arguments.front(), "/", {});
        if (!job) return job.error();
        job->request.kind = wire::Kind::enclose;
        job->request.exec_from = filter->exec_from;
        job->filter = filter->instructions;
        std::vector<int> fds;
        if (command->descriptors.size() + 1 >= wire::max_fds)
            return Error{.kind = ErrorKind::harness, .message = "a sandbox with too many files"};
        for (const process::Descriptor& file : command->descriptors) {
            job->request.fd_targets[fds.size()] = first_descriptor + static_cast<int>(fds.size());
            fds.push_back(file.get());
        }
        if (user_) {
            job->request.user = user_->id();
            job->request.fd_targets[fds.size()] = wire::held;
            fds.push_back(user_->lock());
        }
        auto channel = Channel::open(libexec_ / "supervisor");
        if (!channel) return channel.error();
        if (auto sent = (*channel)->send(*job, fds); !sent) return sent.error();
        return channel;
    }

    static Result<std::unique_ptr<Enclosure>> finish_enclosing(std::shared_ptr<Channel> channel) {
        wire::Answer answer;
        std::vector<process::Descriptor> folder;
        if (!channel->receive(&answer, sizeof answer, Clock::now() + longest_making, folder))
            return Error{.kind = ErrorKind::harness,
                         .message = "the supervisor of a sandbox ended or hung"};
        answer.message[sizeof answer.message - 1] = '\0';
        if (answer.end != End::exited || folder.size() != 1)
            return no_enclosure(answer.message);
        channel->set_root(answer.init);
        return std::unique_ptr<Enclosure>(
            std::make_unique<OwnEnclosure>(std::move(channel), std::move(folder.front())));
    }

    fs::path libexec_;
    std::optional<User> user_;
    std::mutex mutex_;
    std::vector<Begun> begun_;
    std::vector<Kept> kept_;
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
    auto channel = Channel::open(supervisor);
    if (!channel) return channel.error();
    return start_on(*std::move(channel), command, limits);
}

Result<Outcome> run(const fs::path& supervisor, const Command& command, const Limits& limits) {
    auto process = start(supervisor, command, limits);
    if (!process) return process.error();
    return (*process)->wait();
}

namespace {

using MadeKeeper = Result<std::unique_ptr<Keeper>>;

/// Exchanges what was begun ahead of its use, which is for the first that asks.
std::future<MadeKeeper> exchange_ahead(std::future<MadeKeeper> begun) {
    static std::mutex mutex;
    static std::future<MadeKeeper> ahead;
    const std::lock_guard lock(mutex);
    return std::exchange(ahead, std::move(begun));
}

MadeKeeper make_keeper(const fs::path& libexec) {
    auto user = User::take();
    if (!user) return user.error();
    auto keeper = std::make_unique<OwnKeeper>(libexec, *std::move(user));
    static std::atomic<bool> can = false;
    if (!can) {
        auto tried = keeper->enclose(runner_view());
        if (!tried) return tried.error();
        keeper->keep(runner_view(), *std::move(tried));  // a runner takes it
        can = true;
    }
    return std::unique_ptr<Keeper>(std::move(keeper));
}

}  // namespace

void make_ahead(const fs::path& libexec) {
    (void)Ending::of_this_process();  // it has to end after what is made here
    (void)exchange_ahead(std::async(std::launch::async, make_keeper, libexec));
}

Result<std::unique_ptr<Keeper>> Keeper::make(const fs::path& libexec) {
    std::future<MadeKeeper> begun = exchange_ahead({});
    return begun.valid() ? begun.get() : make_keeper(libexec);
}

Result<Isolated> isolate(const fs::path& libexec, Isolation wanted) {
    if (wanted == Isolation::off) return Isolated{};
    auto keeper = Keeper::make(libexec);
    if (keeper) return Isolated{*std::move(keeper), {}};
    if (wanted == Isolation::if_possible) return Isolated{nullptr, keeper.error().message};
    Error error = keeper.error();
    error.remedy += error.remedy.empty() ? "" : "; ";
    error.remedy += "or grade with --sandbox off, if you trust all submissions";
    return error;
}

}  // namespace cugrade::sandbox
