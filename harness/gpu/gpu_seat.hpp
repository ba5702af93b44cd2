// Several GPUs, and several tasks to grade: each task gets one of them for as long as it needs it.
//
// A seat is an exclusive flock on a file per GPU, /tmp/cugrade-gpu-ID.seat, so grading processes of
// everybody on the machine share the GPUs, and the kernel gives back the seat of a process that was
// killed. Who waits takes whichever GPU is free first; the threads of one process wait in a queue,
// the first alone trying, so that none of many is passed over for ever.
//
// The holder of a seat writes a mark into the file and removes it when it leaves normally. A mark
// found there means that a grading was killed or failed, perhaps because the GPU hangs. Then the
// GPU is probed first, and this process no longer uses one that does not answer.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace cugrade {

class GpuSeat {
public:
    /// Does the GPU of this index in `ids` answer?
    using Probe = std::function<Status(std::size_t)>;

    /// Waits for one of the GPUs with these ids (UUIDs). `patience_s` begins when those of this
    /// process who came before have their seats. Errors: nobody left in time; no GPU answers; a
    /// file cannot be opened.
    [[nodiscard]] static Result<GpuSeat> wait(const std::vector<std::string>& ids,
                                              double patience_s, const Probe&);
    GpuSeat(GpuSeat&&) noexcept;
    GpuSeat& operator=(GpuSeat&&) = delete;
    ~GpuSeat();

    [[nodiscard]] std::size_t index() const { return index_; }  ///< in `ids`
    /// Something went wrong that may be the GPU's: whoever comes next is to probe it.
    void doubt() { in_doubt_ = true; }

    /// Which GPUs this process no longer uses and why, one sentence each.
    [[nodiscard]] static std::vector<std::string> left_alone();

private:
    GpuSeat(std::size_t index, int file) : index_(index), file_(file) {}
    std::size_t index_ = 0;
    int file_ = -1;
    bool in_doubt_ = false;
};

}  // namespace cugrade
