// Who may use a GPU: kernels of two processes share it, and one would be timed with the other's.
//
// A timing has the GPU alone; other work (copies, calls for correctness, opening a context) shares
// it. The locks are the kernel's (flock), so that they go with a killed process, too. A timing
// would never get its turn while others keep sharing; so who wants the lock first goes through a
// gate, the lock of a second file, and a timing that waits keeps the gate closed.
#pragma once

#include <string>

#include "core/error.hpp"

namespace cugrade {

/// Opens, or makes, a file that all users of this machine lock; below 0 with errno set on failure.
[[nodiscard]] int open_gpu_lock(const std::string& path);

/// Holds the GPU for this process until it goes.
class GpuTurn {
public:
    enum class Hold { exclusive, shared };
    /// Longer than any sane limit of a call times those who may stand before us in a queue.
    static constexpr double usual_patience_s = 1800;

    /// Waits for the GPU of this id (its UUID), at most `patience_s`. Errors: nobody gave it back
    /// in time, or a lock file, /tmp/cugrade-gpu-ID.{lock,gate}, cannot be opened. A process that
    /// holds it waits for itself.
    [[nodiscard]] static Result<GpuTurn> wait(const std::string& id, Hold = Hold::exclusive,
                                              double patience_s = usual_patience_s);
    GpuTurn(GpuTurn&& other) noexcept : file_(other.file_) { other.file_ = -1; }
    GpuTurn& operator=(GpuTurn&&) = delete;
    ~GpuTurn();

private:
    explicit GpuTurn(int file) : file_(file) {}
    int file_ = -1;
};

}  // namespace cugrade
