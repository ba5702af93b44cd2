// A case as it is graded: its data, made from its seed, and the right answer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend/grade_options.hpp"
#include "core/case_data.hpp"
#include "core/error.hpp"
#include "core/spec.hpp"

namespace cugrade {

using Outputs = std::map<std::string, Array, std::less<>>;  ///< by argument

/// Materialises a case (inputs, and zero-filled outputs) as the grader would.
[[nodiscard]] Result<CaseData> make_case(const AssignmentSpec&, const TaskSpec&, const CaseSpec&,
                                         const GradeOptions&);
/// A number below `below` that follows from the course's secret, the student and the task.
[[nodiscard]] std::uint64_t secret_number(const AssignmentSpec&, const TaskSpec&,
                                          const GradeOptions&, std::uint64_t below);
/// The oracle's answer. Errors: no oracle for this task; the oracle crashes, throws, hangs or
/// contradicts itself. The message names the case.
[[nodiscard]] Result<std::vector<Expected>> expected_answer(const AssignmentSpec&, const CaseData&);
/// Whether the task's oracle also judges outputs that have many right values.
[[nodiscard]] Result<bool> is_verified(const AssignmentSpec&, const TaskSpec&);
/// The message of such an oracle about wrong outputs; other oracles give nothing.
[[nodiscard]] Result<std::optional<std::string>> verify_outputs(const AssignmentSpec&,
                                                                const CaseData&, const Outputs&);
/// A case with its right answer.
struct AnsweredCase {
    CaseData data;
    std::vector<Expected> expected;
    bool verified = false;  ///< is_verified()
};
[[nodiscard]] Result<AnsweredCase> answered_case(const AssignmentSpec&, const TaskSpec&,
                                                 const CaseSpec&, const GradeOptions&);

}  // namespace cugrade
