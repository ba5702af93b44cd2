// Strict readers of assignment.yaml and grading.yaml: an unknown key, a wrong type or a missing
// value is an error with file, line, column, key and remedy.
#pragma once

#include <filesystem>
#include <vector>

#include "core/error.hpp"
#include "core/policy.hpp"
#include "core/spec.hpp"
#include "emulator/model/time_model.hpp"

namespace cugrade::config {

/// Reads <folder>/assignment.yaml: docs/adding-an-assignment.md. Lists of parameters are expanded
/// to one case each. Also checks that every case gives every parameter and source of data, that the
/// generators know their parameters, that files exist, and that the buffers of a case fit into 64
/// GiB.
[[nodiscard]] Result<AssignmentSpec> load_assignment(const std::filesystem::path& folder);
/// Every folder below `assignments` that has an assignment.yaml, by id. With `left_out`, broken
/// assignments go there, and only if all are broken is it an Error.
[[nodiscard]] Result<std::vector<AssignmentSpec>> load_assignments(
    const std::filesystem::path& assignments, std::vector<LeftOut>* left_out = nullptr);
/// Reads grading.yaml (docs/grading-policy.md) and checks it against the assignments there are:
/// every name in it must exist, and tasks without an entry are not graded. Entries of a broken
/// assignment, which was left out, are not checked.
[[nodiscard]] Result<GradingPolicy> load_policy(const std::filesystem::path& file,
                                                const std::vector<AssignmentSpec>& assignments,
                                                const std::vector<LeftOut>& left_out = {});
/// Removes from `assignments` all that the policy does not name: tasks go into `ungraded_tasks` of
/// their assignment, assignments into `left_out`.
void leave_out_ungraded(const GradingPolicy&, std::vector<AssignmentSpec>& assignments,
                        std::vector<LeftOut>& left_out);

/// Reads a device profile, <folder>/<id>.yaml. Errors: no such profile (the message lists the
/// existing ones), or a mistake in it.
[[nodiscard]] Result<model::Device> load_device(const std::filesystem::path& folder,
                                                const std::string& id);

}  // namespace cugrade::config
