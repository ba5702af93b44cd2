// How a runner on a GPU gets the grader's memory, and what its answer to a call means.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/runner_connection.hpp"
#include "core/error.hpp"
#include "core/home.hpp"
#include "gpu/gpu_memory.hpp"
#include "gpu/gpus.hpp"

namespace cugrade {

/// Lets the runner map exactly these, and no others any more. `addresses` are the runner's; there
/// are none if the outcome is not `accepted`. If the runner cannot map them, that is an Error; with
/// `others_can`, the fault is its own and the outcome says so.
struct Attachment {
    CallOutcome outcome;
    std::vector<std::uint64_t> addresses;
};
[[nodiscard]] Result<Attachment> attach(RunnerConnection&, std::span<const ExportedMemory* const>,
                                        bool others_can = false);

/// Call after a failed call. If the wall clock ended the call, or nothing can end it, the GPU may
/// hang: a process that may hang with it tries the GPU first, before any other use. An Error: the
/// GPU does not answer.
[[nodiscard]] Status answers_after(const CallOutcome&, const Home&, const GpuInfo&);

/// What became of a call; `accepted` says nothing about the results.
[[nodiscard]] CallOutcome outcome_of(const RunnerConnection::Answer&);

}  // namespace cugrade
