// Speedup of a submission over the baseline, measured on a GPU.
#pragma once

#include "core/outcome.hpp"
#include "grader/task_runner.hpp"

namespace cugrade {

/// Times the task's timed case for the baseline and for the submission, warm, and checks what the
/// submission's timed calls left. Today the times are the runner's CUDA events (`audited` is
/// false). The outcome of the submission's calls is in `case_outcome`: a failure there means no
/// timing.
struct TimingRun {
    const TaskRun* task = nullptr;
    const CaseSpec* timed_case = nullptr;
    OpenSession open_baseline;
};
struct TimingResult {
    std::optional<TimingOutcome> timing;
    CallOutcome call;  ///< of the submission; accepted if its times count
};
[[nodiscard]] Result<TimingResult> measure_speedup(const TimingRun&);

/// Median and the 95 % confidence interval of the median, by order statistics (binomial): Hollander
/// and Wolfe, Nonparametric Statistical Methods, section 3.6. Fewer than six samples give the
/// range.
struct MedianInterval {
    double median = 0, low = 0, high = 0;
};
[[nodiscard]] MedianInterval median_interval(std::vector<double> samples);

}  // namespace cugrade
