#include "grader/target.hpp"

#include <condition_variable>
#include <ctime>
#include <mutex>
#include <set>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace cugrade {

namespace fs = std::filesystem;

namespace {

struct Places {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t taken = 0;
    std::size_t timings_waiting = 0;
};
Places& places() {
    static Places all;
    return all;
}

}  // namespace

WaitingPlace::WaitingPlace(const Target& target, For what) {
    // While one task has the GPU, data is made for the next and what the last one left is judged.
    const std::size_t all = 3 * target.gpus.used.size();
    const bool timing = what == For::timing;
    std::unique_lock lock(places().mutex);
    if (timing) ++places().timings_waiting;
    places().changed.wait(
        lock, [&] { return places().taken < all && (timing || places().timings_waiting == 0); });
    if (timing) --places().timings_waiting;
    ++places().taken;
    places().changed.notify_all();  // there may be another place, which no timing waits for now
}
WaitingPlace::~WaitingPlace() {
    const std::lock_guard lock(places().mutex);
    --places().taken;
    places().changed.notify_all();
}

Result<Target> choose_target(const GradeOptions& options) {
    Target target;
    std::set<int> archs(options.also_build.begin(), options.also_build.end());
    archs.insert(options.ptx_arch);
    target.build.archs.assign(archs.begin(), archs.end());
    if (options.backend == Backend::emulator) return target;
    auto gpus = find_gpus();
    if (!gpus) {
        if (options.backend == Backend::gpu) return gpus.error();
        return target;
    }
    target.on_gpu = true;
    target.gpus = std::move(*gpus);
    target.build = {.backend = BuildTarget::Backend::gpu, .archs = {target.gpus.used.front().arch}};
    return target;
}

Provenance provenance(const Course& course, const Target& target) {
    const GpuInfo* gpu = target.on_gpu ? &target.gpus.used.front() : nullptr;
    return {.backend = gpu != nullptr ? "gpu" : "emulator",
            .device = gpu != nullptr ? gpu->name : "",
            .driver = gpu != nullptr ? gpu->driver : "",
            .toolkit = course.toolchain.nvcc_version,
            .cugrade_version = CUGRADE_VERSION,
            .started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))};
}

SessionOptions session_options(const Course& course, const Build& build, const Limits& limits,
                               const GradeOptions& options, int emulator_threads) {
    return {.home = &course.home,
            .executable = build.executable,
            .limits = limits,
            .ptx_arch = options.ptx_arch,
            .emulator_threads = emulator_threads};
}

SessionOptions on(const GpuInfo& gpu, SessionOptions session) {
    session.device = gpu;
    return session;
}

fs::path reference_file(const Course& course, const AssignmentSpec& assignment, const char* name) {
    return course.home.share / "reference" / assignment.id / name;
}

Result<Build> build_reference(const Course& course, const AssignmentSpec& assignment,
                              const Limits& limits, const BuildTarget& target, const char* name) {
    auto built = build(course.home, course.toolchain,
                       {.source = reference_file(course, assignment, name),
                        .assignment = &assignment,
                        .target = target,
                        .limits = limits});
    if (!built) return built.error();
    if (!built->build)
        return Error{.message = fmt::format("{} of {} does not compile: {}", name, assignment.id,
                                            built->failure->message)};
    return std::move(*built->build);
}

}  // namespace cugrade
