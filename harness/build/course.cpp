#include "build/course.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "config/load.hpp"

namespace cugrade {

namespace fs = std::filesystem;

const AssignmentSpec* Course::find(std::string_view id) const {
    const auto found = std::ranges::find(assignments, id, &AssignmentSpec::id);
    return found == assignments.end() ? nullptr : &*found;
}

Result<Course> Course::load(const Home& home, const fs::path& policy_file) {
    Course course{.home = home};
    auto toolchain = Toolchain::find();
    if (!toolchain) return toolchain.error();
    course.toolchain = std::move(*toolchain);
    auto assignments = config::load_assignments(home.share / "assignments", &course.left_out);
    if (!assignments) return assignments.error();
    course.assignments = std::move(*assignments);
    auto policy =
        config::load_policy(policy_file.empty() ? home.share / "grading.yaml" : policy_file,
                            course.assignments, course.left_out);
    if (!policy) return policy.error();
    course.policy = std::move(*policy);
    config::leave_out_ungraded(course.policy, course.assignments, course.left_out);
    if (!course.policy.modelled_on.empty()) {
        auto device = config::load_device(home.share / "devices", course.policy.modelled_on);
        if (!device) return device.error();
        course.modelled_on = std::move(*device);
    }
    return course;
}

fs::path reference_file(const Course& course, const AssignmentSpec& assignment, const char* name) {
    return course.home.share / "reference" / assignment.id / name;
}

Result<Build> build_reference(const Course& course, const AssignmentSpec& assignment,
                              const Limits& limits, const BuildTarget& target, const char* name) {
    auto built = build(course.home, course.toolchain,
                       {.source = reference_file(course, assignment, name),
                        .assignment = &assignment,
                        .target = target,
                        .limits = limits});
    if (!built) return built.error();
    if (!built->build)
        return Error{.message = fmt::format("{} of {} does not compile: {}", name, assignment.id,
                                            built->failure->message)};
    return std::move(*built->build);
}

}  // namespace cugrade
