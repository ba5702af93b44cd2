#include "backend/gpu/gpu_backend.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "backend/gpu/gpu_session.hpp"
#include "backend/gpu/waiting_place.hpp"
#include "core/clock.hpp"
#include "gpu/gpu_seat.hpp"

namespace cugrade {
namespace {

/// Longer than all tasks take that others may grade on all GPUs before it is our turn.
constexpr double seat_patience_s = 3600;

class GpuBackend final : public Backend {
public:
    explicit GpuBackend(GpuList gpus)
        : gpus_(std::move(gpus)),
          target_{.backend = BuildTarget::Backend::gpu, .archs = {gpus_.used.front().arch}} {}

    std::string_view name() const override { return "gpu"; }
    void describe(Provenance& out) const override {
        out.device = gpus_.used.front().name;
        out.driver = gpus_.used.front().driver;
    }
    std::vector<std::string> notes() const override {
        std::vector<std::string> out = gpus_.passed_over;
        for (std::string& why : GpuSeat::left_alone()) out.push_back(std::move(why));
        return out;
    }
    std::vector<Part> examine(const Home& home) const override {
        std::vector<Part> out;
        for (const GpuInfo& gpu : gpus_.used) {
            const auto start = Clock::now();
            if (const Status answers = probe_gpu(home, gpu); !answers)
                out.push_back({.what = "GPU", .detail = {}, .missing = answers.error()});
            else
                out.push_back({.what = "GPU",
                               .detail = fmt::format("{}, compute capability {}.{}, driver {}; "
                                                     "answers a new process in {:.1f} s",
                                                     gpu.name, gpu.arch / 10, gpu.arch % 10,
                                                     gpu.driver, seconds_since(start))});
        }
        for (const std::string& one : gpus_.passed_over)
            out.push_back({.what = "GPU", .detail = one});
        return out;
    }
    const BuildTarget& target() const override { return target_; }
    bool measures_time() const override { return true; }
    bool repeats_exactly() const override { return false; }
    bool runs_large_cases() const override { return true; }

    std::size_t shared_devices() const override { return gpus_.used.size(); }
    /// One more than there are GPUs makes its data meanwhile.
    int tasks_at_once(int jobs) const override {
        return std::min(jobs, static_cast<int>(gpus_.used.size()) + 1);
    }
    std::unique_ptr<Place> wait_for_place(For what) const override {
        return std::make_unique<WaitingPlace>(gpus_.used.size(), what);
    }
    Status with_device(const Home& home, const std::function<Status(const GpuInfo&)>& use,
                       double* held_s) const override {
        std::vector<std::string> ids;
        for (const GpuInfo& gpu : gpus_.used) ids.push_back(gpu.id);
        auto seat = GpuSeat::wait(ids, seat_patience_s,
                                  [&](std::size_t i) { return probe_gpu(home, gpus_.used[i]); });
        if (!seat) return seat.error();
        const auto start = Clock::now();
        auto status = use(gpus_.used[seat->index()]);
        if (held_s != nullptr) *held_s += seconds_since(start);
        if (!status) seat->doubt();
        return status;
    }

    Result<std::unique_ptr<Session>> open(const SessionOptions& options) const override {
        return open_gpu_session(options);
    }
    Result<std::vector<bool>> has_functions(
        const SessionOptions& options, std::span<const TaskSpec* const> tasks) const override {
        return cugrade::has_functions(options, tasks);
    }

private:
    GpuList gpus_;
    BuildTarget target_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_gpu_backend(const GradeOptions&) {
    auto gpus = find_gpus();
    if (!gpus) return gpus.error();
    return std::unique_ptr<Backend>(std::make_unique<GpuBackend>(std::move(*gpus)));
}

}  // namespace cugrade
