// Points from outcomes and policy: a pure function. docs/grading-policy.md has the rules in full.
#pragma once

#include <optional>
#include <vector>

#include "core/outcome.hpp"
#include "core/policy.hpp"
#include "core/report.hpp"
#include "core/spec.hpp"

namespace cugrade {

/// The weighted share of accepted cases among those judged; nothing if none was. The timed case has
/// no weight: it belongs to the performance.
[[nodiscard]] std::optional<double> accepted_share(const TaskSpec&, const TaskPolicy&,
                                                   const std::vector<CaseOutcome>&);
/// The share by which technique and speed count: 1 if no case failed; else 0 if the policy requires
/// all cases, or if a case failed in a way that leaves the others to luck; else accepted_share().
[[nodiscard]] double credited_share(const TaskSpec&, const TaskPolicy&,
                                    const std::vector<CaseOutcome>&);

/// Whether a speedup reaches a tier. If the interval of a measured one contains the tier's boundary,
/// the student gets the tier.
[[nodiscard]] bool reaches(const TimingOutcome&, const Tier&);

/// Correctness: points times accepted_share(). Technique: points times the share of limits that are
/// kept. Performance: points times the credit of the highest tier reached. Both of these are
/// multiplied by credited_share(). If the host does the work, there are no points for technique or
/// for a modelled speed; a measured speed is real and counts.
///
/// Technique that nobody counted and speed that nobody measured are not judged. But if a case
/// failed, they are judged and lost, except speed if `untimed` says that this run measures none
/// anyway. Measured speed is lost, too, if the timed case failed. Points are rounded to hundredths.
/// Precondition: the ids of the outcome's cases are those of the task's.
[[nodiscard]] TaskReport score_task(const TaskSpec&, const TaskPolicy&, TaskOutcome);
[[nodiscard]] Score total(const std::vector<TaskReport>&);

}  // namespace cugrade
