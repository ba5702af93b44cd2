// What may be wrong with a task: changes that could mend it, the most probable first, and causes
// that follow from what was seen alone.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "build/build_submission.hpp"
#include "core/outcome.hpp"
#include "core/spec.hpp"
#include "judging/experiment.hpp"
#include "judging/symptoms.hpp"

namespace cugrade {

/// A cause that an experiment can prove.
struct Hypothesis {
    int rank = 0;  ///< the lowest first
    Change change;
    Cause cause;  ///< without proof and cases
};

/// Kernels with a loop that steps by the whole grid: a grid of any size does for them, and where
/// another one mends them, each thread takes too many elements, or the loop is wrong. In x alone.
[[nodiscard]] std::set<std::string> right_with_any_grid(
    std::span<const emulator::Intervention> possible);

/// What could be wrong, given what can be changed.
[[nodiscard]] std::vector<Hypothesis> hypotheses(const Symptoms&,
                                                 std::span<const emulator::Intervention> possible);

/// That a later call finds what an earlier one has left.
[[nodiscard]] Cause state_kept();

/// Inputs that may be read in another order than they have.
[[nodiscard]] std::vector<Hypothesis> hypotheses_of_order(const Symptoms&, const TaskSpec&);

/// Causes that findings, verdicts and messages suggest, without an experiment.
[[nodiscard]] std::vector<Cause> likely_causes(const Symptoms&, std::span<const SourceFile>);
/// What the emulated GPU knows of an address is no guess: whose memory it is, whether that had been
/// freed, and what it is a multiple of.
void prove_by_address(const Symptoms&, Cause&);

}  // namespace cugrade
