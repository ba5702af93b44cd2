// The grader's end of the control socket, and the sandboxed runner process behind it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/session.hpp"
#include "core/error.hpp"
#include "core/home.hpp"
#include "core/outcome.hpp"
#include "core/policy.hpp"
#include "core/spec.hpp"
#include "protocol/runner_protocol.hpp"
#include "sandbox/sandbox.hpp"

namespace cugrade {

class RunnerConnection {
public:
    struct ExtraFd {
        const char* variable;  ///< environment variable that tells the runner its number
        int fd;                ///< ours; stays open
    };
    /// Device memory by its descriptor, which stays ours.
    struct Exported {
        int fd = -1;
        std::uint64_t bytes = 0;
    };
    /// Starts the runner. Its Hello is awaited by the first call that needs it, so that the start
    /// of the process overlaps with the grader's own work.
    [[nodiscard]] static Result<std::unique_ptr<RunnerConnection>> start(
        const SessionOptions&, const std::vector<ExtraFd>&);
    ~RunnerConnection();

    struct Answer {
        bool replied = false;
        protocol::Reply reply;
        std::vector<std::uint64_t> values;
        CallOutcome ended;  ///< if not replied: why (crash, time_limit, memory_limit, ...)
        double wall_s = 0;
    };

    Result<bool> has_function(const TaskSpec&);
    /// `values`: per set of `request` the task's arguments, addresses or scalars.
    Result<Answer> call(const CallRequest& request, const std::vector<std::uint64_t>& values);
    /// Called when a request has been sent to stopped processes, right before they may go on.
    using BeforeGo = std::function<Status()>;
    /// Calls the function `calls` times, the n-th time with set n modulo their number. The answer's
    /// one value is the runner's own time of them all, a double in microseconds.
    Result<Answer> timed_calls(std::string_view task, const std::vector<std::uint64_t>& values,
                               std::uint32_t calls, double wall_s, const BeforeGo& before_go = {});
    Result<Answer> attach(const std::vector<Exported>&);
    /// The time that the runner takes from now on is the submission's; a call gets what is left.
    void charge(std::shared_ptr<TimeBudget> budget) { budget_ = std::move(budget); }
    /// Kills the runner's process tree.
    void kill();

    /// Stops all processes of the runner until the next request, which lets them go on once it has
    /// been sent: wall_s of the Answer is the time from then on.
    Status pause();
    /// Where it is stopped: from now until the next request it can go on without waiting for its
    /// processor to wake, as far as the machine allows that.
    void keep_processor_awake();
    /// Whether one has run nevertheless, by the accounts of the kernel, which may come late; since
    /// this was asked before.
    [[nodiscard]] bool moved();

private:
    RunnerConnection() = default;
    Status await_hello();
    /// transact() within the budget, and charged to it.
    Result<Answer> transact_charged(const void* message, std::size_t bytes, double wall_s,
                                    std::span<const int> descriptors = {},
                                    const BeforeGo& before_go = {});
    Result<Answer> transact(const void* message, std::size_t bytes, double wall_s,
                            std::span<const int> descriptors = {}, const BeforeGo& before_go = {});
    Result<Answer> call(std::string_view task, const std::vector<std::uint64_t>& values,
                        protocol::Call, double wall_s, const BeforeGo& before_go = {});
    /// `wall_s`: what was over, if anything.
    CallOutcome why_it_ended(std::optional<double> wall_s);
    void note_moves();
    [[nodiscard]] const protocol::Signature* signature(std::string_view task) const;

    std::unique_ptr<sandbox::Process> process_;
    int control_ = -1;
    bool paused_ = false;
    bool moved_ = false;
    Limits limits_;
    double preparing_s_ = 0;  ///< limit on greeting and attaching
    std::shared_ptr<TimeBudget> budget_;
    std::optional<protocol::Hello> hello_;
    std::optional<CallOutcome> startup_failure_;
};

}  // namespace cugrade
