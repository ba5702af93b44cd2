// How long programs take for one task, over sizes: for learning, never for marks.
//
// On a GPU every program but the oracle has a runner of its own, whose events time it; the outputs
// of its last call are compared with the oracle's answer, and a time counts only if they are right.
// Without a GPU the time model estimates a GPU's time: each program is counted, and its outputs
// compared, on the two cases of the task's `model`, and the counts are extrapolated to each size.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "backend/grade_options.hpp"
#include "build/course.hpp"
#include "core/sweep.hpp"

namespace cugrade {

struct SweepRequest {
    const AssignmentSpec* assignment = nullptr;
    const TaskSpec* task = nullptr;
    std::vector<std::filesystem::path> submissions;
    std::vector<std::uint64_t> sizes;
    GradeOptions options;
    std::string command;
    /// Before the first size, and with the number of sizes that are done after each.
    std::function<void(const Sweep&, std::size_t done)> after_size = {};
};

/// Errors: of usage for a submission that does not compile or lacks the function, or where there is
/// no GPU and `options` do not ask for the emulated one.
[[nodiscard]] Result<Sweep> sweep(const Course&, const SweepRequest&);

}  // namespace cugrade
