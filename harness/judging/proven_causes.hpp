// What experiments prove about a task that fails: the first change of the execution that mends it,
// or a probe that tells the failing cases from the others (experiment.hpp).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "judging/cause_places.hpp"
#include "judging/causes.hpp"

namespace cugrade {

/// Changes that would mend, and are no cause.
struct RuledOut {
    bool swapped_launch = false;  ///< a block is too large whatever the data are
    bool small_grid = false;      ///< all failing cases have an empty input
};

/// An experiment is about all cases that fail.
[[nodiscard]] std::vector<int> ids_of(const std::vector<const CaseOutcome*>& cases);
/// Results or addresses are wrong whatever the order of the threads: what a loop or an index says.
[[nodiscard]] bool is_wrong_in_order(const Symptoms&);

/// Adds to the symptoms what the checkers see where they have not watched yet.
[[nodiscard]] Result<std::optional<Cause>> proven_cause(const TaskRun&, const Laboratory&,
                                                        std::span<const SourceFile> source,
                                                        const CodeOfTask&, const TaskOutcome&,
                                                        const RuledOut&, Symptoms&);

}  // namespace cugrade
