// What a task's causes explain, for all formats alike.
#pragma once

#include <string>
#include <vector>

#include "core/outcome.hpp"

namespace cugrade::report {

/// The first of the task's causes that explains the case, which then needs no telling beside it;
/// null: none does.
[[nodiscard]] const Cause* cause_of(const TaskOutcome&, const CaseOutcome&);
/// Whether a finding of a case needs no telling, because a cause of the case explains it.
[[nodiscard]] bool is_explained(const TaskOutcome&, const CaseOutcome&, const CheckerFinding&);
/// The first cause, and each of the others that explains further cases.
[[nodiscard]] std::vector<const Cause*> told_causes(const TaskOutcome&);

/// Equal but for the cases that they explain, as when nothing compiles.
[[nodiscard]] bool same_causes(const std::vector<Cause>&, const std::vector<Cause>&);

/// "student.cu:15:9 and student.cu:12:5", as far as the places are known.
[[nodiscard]] std::string places_of(const Cause&);
/// How sure the cause is, and why; which cases it explains, if that is not all that failed.
[[nodiscard]] std::string how_sure(const Cause&, const TaskOutcome&);

/// The sentence and the advice, and whether they are a guess.
[[nodiscard]] std::string text_of(const Cause&);

}  // namespace cugrade::report
