// One grading process at a time on a GPU: kernels of two would share it, and time each other.
#pragma once

#include <string>

#include "core/error.hpp"

namespace cugrade {

/// Opens, or makes, a file that all users of this machine lock; below 0 with errno set on failure.
[[nodiscard]] int open_gpu_lock(const std::string& path);

/// Holds the GPU for this process until it goes. The lock is the kernel's (flock), so it goes with
/// a killed process, too.
class GpuTurn {
public:
    /// Waits for the GPU of this id (its UUID), at most `patience_s`. Errors: nobody gave it back
    /// in time, or the lock file, /tmp/cugrade-gpu-ID.lock, cannot be opened.
    [[nodiscard]] static Result<GpuTurn> wait(const std::string& id, double patience_s);
    GpuTurn(GpuTurn&& other) noexcept : file_(other.file_) { other.file_ = -1; }
    GpuTurn& operator=(GpuTurn&&) = delete;
    ~GpuTurn();

private:
    explicit GpuTurn(int file) : file_(file) {}
    int file_ = -1;
};

}  // namespace cugrade
