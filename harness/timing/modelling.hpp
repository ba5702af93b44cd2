// Speed without a GPU: the time model applied to the kernels' counts.
#pragma once

#include <optional>

#include "backend/grade_options.hpp"
#include "backend/session.hpp"
#include "core/case_data.hpp"
#include "core/outcome.hpp"
#include "emulator/model/time_model.hpp"
#include "judging/case_store.hpp"

namespace cugrade {

/// A task counted on the cases of its `model`.
struct ModelCounts {
    model::Samples samples;
    /// The outcome of the calls. The first that fails or is wrong ends them, and then there are no
    /// samples.
    Verdict verdict = Verdict::accepted;
    std::string message;
    /// Counted at a size between those of `samples`, which only the course knows; of a submission.
    std::optional<model::Sample> between;
    std::optional<HostWork> host_work;  ///< of the largest of them: the model knows kernels only
};

/// Whether counts of an accepted call are kept for the next time: of the course's own programs.
enum class Cached { no, yes };

/// Counts a program built for the emulated GPU, as compute_75. An Error is the harness's own.
[[nodiscard]] Result<ModelCounts> count_for_model(const SessionOptions&, CaseStore& of_task,
                                                  Cached = Cached::no);

/// As count_for_model, for one case with as many multiprocessors as the modelled GPU has: a case
/// this small is counted at full size, not extrapolated.
[[nodiscard]] Result<ModelCounts> count_one(const SessionOptions&, const AssignmentSpec&, MadeCase&,
                                            std::uint32_t multiprocessors, Cached);

/// As count_for_model, cached, for a program of the course: a wrong result is an Error too.
[[nodiscard]] Result<model::Samples> count_baseline(const SessionOptions&, CaseStore& of_task);

/// Why the counts of a submission are not believed on the timed case, in one sentence; nothing if
/// they are.
[[nodiscard]] std::optional<std::string> doubt_of(const model::Device&, const TaskSpec&,
                                                  const ModelCounts& submission);

/// The shortest time of the timed case: that which memory takes for what the task has to move.
[[nodiscard]] double least_us(const model::Device&, const TaskSpec&);

/// The speedup on the task's timed case. Counts that do not grow as the data do are continued
/// cautiously, and no time is shorter than memory takes to move what the task has to move.
[[nodiscard]] TimingOutcome modelled_speedup(const model::Device&, const TaskSpec&,
                                             const model::Samples& baseline,
                                             const ModelCounts& submission);

}  // namespace cugrade
