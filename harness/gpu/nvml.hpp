// NVIDIA's management library, where it is there: whether a GPU is throttling.
//
// It is looked for when it is needed (libnvidia-ml.so.1 comes with the driver, its header does
// not), so a machine without it grades as well, only with less known.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace cugrade {

class GpuMonitor {
public:
    /// `uuid`: as NVML writes it, "GPU-8a1f...". Without the library, or the GPU in it, nothing is
    /// ever known.
    explicit GpuMonitor(const std::string& uuid);
    ~GpuMonitor();
    GpuMonitor(const GpuMonitor&) = delete;
    GpuMonitor& operator=(const GpuMonitor&) = delete;

    [[nodiscard]] bool available() const { return device_ != nullptr; }
    /// Why the clocks are held down at this moment, in words: heat, or the power supply. That a GPU
    /// stays within its power limit is how it usually runs, and no reason.
    [[nodiscard]] std::optional<std::string> throttled() const;

private:
    void* library_ = nullptr;
    void* device_ = nullptr;
    int (*reasons_)(void*, unsigned long long*) = nullptr;
};

}  // namespace cugrade
