// Whose submissions lie in a folder, and to which assignment each belongs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/spec.hpp"

namespace cugrade::cli {

struct BatchItem {
    std::string student;  ///< the name of the folder or file
    const AssignmentSpec* assignment = nullptr;
    std::filesystem::path source;
};

struct BatchPlan {
    std::vector<BatchItem> items;          ///< by assignment and student
    std::vector<std::string> passed_over;  ///< what is no submission, and why: somebody may miss it
};

/// The submissions below `folder`. One per .cu file or folder; with `assignment`, or where `folder`
/// itself belongs to one, they lie in it directly, else in one folder per assignment. Hidden
/// entries are not looked at. Errors: none is there, a student has two, a folder is no
/// assignment's.
[[nodiscard]] Result<BatchPlan> plan_batch(const std::filesystem::path& folder,
                                           const std::vector<AssignmentSpec>& assignments,
                                           const AssignmentSpec* assignment);

}  // namespace cugrade::cli
