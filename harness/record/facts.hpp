// What scoring needs of an outcome beside what a report shows: exact numbers, and counters that the
// policy of that day did not limit. They were counted on secret data, so students do not get them.
#pragma once

#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/policy.hpp"
#include "core/report.hpp"
#include "core/spec.hpp"

namespace cugrade::record {

/// As JSON. Of a report as grade() returns it under this policy, before it is rounded for its
/// readers.
[[nodiscard]] std::string facts_of(const Report&, const AssignmentSpec&, const AssignmentPolicy&);

/// Computes the points of a report anew under a policy, which runs nothing: it is what grading
/// would give under this policy, with the same outcomes. `facts` are those of the report. The seal
/// is gone. Errors: the outcomes are not known, so that the submission has to be graded under this
/// policy; the message says why.
[[nodiscard]] Result<Report> rescored(Report, std::string_view facts, const AssignmentSpec&,
                                      const GradingPolicy&);

/// A digest of what a policy says about how submissions of an assignment run, and not about what
/// their outcomes are worth: limits, what is forbidden, the GPU that speed is modelled on.
[[nodiscard]] std::string run_rules(const GradingPolicy&, const AssignmentSpec&);

}  // namespace cugrade::record
