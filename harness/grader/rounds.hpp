// The rounds of a timing on a GPU: fresh data, calls by the grader's clock, and a check of all that
// they wrote. What to make of the times is timing.cpp's business.
//
// Theory of operation. Several runners are open on one GPU: the baseline's, the submission's and,
// where the task has one right answer, the reference's. They share the inputs of R sets, and each
// has outputs of its own, which the others do not have. All processes of a runner are stopped but
// for the time of its calls.
//
//     make()      new inputs in all sets, of the base data of the timed case, which stays here
//     answer()    the reference computes what is right
//     time(r)     r's outputs are poisoned, caches are flushed, and then, by the grader's
//                 clock: the request waits in the socket, the runner may go on, its answer is
//                 there. It is stopped before anything that it wrote is looked at: inputs must be
//                 what they were (hashes), guard bands intact, outputs those of the reference.
//
// A runner waits for the whole device before it answers. One that says so too early is given away
// by the time that a small kernel of the grader takes to get its turn on the GPU at that moment
// (`settle_us`), and one that leaves work for later by the time that making inputs takes
// (`make_us`).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/case_data.hpp"
#include "core/outcome.hpp"
#include "grader/gpu_memory.hpp"
#include "grader/runner_connection.hpp"
#include "grader/task_runner.hpp"
#include "grader/timing.hpp"

#include "grader/device/kernels.hpp"

namespace cugrade {

/// Bits from the operating system.
[[nodiscard]] std::uint64_t secret_bits();

/// Device memory of the grader's own.
class DeviceMemory {
public:
    [[nodiscard]] static Result<DeviceMemory> of(std::size_t bytes);
    DeviceMemory() = default;
    DeviceMemory(DeviceMemory&& other) noexcept { *this = std::move(other); }
    DeviceMemory& operator=(DeviceMemory&& other) noexcept {
        std::swap(at_, other.at_);
        return *this;
    }
    ~DeviceMemory();
    template <class T = void>
    [[nodiscard]] T* get() const {
        return static_cast<T*>(at_);
    }

private:
    void* at_ = nullptr;
};

class Rounds {
public:
    enum Who { baseline, submission, reference };

    /// One round of one runner, all its calls together, in microseconds.
    struct Timed {
        CallOutcome outcome;  ///< accepted if all that was written is right
        double wall_us = 0;   ///< from go to done
        double claim_us = 0;
        double settle_us = 0;
        bool ran_while_paused = false;
    };

    /// `data`: of the timed case; `expected`: the oracle's answer to it.
    Rounds(const TimingRun&, const CaseData& data, const std::vector<Expected>& expected);
    ~Rounds();

    /// Starts the runners and uploads the base data. Nothing of the submission has been called.
    [[nodiscard]] Status open();
    /// Makes room for `sets` input sets, of which one round of the baseline takes `of_baseline`.
    /// Other than accepted: the submission's runner failed.
    [[nodiscard]] Result<CallOutcome> resize(std::uint32_t sets, std::uint32_t of_baseline);
    /// Stops all runners and measures what a round without a call costs each.
    [[nodiscard]] Result<CallOutcome> calibrate();

    [[nodiscard]] Result<double> make();  ///< microseconds on the GPU
    /// Other than accepted, as of time(baseline): `tampering`, with inputs that are the baseline's,
    /// too.
    [[nodiscard]] Result<CallOutcome> answer();
    [[nodiscard]] Result<Timed> time(Who);
    /// The time that the grader's clock gives to the calls: less what a round without one takes, by
    /// all that is known of that by now.
    [[nodiscard]] double audit_us(Who, const Timed&) const;
    /// Reads back one set of the submission's outputs, and the reference's if there is one, for
    /// judge_kept() to compare with the oracle's answer to that set's own data.
    [[nodiscard]] Status keep(std::uint32_t set);
    [[nodiscard]] Result<CallOutcome> judge_kept();
    void end_submission();
    void end_all();

    [[nodiscard]] std::uint32_t calls(Who who) const {
        return who == baseline ? of_baseline_ : sets_;
    }
    /// Whether the answer is the reference's; else outputs are verified one by one, on the CPU.
    [[nodiscard]] bool has_reference() const { return !verified_; }
    [[nodiscard]] std::uint64_t bytes_per_set() const;   ///< that a set takes of the GPU's memory
    [[nodiscard]] std::uint64_t moved_per_call() const;  ///< that a call has to move
    [[nodiscard]] std::uint64_t cache_bytes() const { return run_.submission.device.l2_bytes; }
    [[nodiscard]] const std::string& device_name() const { return run_.submission.device.name; }
    /// The GPU, as NVML calls it.
    [[nodiscard]] const std::string& monitor_id() const { return monitor_id_; }
    /// Bytes per microsecond, of reads.
    [[nodiscard]] Result<double> bandwidth();

private:
    /// A buffer argument.
    struct Column {
        const ArgumentSpec* spec = nullptr;
        const Array* data = nullptr;
        std::size_t table = 0;  ///< index into tables_; inputs and inout
        std::uint64_t rows = 0, row_bytes = 0;
        double bound = 0;     ///< outputs: largest difference from the reference
        bool unique = false;  ///< outputs: there is one right answer
        DeviceMemory base;
        ExportedMemory inputs;  ///< of all sets; inputs only
        device::Blocks blocks;
    };
    struct Table {
        std::string name;
        std::uint64_t rows = 0;
        DeviceMemory maps;  ///< of all sets, twice: a round of the baseline may begin at any
    };
    struct Runner {
        const SessionOptions* options = nullptr;
        std::vector<ExportedMemory> buffers;           ///< own, per column; none for inputs
        std::unique_ptr<RunnerConnection> connection;  // ends before the memory does
        std::vector<std::uint64_t> addresses;          ///< the runner's, per column
        std::uint64_t poison = 0;
        std::uint32_t calls = 0;
        std::uint32_t first = 0;       ///< set of the first call
        std::vector<double> empty_us;  ///< of rounds without a call
        /// As its own buffer of this column is divided: a block for each call.
        [[nodiscard]] device::Blocks blocks(const Column& column) const {
            return device::Blocks::of(column.blocks.bytes, calls);
        }
    };

    Status open_runner(Runner&, const SessionOptions&);
    Result<CallOutcome> attach_runner(Runner&);
    Result<CallOutcome> empty_round(Runner&);
    std::vector<std::uint64_t> arguments(const Runner&) const;
    Status prepare(Runner&);
    Status flush_caches();
    Result<RunnerConnection::Answer> call(Runner&, std::uint32_t calls);
    Status settle(double& us);
    Status pausing_works();
    Result<CallOutcome> check(Runner&, bool against_reference);
    Result<CallOutcome> verify(const Runner&);
    Result<std::vector<std::uint64_t>> hash_inputs();
    Result<Outputs> read_outputs(const Runner&, std::uint32_t block);
    Outputs poison_of(const Runner&, std::uint32_t block) const;
    CaseData host_set(std::uint64_t round, std::uint32_t set) const;
    Result<CallOutcome> judge_set(std::uint64_t round, std::uint32_t set, const Outputs& poison,
                                  const Outputs& outputs) const;
    std::vector<Runner*> runners();

    const TimingRun& run_;
    const TaskSpec& task_;
    const CaseData& data_;
    bool verified_ = false;
    std::vector<Table> tables_;
    std::vector<Column> columns_;
    Runner runners_[3];
    DeviceMemory scratch_, words_;
    std::uint64_t scratch_bytes_ = 0;
    std::uint32_t sets_ = 0, of_baseline_ = 0;
    std::uint64_t round_ = 0, hash_key_ = 0, guard_seed_ = 0;
    std::vector<std::uint64_t> hashes_;
    std::string monitor_id_;

    struct Kept {
        std::uint64_t round = 0;
        std::uint32_t set = 0;
        Outputs submission, reference, poison;
    };
    std::optional<Kept> kept_;
};

}  // namespace cugrade
