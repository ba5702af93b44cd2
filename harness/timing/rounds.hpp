// The interface between timing and a GPU: rounds of calls on fresh data, by the grader's clock.
// GpuRounds is the real one; the tests of time_rounds() have a fake with a clock of its own, so
// that every decision about rounds is tested where there is no GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backend/session.hpp"
#include "core/error.hpp"

namespace cugrade {

/// A round is a number of calls of one runner, each on a set of inputs of its own. Runners are
/// stopped but for their own rounds. In each round: make(), answer(), then time() of the runners.
class Rounds {
public:
    enum Who { baseline, submission, reference };

    /// Work on the GPU for a round before its calls, in microseconds.
    struct Before {
        double give_us = 0;   ///< inputs, if they are the submission's, and empty caches
        double ready_us = 0;  ///< the longest wait of a small kernel
    };
    /// One round of one runner, all its calls together, in microseconds.
    struct Timed {
        CallOutcome outcome;  ///< accepted if all that was written is right
        double wall_us = 0;   ///< from go to done
        double claim_us = 0;
        Before before;
        double settle_us = 0;  ///< how long a small kernel waited after the answer
    };
    /// A round without a call.
    struct Empty {
        CallOutcome outcome;  ///< other than accepted: the submission's runner failed
        double wall_s = 0;
    };
    /// Input sets, and how many of them a round takes: a call for each.
    struct Plan {
        std::uint32_t sets = 1, of_submission = 1, of_baseline = 1;
    };
    struct Facts {
        /// Whether the answer is the reference's; else outputs are verified one by one, on the CPU.
        bool has_reference = true;
        std::uint64_t bytes_per_set = 0;   ///< that a set takes of the GPU's memory
        std::uint64_t bytes_per_call = 0;  ///< inputs and outputs of a call
        std::uint64_t moved_per_call = 0;  ///< of these, what it has to move
        std::uint64_t room = 0;            ///< bytes of the GPU's memory for all sets
        std::uint32_t most_sets = 1;       ///< that one request can name
        std::uint64_t cache_bytes = 0;     ///< of the L2 cache
        std::string device;                ///< its name
    };

    virtual ~Rounds() = default;

    [[nodiscard]] virtual Facts facts() const = 0;
    /// Call once, first: from here on the GPU is held alone. Returns the read bandwidth in bytes
    /// per microsecond.
    [[nodiscard]] virtual Result<double> begin() = 0;
    /// Makes room for these sets. Other than accepted: the submission's runner failed, or holds too
    /// much memory.
    [[nodiscard]] virtual Result<CallOutcome> resize(const Plan&) = 0;
    [[nodiscard]] virtual Status stop_runners() = 0;

    [[nodiscard]] virtual Result<double> make() = 0;  ///< new inputs; microseconds on the GPU
    [[nodiscard]] virtual Status answer() = 0;        ///< the reference computes what is right
    [[nodiscard]] virtual Result<Timed> time(Who) = 0;
    /// Precondition, as for a round with calls: another runner had the GPU last.
    [[nodiscard]] virtual Result<Empty> time_empty(Who) = 0;
    /// As before a round of the submission, without one: for after its end.
    [[nodiscard]] virtual Result<Before> prepare_alone() = 0;
    /// Whether a process of this runner has run while stopped, since the last call of this
    /// function.
    [[nodiscard]] virtual bool moved(Who) = 0;
    /// Sets aside, on the GPU, what this one of the submission's calls wrote, and the reference's
    /// answer to its set. Preconditions: there is a reference; time(submission) was accepted, and
    /// nothing has run since.
    [[nodiscard]] virtual Status keep(std::uint32_t call) = 0;
    [[nodiscard]] virtual bool has_kept() const = 0;
    /// Ends the submission's processes and so all their work on the GPU. The baseline can still be
    /// timed.
    virtual void end_submission() = 0;

    [[nodiscard]] virtual std::uint32_t calls(Who) const = 0;  ///< of a round
    /// Why the GPU is held back at this moment, if it is known to be.
    [[nodiscard]] virtual std::optional<std::string> throttled() const = 0;
    [[nodiscard]] virtual double now_s() const = 0;  ///< the grader's clock
    [[nodiscard]] virtual std::uint64_t random_bits() = 0;
};

}  // namespace cugrade
