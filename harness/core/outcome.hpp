// What happened to each case and task of one submission: the input of scoring and of reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cause.hpp"
#include "core/not_judged.hpp"
#include "core/source_location.hpp"
#include "core/spec.hpp"
#include "core/verdict.hpp"

namespace cugrade {

struct Mismatch {
    std::string argument;
    std::int64_t index = 0;                 ///< row-major
    std::vector<std::int64_t> coordinates;  ///< for two dimensions and more: row, column, ...
    std::string expected;
    std::string got;
};

/// What a checker of the emulated GPU saw in a case.
struct CheckerFinding {
    std::string kind;      ///< a name of emulator/findings: "shared_race"
    std::string message;   ///< for hidden cases without threads and addresses: they depend on data
    bool warning = false;  ///< costs no points
    std::optional<SourceLocation> location;
    /// For a race, where the other thread was; for missing lanes, where they branched off.
    std::optional<SourceLocation> second_location;
};

/// What one call made the emulated GPU do. The same program does the same on the same data.
struct DeviceWork {
    std::uint64_t launches = 0;
    std::uint64_t warp_instructions = 0;
};

/// What the emulated GPU knows about the host's side of a failure. For causes only: no report shows
/// it, because it holds data.
struct HostSide {
    /// The first CUDA call that failed and why, also if the program has looked at the error:
    /// "cudaErrorInvalidValue: cudaMemcpy: the destination is a host address". Of a crash: what
    /// host code dereferenced.
    std::string failed_call;
    std::optional<SourceLocation> failed_at;
    std::string kernel;  ///< that ended with a fault: "sum(float const*, int)"
    std::optional<SourceLocation> launched_at;
    /// Of the call that has freed or allocated the memory that the fault is about.
    std::optional<SourceLocation> memory_at;
    bool memory_is_freed = false;
};

struct CaseOutcome {
    int id = 0;
    Visibility visibility = Visibility::open;
    Verdict verdict = Verdict::skipped;
    /// One sentence: what is wrong; empty when accepted. For hidden cases it holds the verdict and
    /// the pattern, never data.
    std::string message;
    NotJudged not_judged;         ///< of a skipped case; its message is made from this
    std::string pattern;          ///< the diagnosis: "only the last partial block is wrong: ..."
    std::string suggested_cause;  ///< by the pattern: an id, or empty; not reported
    std::vector<Mismatch> mismatches;  ///< the first few; empty for hidden cases
    std::int64_t mismatch_count = 0;
    std::int64_t element_count = 0;
    std::optional<SourceLocation> location;
    std::vector<CheckerFinding>
        findings;             ///< those shown; if one lowered the verdict, it made `message`
    std::string description;  ///< "n=1025 in=uniform": parameters and generators
    std::string data_sha256;  ///< of all inputs, for appeals
    std::uint64_t seed = 0;   ///< not reported for hidden cases
    double seconds = 0;       ///< wall time of the call in the runner
    /// Of the first call, where that was on the emulated GPU.
    std::optional<DeviceWork> work;
    HostSide host;  ///< the same
    // Of the timed case on a GPU:
    double event_us = 0;  ///< the same by the runner's events
    double at_least_s =
        0;  ///< a second call was killed after that time; 0: none was made, or it returned
};

/// One round of each, per call: by the grader's clock, and by the runner's own events.
struct TimingSample {
    double baseline_us = 0;
    double submission_us = 0;
    double baseline_claim_us = 0;
    double submission_claim_us = 0;
    double outside_us = 0;  ///< of submission_us: waits for the GPU before and after its calls
};

/// Speedup over the baseline on the timed case of a task.
struct TimingOutcome {
    enum class Basis { measured, modelled };
    Basis basis = Basis::measured;
    double speedup = 0;  ///< the median over rounds of baseline time over submission time
    double low = 0;      ///< 95 % confidence interval of the speedup, 1 % to either side at least
    double high = 0;
    double baseline_us = 0;
    double submission_us = 0;
    double baseline_alone_us = 0;  ///< measured: longest overrun past the submission's end
    /// The most of it that is charged to the baseline.
    static constexpr double baseline_share = 1.02;
    double baseline_claim_us = 0;  ///< measured: medians by the runners' events
    double submission_claim_us = 0;
    double outside_us = 0;  ///< measured: the median, of submission_us
    std::vector<TimingSample> samples;
    int calls = 0;           ///< of the submission in one round, each on different data
    int baseline_calls = 0;  ///< of the baseline
    double empty_us = 0;     ///< of an empty round of the submission; subtracted from each round
    double baseline_empty_us = 0;
    int dropped = 0;              ///< rounds that do not count
    std::string dropped_because;  ///< why most of these do not
    double boundary = 0;      ///< a tier that the interval leaves open and that is granted; or 0
    std::string measured_on;  ///< the GPU, if it was not modelled
    std::string modelled_on;  ///< the GPU, if it was not measured
    std::string limited_by;   ///< modelled: the submission's bottleneck: "DRAM"
    /// Modelled: why counts are taken to grow in proportion to the data at least; empty: they grow
    /// as they were counted.
    std::string doubt;
};

/// A counter of what the kernels of a task do.
struct Counter {
    std::string metric;  ///< a name of core/technique.hpp
    double value = 0;
    std::optional<SourceLocation> location;  ///< the line that causes most of it
};

/// A counter that technique is judged by, and its limit.
struct Measure {
    std::string metric;
    double value = 0;
    double max = 0;
    std::optional<SourceLocation> location;  ///< the line that causes most of it
    [[nodiscard]] bool kept() const { return value <= max; }
};

/// A call that computes on the host, or whose result no kernel made. Bytes of one call.
struct HostWork {
    std::uint64_t read_bytes = 0;  ///< from the device to the host
    std::uint64_t input_bytes = 0;
    std::uint64_t covered_inputs = 0;   ///< bytes of `moved_inputs` that kernels and copies read
    std::uint64_t moved_inputs = 0;     ///< of inputs that a call has to read in full
    std::uint64_t covered_outputs = 0;  ///< bytes of the outputs that the device itself stored
    std::uint64_t stored_bytes = 0;     ///< on the device, by kernels, cudaMemset and copies there
    std::uint64_t output_bytes = 0;
    std::string why;  ///< one sentence
    bool operator==(const HostWork&) const = default;
};

/// How the note of a report tells HostWork: "<task>: <why>, so the work is taken to be ...".
constexpr std::string_view done_on_the_host = "so the work is taken to be done on the host";

struct TaskOutcome {
    std::string name;
    std::vector<CaseOutcome> cases;
    std::vector<Cause> causes;            ///< why it fails or is slow, the best first; or empty
    std::optional<TimingOutcome> timing;  ///< absent: not measured
    NotJudged untimed;                    ///< why this run could not measure it, or nothing: then a
                                          ///< task without a timing has lost it by being wrong
    std::vector<Counter> counters;        ///< all that there are; empty: nothing was counted
    std::optional<HostWork> host_work;    ///< its technique and its modelled speed earn nothing
    double gpu_s = 0;                     ///< time for which it had a GPU to itself; 0: it had none
};

/// Where the time went, in order: "compile", "link", "generate", "emulate", ...
struct Phase {
    std::string name;
    double seconds = 0;
};

}  // namespace cugrade
