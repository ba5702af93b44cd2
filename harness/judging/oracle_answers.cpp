// The answers of the course's oracles. A failure there is the course author's error, so its message
// names the case to try.
#include <fmt/format.h>

#include "judging/case.hpp"
#include "judging/task_runner.hpp"
#include "oracle/oracles.hpp"

namespace cugrade {
namespace {

/// An oracle's `error` continues the words "the oracle of x/y".
Error located(const AssignmentSpec& assignment, const CaseData& data, Error error) {
    if (error.kind != ErrorKind::configuration) return error;
    const std::string task = fmt::format("{}/{}", assignment.id, data.task->name);
    return {.kind = ErrorKind::configuration,
            .message = fmt::format("the oracle of {} {}, for case {} ({})", task, error.message,
                                   data.spec->id, describe(*data.task, *data.spec)),
            .file = fmt::format("reference/{}/oracle.cpp", assignment.id),
            .remedy = fmt::format("mend it; `cugrade data {} --case {}` asks it alone", task,
                                  data.spec->id)};
}

Error missing(const AssignmentSpec& assignment, const TaskSpec& task) {
    return {.kind = ErrorKind::configuration,
            .message = fmt::format("there is no oracle for {}/{}", assignment.id, task.name),
            .file = fmt::format("reference/{}/oracle.cpp", assignment.id),
            .remedy = "add the task to the table that the oracle's function returns, and build"};
}

}  // namespace

Result<bool> is_verified(const AssignmentSpec& assignment, const TaskSpec& task) {
    auto oracles = oracle::Oracles::here();
    if (!oracles) return oracles.error();
    auto verifies = (*oracles)->verifies(assignment.id, task.name);
    if (!verifies) return verifies.error();
    if (!*verifies) return missing(assignment, task);
    return **verifies;
}

Result<std::vector<Expected>> expected_answer(const AssignmentSpec& assignment,
                                              const CaseData& data) {
    if (auto there = is_verified(assignment, *data.task); !there) return there.error();
    auto expected = (*oracle::Oracles::here())->expected(assignment.id, data);
    if (!expected) return located(assignment, data, expected.error());
    return expected;
}

Result<std::optional<std::string>> verify_outputs(const AssignmentSpec& assignment,
                                                  const CaseData& data, const Outputs& outputs) {
    auto verified = is_verified(assignment, *data.task);
    if (!verified) return verified.error();
    if (!*verified) return std::optional<std::string>();
    auto wrong = (*oracle::Oracles::here())->verify(assignment.id, data, outputs);
    if (!wrong) return located(assignment, data, wrong.error());
    return wrong;
}

}  // namespace cugrade
