// What happened to each case and task of one submission: the input of scoring and of reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec.hpp"
#include "core/verdict.hpp"

namespace cugrade {

/// What `message` of a skipped case and `timing_note` say where only a GPU is missing; reports and
/// the score's line count on these words.
inline constexpr std::string_view needs_gpu_note = "needs a GPU";

/// A place in the student's source.
struct SourceLocation {
    std::string file;
    int line = 0;  ///< 1-based; 0: not known
    int column = 0;
};

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
    std::optional<SourceLocation> second_location;  ///< of a race: where the other thread was
};

struct CaseOutcome {
    int id = 0;
    Visibility visibility = Visibility::open;
    Verdict verdict = Verdict::skipped;
    /// One sentence: what is wrong, or why it was skipped; empty when accepted. For hidden cases
    /// it holds the verdict and the pattern, never data.
    std::string message;
    std::string pattern;  ///< the diagnosis: "only the last partial block is wrong: ..."
    std::vector<Mismatch> mismatches;  ///< the first few; empty for hidden cases
    std::int64_t mismatch_count = 0;
    std::int64_t element_count = 0;
    std::optional<SourceLocation> location;
    std::vector<CheckerFinding> findings;  ///< all of them; the worst one made `message`
    std::string description;               ///< "n=1025 in=uniform": parameters and generators
    std::string data_sha256;               ///< of all inputs, for appeals
    std::uint64_t seed = 0;                ///< not reported for hidden cases
    double seconds = 0;                    ///< wall time of the call in the runner
    // Of the timed case on a GPU:
    double event_us = 0;    ///< the same by the runner's events
    double at_least_s = 0;  ///< a second call was ended after that; 0: there was none, or it came
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
    double baseline_alone_us = 0;  ///< measured: its longest after the submission's end
    /// The baseline counts at most so much of that.
    static constexpr double baseline_share = 1.02;
    double baseline_claim_us = 0;  ///< measured: medians of what the runners' events say
    double submission_claim_us = 0;
    double outside_us = 0;  ///< measured: the median, of submission_us
    std::vector<TimingSample> samples;
    int calls = 0;           ///< of the submission in one round, each on other data
    int baseline_calls = 0;  ///< of the baseline
    double empty_us = 0;     ///< of a round of the submission without a call, taken off each
    double baseline_empty_us = 0;
    int dropped = 0;              ///< rounds that do not count
    std::string dropped_because;  ///< why most of these do not
    double boundary = 0;      ///< a tier that the interval does not decide, and that is given; or 0
    std::string measured_on;  ///< the GPU, if it was not modelled
    std::string modelled_on;  ///< the GPU, if it was not measured
    std::string limited_by;   ///< modelled: what most of the submission's time goes into: "DRAM"
};

/// One counter of a task's technique, and its limit.
struct Measure {
    std::string metric;  ///< a name of core/technique.hpp
    double value = 0;
    double max = 0;
    std::optional<SourceLocation> location;  ///< the line that causes most of it
    [[nodiscard]] bool kept() const { return value <= max; }
};

struct TaskOutcome {
    std::string name;
    std::vector<CaseOutcome> cases;
    std::optional<TimingOutcome> timing;  ///< absent: not measured
    std::string timing_note;              ///< why it is absent: "needs a GPU"
    std::vector<Measure> technique;       ///< empty: not measured
    double gpu_s = 0;                     ///< that it had a GPU to itself; 0: it had none
};

/// Where the time went, in order: "compile", "link", "generate", "emulate", ...
struct Phase {
    std::string name;
    double seconds = 0;
};

}  // namespace cugrade
