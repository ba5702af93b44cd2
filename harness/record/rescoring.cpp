#include "record/rescoring.hpp"

#include <algorithm>
#include <utility>

#include "core/files.hpp"
#include "core/rounding.hpp"
#include "core/utc.hpp"
#include "datasets/seeds.hpp"
#include "record/facts.hpp"
#include "record/inputs.hpp"
#include "report/formats.hpp"

namespace cugrade::record {
namespace {

Result<Report> report_of(const Standing& standing, const Course& course) {
    const Grading& then = standing.grading;
    const auto differ = [](const char* what) {
        return Error{.kind = ErrorKind::usage, .message = what};
    };
    const auto of = std::ranges::find(course.assignments, then.assignment, &AssignmentSpec::id);
    if (of == course.assignments.end()) return differ("the policy does not grade it");
    const auto file = read_file(of->folder / "assignment.yaml");
    if (!file) return file.error();
    if (value_in(then.inputs, "assignment") != datasets::sha256(*file))
        return differ("its assignment.yaml is another one now");
    if (value_in(then.inputs, "rules") != run_rules(course.policy, *of))
        return differ(
            "the policy has other limits, rules on source or modelled GPU, under "
            "which it has not run");
    const bool all_tasks = value_in(then.inputs, "task").empty();
    for (const TaskSpec& task : of->tasks)
        if (all_tasks && std::ranges::find(standing.report->tasks, task.name, &TaskReport::name) ==
                             standing.report->tasks.end())
            return differ("the policy has a task that was not graded");
    return rescored(*standing.report, then.facts, *of, course.policy);
}

}  // namespace

Result<Standing> rescored(const Standing& standing, const Course& course,
                          const report::Sealer& sealer) {
    auto report = report_of(standing, course);
    if (!report) return report.error();
    Standing out{.grading = standing.grading, .report = report::sealed(*std::move(report), sealer)};
    out.grading.inputs = with_value(out.grading.inputs, "policy", course.policy.sha256);
    out.grading.graded_at = utc_now();
    out.grading.report = report::write_json(*out.report, {});
    return out;
}

Rules rules_of(const Course& course, const AssignmentSpec& assignment, std::string_view inputs) {
    const AssignmentPolicy& policy = course.policy.assignments.at(assignment.id);
    const std::string rules = rules_in(inputs);
    const auto is_named = [&](const auto& task) {
        return rules.find("\ntask " + task.first + "\n") != std::string::npos;
    };
    // A batch of some tasks names none of an assignment that it does not grade.
    const bool all_tasks = std::ranges::none_of(policy.tasks, is_named);
    double possible = 0;
    for (const auto& task : policy.tasks)
        if (all_tasks || is_named(task)) possible += task.second.points();
    return {.assignment = assignment.id,
            .title = assignment.title,
            .possible = hundredths(possible),
            .hand_ins = policy,
            .inputs = rules};
}

}  // namespace cugrade::record
