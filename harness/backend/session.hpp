// A runner and its device: the interface that judging needs of each back end.
//
// The grader owns every buffer. On the emulated GPU they live in the emulator process, on a GPU in
// memory of the grader's that the runner maps by file descriptors. A session ends with
// the first failed call, as a CUDA context does with a sticky error; whoever runs the cases opens
// another.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/home.hpp"
#include "core/outcome.hpp"
#include "core/policy.hpp"
#include "core/spec.hpp"
#include "core/verdict.hpp"
#include "emulator/counts/counts.hpp"
#include "emulator/findings/json.hpp"
#include "emulator/interventions/intervention.hpp"
#include "gpu/gpus.hpp"
#include "sandbox/sandbox.hpp"

namespace cugrade {

/// Identifies a buffer of one session.
using BufferId = std::size_t;

struct CallRequest {
    std::string_view task;
    /// Per argument: a buffer, or the bits of a scalar. One inner vector per argument set.
    struct Argument {
        std::optional<BufferId> buffer;
        std::uint64_t scalar = 0;
    };
    std::vector<std::vector<Argument>> sets;
    std::uint32_t warmups = 0;
    std::uint32_t repeats = 1;
    bool timed = false;
    double wall_s = 10;
    std::uint64_t schedule_seed = 0;  ///< emulated GPU only
};

/// The outcome of a call. `verdict` is accepted if the call came back without a failure; the
/// comparison judges its result.
struct CallOutcome {
    Verdict verdict = Verdict::accepted;
    std::string message;
    /// What the submission itself said about it (an exception's text, the last line it printed), to
    /// follow the message. It may hold a hidden case's data, so it is not shown for one.
    std::string said;
    /// The message holds what a submission can choose: threads, addresses, an exit code.
    bool tells_data = false;
    std::optional<SourceLocation> location;
    double wall_s = 0;
    std::optional<DeviceWork> work;  ///< on the emulated GPU, if it could be asked
    HostSide host;                   ///< the same
    std::vector<double> event_us;    ///< timed calls: the runner's claim, one per repeat

    /// To be shown where the data are secret.
    [[nodiscard]] std::string message_without_data() const {
        return tells_data ? std::string(meaning(verdict)) : message;
    }
    /// The same. What the emulated GPU lacks, and where, a submission can state as it likes.
    [[nodiscard]] std::optional<SourceLocation> location_without_data() const {
        return verdict == Verdict::skipped ? std::nullopt : location;
    }
};

class Session {
public:
    virtual ~Session() = default;

    /// Does the submission have the function of this task? Errors if assignment.yaml and the
    /// compiled interface disagree on its parameters (a configuration error).
    virtual Result<bool> has_function(const TaskSpec&) = 0;

    /// `name` appears in messages about out-of-bounds accesses.
    virtual Result<BufferId> allocate(const std::string& name, std::size_t bytes) = 0;
    virtual Status write(BufferId, std::span<const std::byte>) = 0;
    /// From byte `offset` of the buffer on.
    virtual Status read(BufferId, std::size_t offset, std::span<std::byte>) = 0;
    /// Gives back all buffers.
    virtual Status clear() = 0;

    /// An Error is the harness's own. After a verdict other than accepted the session is over.
    virtual Result<CallOutcome> call(const CallRequest&) = 0;

    /// Counts the work of later calls, from zero. Only on the emulated GPU.
    enum class Counting { plain, for_timing };
    virtual Status count(Counting);
    virtual Result<emulator::DeviceCounts> counts();
    /// `for_wrong_result` also finds what is a mistake only where a result is wrong.
    enum class Checking { plain, for_wrong_result };
    /// Turns on the checkers for the calls to come, with an empty list of findings. Buffers that
    /// are there already count as written. Only the emulated GPU can.
    virtual Status check(Checking = Checking::plain);
    virtual Result<emulator::FindingList> findings();
    /// What SessionOptions::interventions could hold: all that the code which the runner has loaded
    /// by now allows to change. Only the emulated GPU knows.
    virtual Result<std::vector<emulator::Intervention>> possible_interventions();
    /// From the next call on these things are different, and a launch may take so many warp
    /// instructions. Device variables get their first values; all else that the program has kept
    /// stays. False if that cannot be done: another session has to be opened.
    virtual bool change(std::span<const emulator::Intervention>,
                        std::uint64_t warp_instructions);
};

/// The time that all calls of one submission may take together. Threads share it.
class TimeBudget {
public:
    explicit TimeBudget(double limit_s) : limit_s_(limit_s) {}
    void spend(double seconds) { spent_ns_ += static_cast<std::int64_t>(seconds * 1e9); }
    [[nodiscard]] double spent_s() const { return static_cast<double>(spent_ns_) * 1e-9; }
    [[nodiscard]] double limit_s() const { return limit_s_; }
    [[nodiscard]] double left_s() const { return limit_s_ - spent_s(); }
    [[nodiscard]] bool is_spent() const { return left_s() <= 0; }

private:
    double limit_s_;
    std::atomic<std::int64_t> spent_ns_{0};
};

struct SessionOptions {
    const Home* home = nullptr;
    std::filesystem::path executable;
    /// PTX that the emulated GPU runs in place of the executable's: device_code_as_written(). None:
    /// the executable's own.
    std::shared_ptr<const std::vector<std::string>> device_code;
    Limits limits;
    int ptx_arch = 75;
    int emulator_threads = 1;  ///< host threads that run blocks; 0: one per processor
    std::optional<std::uint32_t>
        multiprocessors;                 ///< of the emulated GPU; absent: the usual number
    GpuInfo device;                      ///< of a session on a GPU
    std::shared_ptr<TimeBudget> budget;  ///< of the submission; none: its calls are not added up
    /// What is different in the program's execution; only on the emulated GPU.
    std::vector<emulator::Intervention> interventions;
    sandbox::Keeper* keeper = nullptr;  ///< the submission's enclosures; null: it runs without
};

}  // namespace cugrade
