#include "backend/backend.hpp"

#include <algorithm>
#include <array>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend/emulator/emulator_backend.hpp"
#include "backend/gpu/gpu_backend.hpp"
#include "core/utc.hpp"

namespace cugrade {

std::span<const BackendKind> backends() {
    static constexpr std::array kinds{
        BackendKind{"gpu", make_gpu_backend},
        BackendKind{emulator_name, make_emulator_backend},
    };
    return kinds;
}

std::vector<std::string> backend_names() {
    std::vector<std::string> names{"auto"};
    for (const BackendKind& kind : backends()) names.emplace_back(kind.name);
    return names;
}

Result<std::unique_ptr<Backend>> choose_backend(const GradeOptions& options) {
    std::string why;
    for (const BackendKind& kind : backends()) {
        if (options.backend == kind.name) return kind.make(options);
        if (options.backend != "auto") continue;
        auto made = kind.make(options);
        if (made) return made;
        why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", kind.name, made.error().message);
    }
    if (options.backend == "auto")
        return Error{.message = "no back end is available here: " + why,
                     .remedy = "run `cugrade doctor`"};
    return Error{.kind = ErrorKind::usage,
                 .message = fmt::format("there is no back end `{}`", options.backend),
                 .remedy = fmt::format("give one of {}", fmt::join(backend_names(), ", "))};
}

int threads_of_each(int chosen, int at_once) {
    if (chosen > 0) return chosen;
    return std::max(1,
                    static_cast<int>(std::thread::hardware_concurrency()) / std::max(at_once, 1));
}

Status Backend::with_device(const Home&, const std::function<Status(const GpuInfo&)>& use,
                            double*) const {
    return use({});
}

Result<std::vector<bool>> Backend::has_functions(const SessionOptions&,
                                                 std::span<const TaskSpec* const> tasks) const {
    return std::vector<bool>(tasks.size(), true);
}

Provenance provenance(const Course& course, const Backend& backend) {
    Provenance out{.backend = std::string(backend.name()),
                   .toolkit = course.toolchain.nvcc_version,
                   .cugrade_version = CUGRADE_VERSION,
                   .started = utc_now()};
    backend.describe(out);
    return out;
}

SessionOptions session_options(const Course& course, const Build& build, const Limits& limits,
                               const GradeOptions& options, int emulator_threads) {
    return {.home = &course.home,
            .executable = build.executable,
            .limits = limits,
            .ptx_arch = options.ptx_arch,
            .emulator_threads = emulator_threads,
            .keeper = options.keeper};
}

SessionOptions on(const GpuInfo& gpu, SessionOptions session) {
    session.device = gpu;
    return session;
}

}  // namespace cugrade
