#include "studies/profile.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace cugrade {

namespace fs = std::filesystem;

Result<std::vector<TaskProfile>> profile(const Course& course, const AssignmentSpec& assignment,
                                         const fs::path& source, const GradeOptions& options,
                                         std::optional<int> case_id) {
    const Limits& limits = course.policy.assignments.at(assignment.id).limits;
    BuildTarget target;
    target.archs = {options.ptx_arch};
    auto built = build(course.home, course.toolchain,
                       {.source = source,
                        .assignment = &assignment,
                        .target = target,
                        .limits = limits,
                        .keeper = options.keeper,
                        .forbidden = course.policy.assignments.at(assignment.id).forbidden});
    if (!built) return built.error();
    if (built->failure)
        return Error{.kind = ErrorKind::submission,
                     .message = built->failure->message,
                     .remedy = "only what compiles can be profiled: see `cugrade check`"};
    const SessionOptions session{.home = &course.home,
                                 .executable = built->build->executable,
                                 .limits = limits,
                                 .ptx_arch = options.ptx_arch,
                                 .keeper = options.keeper};
    std::vector<TaskProfile> out;
    for (const TaskSpec& task : assignment.tasks) {
        if (!options.tasks.empty() &&
            std::ranges::find(options.tasks, task.name) == options.tasks.end())
            continue;
        auto one = profile_task(session, assignment, task, options, case_id);
        if (!one) return one.error();
        if (*one) out.push_back(std::move(**one));
    }
    if (out.empty())
        return Error{.kind = ErrorKind::submission,
                     .message = "the submission defines none of the functions to profile",
                     .file = source.string(),
                     .remedy = fmt::format("`cugrade list {}` shows the tasks", assignment.id)};
    return out;
}

}  // namespace cugrade
