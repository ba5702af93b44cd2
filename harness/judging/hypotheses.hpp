// What may be wrong with a task: changes that could mend it, the most probable first, and causes
// that follow from what was seen alone.
#pragma once

#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "build/build_submission.hpp"
#include "core/outcome.hpp"
#include "judging/experiment.hpp"

namespace cugrade {

/// What the cases of a task have shown.
struct Symptoms {
    explicit Symptoms(const TaskOutcome&);

    std::set<std::string, std::less<>> kinds;  ///< of findings
    std::set<Verdict> verdicts;
    /// (file, line) of findings and faults, and of their second places.
    std::set<std::pair<std::string, int>> places;
    std::vector<const CaseOutcome*> failing;

    [[nodiscard]] bool has(std::string_view kind) const { return kinds.contains(kind); }
    [[nodiscard]] bool has(Verdict verdict) const { return verdicts.contains(verdict); }
    [[nodiscard]] bool is_at(const SourceLocation&) const;
};

/// A cause that an experiment can prove.
struct Hypothesis {
    int rank = 0;  ///< the lowest first
    Change change;
    Cause cause;  ///< without proof and cases
};

/// What could be wrong, given what can be changed.
[[nodiscard]] std::vector<Hypothesis> hypotheses(const Symptoms&,
                                                 std::span<const emulator::Intervention> possible);

/// Causes that findings, verdicts and messages suggest, without an experiment.
[[nodiscard]] std::vector<Cause> likely_causes(const Symptoms&, std::span<const SourceFile>);

}  // namespace cugrade
