// Speed without a GPU: what kernels were counted to do, put into the time model.
#pragma once

#include <optional>

#include "core/outcome.hpp"
#include "emulator/model/time_model.hpp"
#include "grader/profile.hpp"

namespace cugrade {

/// A task counted on the cases of its `model`.
struct ModelCounts {
    model::Samples samples;
    /// What became of the calls: the first that failed or was wrong ends them, and then there are
    /// no samples.
    Verdict verdict = Verdict::accepted;
    std::string message;
};

/// Whether counts of an accepted call are kept for the next time: of the course's own programs.
enum class Cached { no, yes };

/// Of what was built for the emulated GPU, as compute_75. An Error is the harness's own.
[[nodiscard]] Result<ModelCounts> count_for_model(const SessionOptions&, const AssignmentSpec&,
                                                  const TaskSpec&, const GradeOptions&,
                                                  Cached = Cached::no);

/// As count_for_model, of one case with as many multiprocessors as the GPU in question has: what is
/// so small is not continued, but counted as it is there.
[[nodiscard]] Result<ModelCounts> count_one(const SessionOptions&, const AssignmentSpec&,
                                            const CaseData&, std::uint32_t multiprocessors, Cached);

/// As count_for_model, cached, of a program that has to be right: an Error too if it is not.
[[nodiscard]] Result<model::Samples> count_baseline(const SessionOptions&, const AssignmentSpec&,
                                                    const TaskSpec&, const GradeOptions&);

/// The speedup on the task's timed case.
[[nodiscard]] TimingOutcome modelled_speedup(const model::Device&, const TaskSpec&,
                                             const model::Samples& baseline,
                                             const model::Samples& submission);

}  // namespace cugrade
