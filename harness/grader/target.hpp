// Which device a submission runs on, what it is compiled for, and how to get the device for
// oneself.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/provenance.hpp"
#include "grader/gpu_seat.hpp"
#include "grader/gpus.hpp"
#include "grader/pipeline.hpp"
#include "grader/session.hpp"

namespace cugrade {

struct Target {
    bool on_gpu = false;
    GpuList gpus;
    BuildTarget build;
};
[[nodiscard]] Result<Target> choose_target(const GradeOptions&);
/// What is about to start. The device is the first GPU; without one the caller names it, because
/// who grades means the emulated GPU and who models times the one that they are of.
[[nodiscard]] Provenance provenance(const Course&, const Target&);

[[nodiscard]] SessionOptions session_options(const Course&, const Build&, const Limits&,
                                             const GradeOptions&, int emulator_threads = 1);
/// The same on this GPU.
[[nodiscard]] SessionOptions on(const GpuInfo&, SessionOptions);

/// reference/<id>/<name> of the course.
[[nodiscard]] std::filesystem::path reference_file(const Course&, const AssignmentSpec&,
                                                   const char* name);
/// The baseline, or the solution: programs of the course's own.
[[nodiscard]] Result<Build> build_reference(const Course&, const AssignmentSpec&, const Limits&,
                                            const BuildTarget&, const char* name = "baseline.cu");

/// Longer than all tasks take that others may grade on all GPUs before it is our turn.
inline constexpr double seat_patience_s = 3600;

/// A place among those who have the data of a task in memory (up to 1 GiB) and wait for a GPU, or
/// have one. There are enough of these that no GPU waits for data, and not so many that those of a
/// large batch fill the memory. Who is to be timed goes before those whose cases are to run: so
/// submissions of a batch are done one after the other, and not all at its end, and no GPU waits
/// while data is made for cases alone, which need it for a short time.
class WaitingPlace {
public:
    enum class For { cases, timing };
    WaitingPlace(const Target&, For);
    WaitingPlace(const WaitingPlace&) = delete;
    ~WaitingPlace();
};

/// Calls f(gpu) with a GPU that nobody else grades on meanwhile: whichever is free first. How long
/// that takes, without waiting for one, is added to `held_s`.
template <class F>
auto on_free_gpu(const Course& course, const Target& target, F&& f, double* held_s = nullptr)
    -> decltype(f(target.gpus.used.front())) {
    std::vector<std::string> ids;
    for (const GpuInfo& gpu : target.gpus.used) ids.push_back(gpu.id);
    auto seat = GpuSeat::wait(ids, seat_patience_s, [&](std::size_t i) {
        return probe_gpu(course.home, target.gpus.used[i]);
    });
    if (!seat) return seat.error();
    const auto start = Clock::now();
    auto result = f(target.gpus.used[seat->index()]);
    if (held_s != nullptr) *held_s += seconds_since(start);
    if (!result) seat->doubt();
    return result;
}

}  // namespace cugrade
