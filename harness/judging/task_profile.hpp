// What a submission's kernels do on one case, counted by the emulated GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/session.hpp"
#include "emulator/counts/counts.hpp"
#include "judging/case_store.hpp"
#include "judging/task_runner.hpp"

namespace cugrade {

struct TaskProfile {
    std::string task;
    int case_id = 0;
    std::string description;     ///< "n=1025 in=uniform"
    std::uint64_t elements = 0;  ///< of the largest argument: what counts are divided by
    std::uint64_t outputs = 0;   ///< elements of all output arguments together
    std::uint64_t output_element_bytes = 0;  ///< of the first output
    CallOutcome call;  ///< how the function ended; counts are there all the same
    emulator::DeviceCounts counts;  ///< files as the student knows them
    Judgement judgement;  ///< of the outputs, where they were counted for timing or on secret data
};

/// Runs one task of a submission that was built for the emulated GPU on one case; nothing if it
/// does not define the function.
[[nodiscard]] Result<std::optional<TaskProfile>> profile_case(const SessionOptions&,
                                                              const AssignmentSpec&, MadeCase&,
                                                              Session::Counting);

/// One task of a submission that was built for the emulated GPU; nothing if it does not define the
/// function.
[[nodiscard]] Result<std::optional<TaskProfile>> profile_task(const SessionOptions&,
                                                              const AssignmentSpec&,
                                                              const TaskSpec&, const GradeOptions&,
                                                              std::optional<int> case_id);

}  // namespace cugrade
