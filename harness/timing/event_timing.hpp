// Times by a runner's own events, as the submission's process claims them, on one data set. For
// learning only, never for grading: a submission can lie.
#pragma once

#include <vector>

#include "core/case_data.hpp"
#include "judging/task_runner.hpp"

namespace cugrade {

struct EventTimes {
    /// The verdict on the calls and on the last one's outputs. Times exist if it is accepted.
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
