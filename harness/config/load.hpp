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
/// to one case each. Checked as well: every case gives every parameter and source of data, the
/// generators know their parameters, files exist, the buffers of a case stay within 64 GiB.
[[nodiscard]] Result<AssignmentSpec> load_assignment(const std::filesystem::path& folder);
/// Every folder below `assignments` that has an assignment.yaml, by id.
[[nodiscard]] Result<std::vector<AssignmentSpec>> load_assignments(
    const std::filesystem::path& assignments);
/// Reads grading.yaml (docs/grading-policy.md) and checks it against all the assignments there are:
/// every task has points, no assignment and no task is unknown.
[[nodiscard]] Result<GradingPolicy> load_policy(const std::filesystem::path& file,
                                                const std::vector<AssignmentSpec>& assignments);

/// Reads a device profile, <folder>/<id>.yaml. Errors: there is no such profile (which are there is
/// told), and what is wrong in it.
[[nodiscard]] Result<model::Device> load_device(const std::filesystem::path& folder,
                                                const std::string& id);

}  // namespace cugrade::config
