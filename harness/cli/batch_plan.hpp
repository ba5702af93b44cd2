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

/// The submissions below `folder`, by assignment and student. One per .cu file or folder; with
/// `assignment`, or where `folder` itself belongs to one, they lie in it directly, else in one
/// folder per assignment. Hidden entries and other files are passed over. Errors: none is there, a
/// student has two, a folder is no assignment's.
[[nodiscard]] Result<std::vector<BatchItem>> plan_batch(
    const std::filesystem::path& folder, const std::vector<AssignmentSpec>& assignments,
    const AssignmentSpec* assignment);

}  // namespace cugrade::cli
