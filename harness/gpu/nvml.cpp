#include "gpu/nvml.hpp"

#include <dlfcn.h>

namespace cugrade {
namespace {

// The values of nvml.h that are used; they are part of its binary interface.
constexpr int nvml_success = 0;
struct ThrottleReason {
    unsigned long long bit;
    const char* words;
};
constexpr ThrottleReason throttle_reasons[] = {
    {0x20, "too hot (software slowdown)"},
    {0x40, "too hot (hardware slowdown)"},
    {0x80, "the power supply asked for less (power brake)"},
    {0x08, "hardware slowdown"},
};

template <class F>
F* find_symbol(void* library, const char* name) {
    return reinterpret_cast<F*>(::dlsym(library, name));
}

}  // namespace

GpuMonitor::GpuMonitor(const std::string& uuid) {
    library_ = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) return;
    const auto init = find_symbol<int()>(library_, "nvmlInit_v2");
    const auto by_uuid =
        find_symbol<int(const char*, void**)>(library_, "nvmlDeviceGetHandleByUUID");
    using Reasons = int(void*, unsigned long long*);
    reasons_ = find_symbol<Reasons>(library_, "nvmlDeviceGetCurrentClocksEventReasons");
    if (reasons_ == nullptr)  // its name before driver 535
        reasons_ = find_symbol<Reasons>(library_, "nvmlDeviceGetCurrentClocksThrottleReasons");
    if (init == nullptr || by_uuid == nullptr || reasons_ == nullptr || init() != nvml_success)
        return;
    if (by_uuid(uuid.c_str(), &device_) != nvml_success) device_ = nullptr;
}

GpuMonitor::~GpuMonitor() {
    if (library_ == nullptr) return;
    if (const auto shutdown = find_symbol<int()>(library_, "nvmlShutdown")) shutdown();
    ::dlclose(library_);
}

std::optional<std::string> GpuMonitor::throttled() const {
    unsigned long long bits = 0;
    if (device_ == nullptr || reasons_(device_, &bits) != nvml_success) return std::nullopt;
    for (const auto& [bit, words] : throttle_reasons)
        if ((bits & bit) != 0) return words;
    return std::nullopt;
}

}  // namespace cugrade
