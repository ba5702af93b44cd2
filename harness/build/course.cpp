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

namespace {

/// Reads the assignment in `folder` and puts it in the place of the installed one.
Status take_package(Course& course, const fs::path& folder) {
    std::error_code error;
    if (!fs::exists(folder / "assignment.yaml", error))
        return Error{.kind = ErrorKind::usage,
                     .message = "there is no assignment.yaml",
                     .file = folder.string(),
                     .remedy =
                         "name the assignment's folder in what `cugrade release` wrote, or "
                         "an installed assignment without a slash"};
    // Compilers run in other folders.
    course.package = fs::weakly_canonical(folder, error);
    auto assignment = config::load_assignment(course.package);
    if (!assignment) return assignment.error();
    const auto installed =
        std::ranges::find(course.assignments, assignment->id, &AssignmentSpec::id);
    if (installed == course.assignments.end())
        return Error{.kind = ErrorKind::usage,
                     .message = fmt::format("this cugrade has no assignment `{}`, so it does not "
                                            "know the right answers",
                                            assignment->id),
                     .file = (folder / "assignment.yaml").string(),
                     .remedy = "install the cugrade that the package was made with"};
    *installed = *std::move(assignment);
    return Done{};
}

}  // namespace

Result<Course> Course::load(const Home& home, const fs::path& policy_file,
                            const fs::path& package) {
    Course course{.home = home};
    auto toolchain = Toolchain::find();
    if (!toolchain) return toolchain.error();
    course.toolchain = std::move(*toolchain);
    auto assignments = config::load_assignments(home.share / "assignments", &course.left_out);
    if (!assignments) return assignments.error();
    course.assignments = std::move(*assignments);
    if (!package.empty())
        if (auto taken = take_package(course, package); !taken) return taken.error();
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
    if (!course.package.empty() && assignment.folder == course.package)
        return course.package / name;
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
