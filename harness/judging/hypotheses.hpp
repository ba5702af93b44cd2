// What may be wrong with a task: changes that could mend it, the most probable first, and causes
// that follow from what was seen alone.
#pragma once

#include <optional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "build/build_submission.hpp"
#include "core/outcome.hpp"
#include "core/spec.hpp"
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
    /// What the checkers saw in a case whose outcome does not have it.
    struct Watched {
        const CaseOutcome* of;
        std::vector<CheckerFinding> findings;
    };
    std::optional<Watched> watched;

    /// Adds what the checkers saw in a case later.
    void add(int case_id, std::vector<CheckerFinding>);
    [[nodiscard]] const std::vector<CheckerFinding>& findings_of(const CaseOutcome&) const;
    /// How many cases' patterns of wrong elements suggest a cause.
    std::map<std::string, std::size_t, std::less<>> suggested;

    [[nodiscard]] bool has(std::string_view kind) const { return kinds.contains(kind); }
    [[nodiscard]] bool has(Verdict verdict) const { return verdicts.contains(verdict); }
    [[nodiscard]] bool is_at(const SourceLocation&) const;
    /// Whether so many patterns suggest that cause that it is no chance.
    [[nodiscard]] bool suggest(std::string_view id) const;

private:
    void add(const CheckerFinding&);
    void add(const std::optional<SourceLocation>&);
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

/// That a later call finds what an earlier one has left.
[[nodiscard]] Cause state_kept();

/// Inputs that may be read in another order than they have.
[[nodiscard]] std::vector<Hypothesis> hypotheses_of_order(const Symptoms&, const TaskSpec&);

/// Causes that findings, verdicts and messages suggest, without an experiment.
[[nodiscard]] std::vector<Cause> likely_causes(const Symptoms&, std::span<const SourceFile>);

}  // namespace cugrade
