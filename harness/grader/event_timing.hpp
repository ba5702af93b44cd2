// Times by a runner's own events: what the submission's process says of its calls, on one data set.
// For learning, and for what nobody is graded by; a submission that wants to can lie.
#pragma once

#include <vector>

#include "core/case_data.hpp"
#include "grader/task_runner.hpp"

namespace cugrade {

struct EventTimes {
    /// Of the calls, and of the outputs of the last one. Times are there if it is accepted.
    CallOutcome call;
    [[nodiscard]] bool accepted() const { return call.verdict == Verdict::accepted; }
};

/// Calls the task's function on `data` in this session: one probing call decides how many timed
/// ones fit into less than half a second. Buffers of earlier calls have to be cleared before.
[[nodiscard]] Result<EventTimes> time_by_events(Session&, const AssignmentSpec&, const TaskSpec&,
                                                const CaseData& data,
                                                const std::vector<Expected>& expected,
                                                const Limits&);

}  // namespace cugrade
