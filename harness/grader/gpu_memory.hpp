// What sessions and timings on a GPU have in common: memory that the grader owns and runners
// import, and what a runner's answer means.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "core/error.hpp"
#include "grader/runner_connection.hpp"

namespace cugrade {

[[nodiscard]] Error cuda_failure(const char* what, cudaError_t error);

/// Returns an Error from the function if the call of the CUDA runtime fails.
#define CUGRADE_TRY(call)                                                      \
    do {                                                                       \
        const cudaError_t try_error_ = (call);                                 \
        if (try_error_ != cudaSuccess) return cuda_failure(#call, try_error_); \
    } while (false)

/// The same for a function that returns a Status.
#define CUGRADE_TRY_STATUS(call)                                                 \
    do {                                                                         \
        if (auto try_status_ = (call); !try_status_) return try_status_.error(); \
    } while (false)

/// A memory pool on the GPU that a runner imports by its file descriptor. Whoever has the
/// descriptor can reach all of the pool, so what one runner may not see is in another pool.
class ExportedPool {
public:
    [[nodiscard]] static Result<std::unique_ptr<ExportedPool>> create(int device);
    /// Runners have let go of the memory before.
    ~ExportedPool();

    [[nodiscard]] int fd() const { return fd_; }
    [[nodiscard]] Result<void*> allocate(std::size_t bytes);
    /// Frees all that was allocated.
    [[nodiscard]] Status clear();

private:
    ExportedPool() = default;
    cudaMemPool_t pool_ = nullptr;
    int fd_ = -1;
    std::vector<void*> allocations_;
};

/// One allocation for a runner to import, from the pool with this index of its descriptors.
struct ExportedBuffer {
    void* address = nullptr;
    std::uint32_t pool = 0;
};
/// Lets the runner import exactly these, and no others any more. `addresses` are the runner's;
/// there are none if the outcome is not `accepted`.
struct Attachment {
    CallOutcome outcome;
    std::vector<std::uint64_t> addresses;
};
[[nodiscard]] Result<Attachment> attach(RunnerConnection&, std::span<const ExportedBuffer>,
                                        double wall_s);

/// A call has failed. Where the wall clock ended it, or nothing can, the GPU may be what hung: then
/// nothing else is asked of it before it has answered a process that may hang with it. An Error: it
/// does not.
[[nodiscard]] Status answers_after(const CallOutcome&, const Home&, const GpuInfo&);

/// What became of a call; `accepted` says nothing about the results.
[[nodiscard]] CallOutcome outcome_of(const RunnerConnection::Answer&);

}  // namespace cugrade
