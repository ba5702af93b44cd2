// The rounds of a timing on a GPU: fresh data, calls by the grader's clock, and a check of all that
// they wrote. What to make of the times is the business of judge_times.cpp.
//
// Theory of operation. Several runners are open on one GPU: the baseline's, the submission's and,
// where the task has one right answer, the reference's. There are R sets of inputs, twice: the
// submission has copies of its own, and the others share theirs. Each has outputs of its own. What
// is not its own a runner cannot reach. All processes of a runner are stopped but for the time of
// its calls.
//
//     make()      new inputs in all sets but the submission's, of the base data of the timed case,
//                 which stays here
//     answer()    the reference computes what is right
//     time(r)     r's outputs are poisoned, the submission is given the same inputs, caches are
//                 flushed, and then, by the grader's clock: the request waits in the socket, the
//                 runner may go on, its answer is there. It is stopped before anything that it
//                 wrote is looked at: its inputs must be what they were, guard bands
//                 intact, outputs those of the reference.
//
// So the submission can work on its inputs before the clock starts only while they are given to it
// and until it may go on: a stopped process can have left kernels for that, or a stream that waits
// for the inputs. They are given away by the time that giving takes (`give_us`), and by the time
// that small kernels of the grader take to get their turns on the GPU until right before the clock
// starts (`ready_us`). That goes on for a random time: nothing on the GPU can know when it is over.
// A runner waits for the whole device before it answers. One that says so too early is given away
// by the same kernel right then (`settle_us`), and one that leaves work for later by the time that
// making inputs takes (`make_us`).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/case_data.hpp"
#include "core/outcome.hpp"
#include "grader/gpu_memory.hpp"
#include "grader/runner_connection.hpp"
#include "grader/timed_sets.hpp"
#include "grader/timing.hpp"

#include "grader/device/kernels.hpp"

namespace cugrade {

/// Bits from the operating system.
[[nodiscard]] std::uint64_t secret_bits();

/// A program of the course's own (`who`: "baseline", "solution") does not what it has to.
[[nodiscard]] Error failure_of_ours(const char* who, const TimingRun&, const std::string& why);

class Rounds {
public:
    enum Who { baseline, submission, reference };

    /// What was done on the GPU for a round before its calls, in microseconds.
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
        double settle_us = 0;
    };

    explicit Rounds(const TimingRun&);
    ~Rounds();

    /// Starts the runners and uploads the base data. Nothing of the submission has been called.
    [[nodiscard]] Status open();
    /// Input sets, and how many of them a round takes: a call for each.
    struct Plan {
        std::uint32_t sets = 1, of_submission = 1, of_baseline = 1;
    };
    /// Bytes of the GPU's memory for all sets, as of before there was a runner.
    [[nodiscard]] std::uint64_t room() const { return free_before_ / 3; }
    /// Makes room for them. Other than accepted: the submission's runner failed, or holds too much
    /// memory.
    [[nodiscard]] Result<CallOutcome> resize(const Plan&);
    /// Stops all runners and measures what a round without a call costs each.
    [[nodiscard]] Result<CallOutcome> calibrate();

    // In each round, in this order; keep() where time(submission) was accepted.
    [[nodiscard]] Result<double> make();  ///< microseconds on the GPU
    [[nodiscard]] Status answer();
    [[nodiscard]] Result<Timed> time(Who);
    /// As before a round of the submission, without one: for after its end.
    [[nodiscard]] Result<Before> prepare_alone();
    /// A round without a call. As before a round with calls, another runner is to have had the GPU
    /// last. Other than accepted: the submission's runner failed, or has been slow too often.
    [[nodiscard]] Result<CallOutcome> time_empty(Who);
    /// What slow ones have taken, in seconds altogether.
    [[nodiscard]] double slow_empty_s() const { return slow_empty_s_; }
    /// Whether a process of this runner has run while it was stopped, since this was asked before.
    [[nodiscard]] bool moved(Who);
    /// What a round without a call takes, by all that is known of that by now.
    [[nodiscard]] double empty_us(Who) const;
    /// The time that the grader's clock gives to the calls: less that.
    [[nodiscard]] double audit_us(Who, const Timed&) const;
    /// What the calls took at most: less the shortest of its rounds without a call. Where few of
    /// those are known yet, something else on the machine may have held up half of them.
    [[nodiscard]] double most_us(Who, const Timed&) const;
    /// Sets aside, on the GPU, what this one of the submission's calls wrote, and the reference's
    /// answer to its set. Precondition: there is a reference.
    [[nodiscard]] Status keep(std::uint32_t call);
    [[nodiscard]] bool has_kept() const { return !kept_.empty(); }
    /// Reads back what was set aside last.
    [[nodiscard]] Result<KeptSet> read_kept() const;
    /// What it has left on the GPU is gone after this. The baseline can still be timed.
    void end_submission();
    void end_all();

    [[nodiscard]] std::uint32_t sets() const { return sets_; }
    [[nodiscard]] std::uint32_t calls(Who who) const { return runners_[who].calls; }
    /// Whether the answer is the reference's; else outputs are verified one by one, on the CPU.
    [[nodiscard]] bool has_reference() const { return !verified_; }
    [[nodiscard]] std::uint64_t bytes_per_set() const;   ///< that a set takes of the GPU's memory
    [[nodiscard]] std::uint64_t bytes_per_call() const;  ///< inputs and outputs of a call
    [[nodiscard]] std::uint64_t moved_per_call() const;  ///< of these, what it has to move
    [[nodiscard]] std::uint64_t cache_bytes() const { return run_.submission.device.l2_bytes; }
    [[nodiscard]] const std::string& device_name() const { return run_.submission.device.name; }
    /// The GPU, as NVML calls it.
    [[nodiscard]] const std::string& monitor_id() const { return monitor_id_; }
    /// Bytes per microsecond, of reads.
    [[nodiscard]] Result<double> bandwidth();

private:
    struct Column : TableColumn {
        double bound = 0;     ///< outputs: largest difference from the reference
        bool unique = false;  ///< outputs: there is one right answer
        DeviceMemory base;
        ExportedMemory inputs;  ///< of all sets; inputs only
        ExportedMemory given;   ///< the submission's
        device::Blocks blocks;
    };
    struct Table {
        std::uint64_t rows = 0;
        DeviceMemory maps;  ///< of all sets, twice: a round may begin at any
    };
    struct Runner {
        const SessionOptions* options = nullptr;
        std::vector<ExportedMemory> buffers;           ///< own, per column; none for inputs
        std::unique_ptr<RunnerConnection> connection;  // ends before the memory does
        std::vector<std::uint64_t> addresses;          ///< the runner's, per column
        std::uint64_t poison = 0;
        std::uint32_t calls = 0;
        std::uint32_t first = 0;       ///< set of the first call; the others follow
        std::vector<double> empty_us;  ///< of rounds without a call
        int slow_empties = 0;
        /// As its own buffer of this column is divided: a block for each call.
        [[nodiscard]] device::Blocks blocks(const Column& column) const {
            return device::Blocks::of(column.blocks.bytes, calls);
        }
    };

    template <class F>
    double of_empties(Who who, F&& what) const;
    Status open_runner(Runner&, const SessionOptions&);
    Result<CallOutcome> attach_runner(Runner&);
    /// What `who` did: where that is a program of ours, whatever is not accepted is an Error.
    Result<CallOutcome> charged(Who who, CallOutcome outcome, const std::string& when = {}) const;
    Who who_is(const Runner& runner) const { return static_cast<Who>(&runner - runners_); }
    bool is_submission(const Runner& runner) const { return &runner == &runners_[submission]; }
    std::vector<std::uint64_t> arguments(const Runner&) const;
    Status fill_inputs(ExportedMemory Column::*copy);
    Result<double> prepare(Runner&);
    Status flush_caches();
    Result<RunnerConnection::Answer> call(Runner&, std::uint32_t calls,
                                          const RunnerConnection::BeforeGo& = {});
    Status small_kernel(double& us);
    Status small_kernels(double& longest_us);
    Result<CallOutcome> check(Runner&, bool against_reference);
    /// Per column: the first byte of the submission's inputs that differs from the others'.
    Status find_changes(std::vector<std::uint64_t>& changes);
    Result<CallOutcome> verify(const Runner&);
    /// The set that a call of the round has.
    std::uint32_t set_of(const Runner& runner, std::uint32_t call) const {
        return (runner.first + call) % sets_;
    }
    /// All of it but its outputs.
    TimedSet name_set(const Runner&, std::uint32_t call) const;
    const std::byte* output_of(const Runner&, std::size_t column, std::uint32_t call) const;
    /// `at`: where the output of a column is.
    template <class F>
    Result<Outputs> read_outputs(F&& at) const;
    std::vector<Runner*> runners();

    static constexpr std::uint64_t none = ~std::uint64_t{0};  ///< byte
    /// What check() finds in a column of a runner's own.
    struct Found {
        device::Difference difference;
        std::uint64_t guard = none;  ///< first byte around it that has changed
    };

    /// What a call left, on the GPU.
    struct Kept {
        TimedSet set;
        std::vector<DeviceMemory> outputs;  ///< per column; none for inputs
    };

    const TimingRun& run_;
    const TaskSpec& task_;
    const CaseData& data_;
    bool verified_ = false;
    std::vector<Table> tables_;
    std::vector<Column> columns_;
    Runner runners_[3];
    DeviceMemory scratch_, words_;
    std::uint64_t scratch_bytes_ = 0, free_before_ = 0;
    std::uint32_t sets_ = 0;
    std::uint64_t round_ = 0, guard_seed_ = 0;
    std::string monitor_id_;
    double slow_empty_s_ = 0;
    std::vector<double> empty_alone_us_;  ///< of the baseline's, after end_submission()
    std::vector<Kept> kept_;              ///< none, or the submission's and the reference's
};

}  // namespace cugrade
