// Finds the submissions in a folder: the student and the assignment of each.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/spec.hpp"

namespace cugrade::cli {

struct BatchItem {
    std::string student;  ///< safe_name() of the folder or file
    const AssignmentSpec* assignment = nullptr;
    std::filesystem::path source;
    std::string problem = {};  ///< why it cannot be graded; empty if it can
};

struct BatchPlan {
    std::vector<BatchItem> items;          ///< by assignment and student
    std::vector<std::string> passed_over;  ///< entries passed over, and why: somebody may miss them
    std::vector<std::string> alike;        ///< students whose names a person may take for one
    std::vector<std::string> left_out;     ///< folders of assignments that are not graded, and why
    bool broken = false;                   ///< one of these has a wrong assignment.yaml
};

/// The submissions below `folder`, one per .cu file or folder. With `assignment`, or where `folder`
/// itself belongs to one, they lie in `folder` directly; otherwise in one folder per assignment.
/// Hidden entries are not looked at. The folder of an assignment that is left out is left out, too.
/// A student with two submissions is one item with a problem.
/// Errors: there is no submission, a folder belongs to no assignment.
[[nodiscard]] Result<BatchPlan> plan_batch(const std::filesystem::path& folder,
                                           const std::vector<AssignmentSpec>& assignments,
                                           const AssignmentSpec* assignment,
                                           const std::vector<LeftOut>& left_out = {});

}  // namespace cugrade::cli
