// Why a right task is slow: the time model's what-ifs as causes of a report.
#pragma once

#include <span>
#include <vector>

#include "build/build_submission.hpp"
#include "core/cause.hpp"
#include "core/outcome.hpp"
#include "core/policy.hpp"
#include "core/spec.hpp"
#include "emulator/model/time_model.hpp"
#include "timing/modelling.hpp"

namespace cugrade {

/// Causes `too_slow` of a task whose speed, as `timing` has it, does not reach the highest tier: the
/// change that gains most first, and at most two more. Where the speed was modelled, each tells what
/// it would be; a measured one is not predicted.
[[nodiscard]] std::vector<Cause> too_slow(const model::Device&, const TaskSpec&, const ModelCounts&,
                                          const TaskPolicy&, const TimingOutcome& timing,
                                          std::span<const SourceFile>);

/// The cause `too_slow` of a task whose small cases are right and whose large ones ran into the time
/// limit; or nothing.
[[nodiscard]] std::vector<Cause> too_slow_for_large(const TaskSpec&, const TaskOutcome&);

}  // namespace cugrade
