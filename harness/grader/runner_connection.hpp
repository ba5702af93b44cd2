// The grader's end of the control socket, and the sandboxed runner process behind it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/home.hpp"
#include "core/outcome.hpp"
#include "core/policy.hpp"
#include "core/spec.hpp"
#include "grader/session.hpp"
#include "protocol/runner_protocol.hpp"
#include "sandbox/sandbox.hpp"

namespace cugrade {

class RunnerConnection {
public:
    struct ExtraFd {
        const char* variable;  ///< environment variable that tells the runner its number
        int fd;                ///< ours; stays open
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
    /// `values`: set_count times the task's arguments, addresses or scalars.
    Result<Answer> call(const CallRequest&, const std::vector<std::uint64_t>& values);
    Result<Answer> attach(const std::vector<protocol::Attach::Buffer>&, double wall_s);
    /// Kills the runner's process tree.
    void kill();

private:
    RunnerConnection() = default;
    Status await_hello();
    Result<Answer> transact(const void* message, std::size_t bytes, double wall_s);
    CallOutcome why_it_ended(bool timed_out);
    [[nodiscard]] const protocol::Signature* signature(std::string_view task) const;

    std::unique_ptr<sandbox::Process> process_;
    int control_ = -1;
    Limits limits_;
    std::optional<protocol::Hello> hello_;
    std::optional<CallOutcome> startup_failure_;
};

}  // namespace cugrade
