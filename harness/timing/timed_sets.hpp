// The data of timed calls, on the host. Kernels of the grader make it on the GPU, from the data of
// the timed case and numbers from the operating system (device/sets.hpp); here one set is made
// again by the same code, so that the oracle can judge what was left of it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/case_data.hpp"
#include "judging/task_runner.hpp"

namespace cugrade {

/// A buffer argument. Inputs with the same first dimension are columns of one table.
struct TableColumn {
    const ArgumentSpec* spec = nullptr;
    const Array* data = nullptr;
    std::size_t table = 0;                  ///< its number; inputs and inout
    std::uint64_t rows = 0, row_bytes = 0;  ///< none for outputs, and where there is no data
};
/// One per buffer argument, in order. They point into `task` and `data`.
[[nodiscard]] std::vector<TableColumn> table_columns(const TaskSpec& task, const CaseData& data);

/// The results of one call of a round.
struct TimedSet {
    std::uint64_t round = 0;  ///< secret that the sets were made from
    std::uint32_t set = 0;
    std::uint32_t call = 0;    ///< its number, by which its outputs lie in memory
    std::uint64_t poison = 0;  ///< secret that all outputs were filled from before
    Outputs outputs;
};
/// `accepted`, or what is wrong with it by the oracle's answer to the set's own data. `base`: of
/// the timed case.
[[nodiscard]] Result<CallOutcome> judge_set(const AssignmentSpec&, const CaseData& base,
                                            const TimedSet&);

}  // namespace cugrade
