// A course: its assignments, its grading policy, and the compilers that build submissions.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "build/build.hpp"
#include "core/error.hpp"
#include "core/home.hpp"
#include "core/policy.hpp"
#include "core/spec.hpp"
#include "emulator/model/time_model.hpp"

namespace cugrade {

/// Everything that stays the same between submissions.
struct Course {
    Home home;
    /// The folder of an assignment that `cugrade release` wrote; empty: all are the installed ones.
    std::filesystem::path package;
    Toolchain toolchain;
    std::vector<AssignmentSpec> assignments;  ///< the graded assignments, with their graded tasks
    std::vector<LeftOut> left_out;            ///< the others
    GradingPolicy policy;
    std::optional<model::Device> modelled_on;  ///< where there is no GPU
    [[nodiscard]] const AssignmentSpec* find(std::string_view id) const;
    /// With `package`, that folder's assignment takes the place of the installed one of the same id.
    [[nodiscard]] static Result<Course> load(const Home&,
                                             const std::filesystem::path& policy_file = {},
                                             const std::filesystem::path& package = {});
};

/// reference/<id>/<name> of the course; a released assignment has its baseline in its own folder.
[[nodiscard]] std::filesystem::path reference_file(const Course&, const AssignmentSpec&,
                                                   const char* name);
/// The baseline, or the solution: programs of the course's own.
[[nodiscard]] Result<Build> build_reference(const Course&, const AssignmentSpec&, const Limits&,
                                            const BuildTarget&, const char* name = "baseline.cu");

}  // namespace cugrade
