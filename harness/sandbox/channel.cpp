// A command from the grader's side: its answer, and how it is paused.
#include <csignal>
#include <thread>
#include <utility>

#include "sandbox/awake_processor.hpp"
#include "sandbox/channel.hpp"
#include "sandbox/process_tree.hpp"

namespace cugrade::sandbox {
namespace {

/// A process that has not stopped by then wakes itself.
constexpr std::chrono::seconds longest_stop{1};
/// A thread in a system call of a driver stops only when the call returns.
constexpr std::chrono::seconds longest_call{5};


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
        if (outcome_ || std::exchange(is_killed_, true)) return;
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
    bool is_killed_ = false;
    std::optional<Outcome> outcome_;
    static constexpr std::uint64_t never_paused = ~std::uint64_t{0};
    static constexpr std::uint64_t died_before = never_paused - 1;
    static constexpr std::uint64_t unread = never_paused - 2;
    std::map<pid_t, std::uint64_t> paused_;  ///< how long each had run when it was paused
    pid_t command_ = 0;                      ///< of these, the command itself
    std::optional<AwakeProcessor> awake_;
};

}  // namespace

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

}  // namespace cugrade::sandbox
