// Why a case, or the speed of a task, was not judged. Points and programs ask `why`;
// report/not_judged makes the sentence of it.
#pragma once

#include <string>

namespace cugrade {

struct NotJudged {
    enum class Why {
        none,           ///< it was judged
        needs_gpu,      ///< there is none here
        no_timed_case,  ///< assignment.yaml has none for this task
        timing_off,     ///< the caller wanted no speed
        not_built_for_model,
        too_little_memory,  ///< on the GPU, for the data of one round
        disturbed,          ///< too few rounds count; `detail` says why
        other,              ///< `detail` says it all
    };
    Why why = Why::none;
    std::string detail = {};  ///< only told, never asked

    explicit operator bool() const { return why != Why::none; }
};

}  // namespace cugrade
