// The rounds of a timing on a GPU: fresh data, calls by the grader's clock, and a check of
// everything that the calls wrote. time_rounds.cpp decides how many rounds there are;
// judge_times.cpp judges their times.
//
// Theory of operation. Several runners are open on one GPU: the baseline's, the submission's and,
// if the task has one right answer, the reference's. There are R sets of inputs, twice: the
// submission has its own copies, and the other runners share theirs. Each runner has outputs of its
// own. A runner can map only its own buffers. All processes of a runner are stopped except during
// its calls.
//
//     make()      new inputs are made in all sets but the submission's, from the base data of the
//                 timed case, which stays here
//     answer()    the reference computes the right answers
//     time(r)     r's outputs are poisoned, the submission is given the same inputs, and caches are
//                 flushed. Then, by the grader's clock: the request waits in the socket, the
//                 runner may go on, its answer arrives. The runner is stopped before anything that
//                 it wrote is looked at: its inputs must be unchanged, guard bands intact, and
//                 outputs those of the reference.
//
// So, before the clock starts, the submission can work on its inputs only from the time when they
// are given to it until the time when it may go on. A stopped process can have left kernels for
// that, or a stream that waits for the inputs. Two times give such work away: the time that giving
// takes (`give_us`), and the time that small kernels of the grader wait for their turns on the GPU
// until right before the clock starts (`ready_us`). These kernels go on for a random time, so
// nothing on the GPU can know when they end. A runner waits for the whole device before it answers.
// If it answers too early, the same kernel, run right then, gives it away (`settle_us`). If it
// leaves work for later, the time that making inputs takes gives it away (`make_us`).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/runner_connection.hpp"
#include "core/case_data.hpp"
#include "core/outcome.hpp"
#include "gpu/gpu_memory.hpp"
#include "gpu/nvml.hpp"
#include "timing/rounds.hpp"
#include "timing/timed_sets.hpp"
#include "timing/timing.hpp"

#include "gpu/device/kernels.hpp"

namespace cugrade {

class GpuRounds final : public Rounds {
public:
    explicit GpuRounds(const TimingRun&);
    ~GpuRounds() override;
    GpuRounds(const GpuRounds&) = delete;
    GpuRounds& operator=(const GpuRounds&) = delete;

    /// Starts the runners and uploads the base data. Nothing of the submission has been called.
    [[nodiscard]] Status open();
    /// Reads back the set that was kept last.
    [[nodiscard]] Result<KeptSet> read_kept() const;
    void end_all();

    [[nodiscard]] Facts facts() const override;
    [[nodiscard]] Result<double> begin() override;
    [[nodiscard]] Result<CallOutcome> resize(const Plan&) override;
    [[nodiscard]] Status stop_runners() override;
    [[nodiscard]] Result<double> make() override;
    [[nodiscard]] Status answer() override;
    [[nodiscard]] Result<Timed> time(Who) override;
    [[nodiscard]] Result<Empty> time_empty(Who) override;
    [[nodiscard]] Result<Before> prepare_alone() override;
    [[nodiscard]] bool moved(Who) override;
    [[nodiscard]] Status keep(std::uint32_t call) override;
    [[nodiscard]] bool has_kept() const override { return !kept_.empty(); }
    void end_submission() override;
    [[nodiscard]] std::uint32_t calls(Who who) const override { return runners_[who].calls; }
    [[nodiscard]] std::optional<std::string> throttled() const override;
    [[nodiscard]] double now_s() const override;
    [[nodiscard]] std::uint64_t random_bits() override;

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
        DeviceMemory maps;  ///< of all sets, twice, because a round may begin at any
    };
    struct Runner {
        const SessionOptions* options = nullptr;
        std::vector<ExportedMemory> buffers;           ///< own, per column; none for inputs
        std::unique_ptr<RunnerConnection> connection;  // ends before the memory does
        std::vector<std::uint64_t> addresses;          ///< the runner's, per column
        std::uint64_t poison = 0;
        std::uint32_t calls = 0;
        std::uint32_t first = 0;  ///< set of the first call; the others follow
        /// How its own buffer of this column is divided: a block for each call.
        [[nodiscard]] device::Blocks blocks(const Column& column) const {
            return device::Blocks::of(column.blocks.bytes, calls);
        }
    };

    [[nodiscard]] bool has_reference() const { return !verified_; }
    [[nodiscard]] std::uint64_t bytes_per_set() const;
    [[nodiscard]] std::uint64_t cache_bytes() const { return run_.submission.device.l2_bytes; }
    Status open_runner(Runner&, const SessionOptions&);
    Result<CallOutcome> attach_runner(Runner&);
    /// Returns `outcome`, unless a program of ours has failed: that is an Error.
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
    /// The set of a call in this round.
    std::uint32_t set_of(const Runner& runner, std::uint32_t call) const {
        return (runner.first + call) % sets_;
    }
    /// All buffers but the outputs.
    TimedSet name_set(const Runner&, std::uint32_t call) const;
    const std::byte* output_of(const Runner&, std::size_t column, std::uint32_t call) const;
    /// `at`: gives the address of a column's output.
    template <class F>
    Result<Outputs> read_outputs(F&& at) const;
    std::vector<Runner*> runners();

    static constexpr std::uint64_t none = ~std::uint64_t{0};  ///< byte
    /// The findings of check() in one column of a runner's own.
    struct Found {
        device::Difference difference;
        std::uint64_t guard = none;  ///< first byte around it that has changed
    };

    /// The outputs of a call, on the GPU.
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
    std::string monitor_id_;             ///< the GPU, as NVML calls it
    std::optional<GpuMonitor> monitor_;  ///< from begin() on
    std::vector<Kept> kept_;             ///< none, or the submission's and the reference's
};

}  // namespace cugrade
