// Arguments and results of calls to the functions that are built into the emulator.
#pragma once

#include <span>
#include <string_view>

#include "emulator/ops/lane_loops.hpp"

namespace cugrade::emulator {

struct Builtin {
    std::string_view name;
    /// Does the call for one lane; false after a fault.
    bool (*run)(Warp&, const Ins*, u32 lane);
};

/// The device runtime's: see device_runtime.cpp.
std::span<const Builtin> device_runtime_builtins();

inline const CallSite& site_of(const Warp& w, const Ins* i) {
    return w.launch->program->calls[i->aux];
}

/// The n-th argument of one lane; 0 if the caller does not pass it.
template <class T>
T argument_as(const Warp& w, const Ins* i, std::size_t n, u32 lane) {
    const auto& areas = site_of(w, i).arguments;
    T value{};
    if (n < areas.size())
        std::memcpy(&value, w.current.base + areas[n].offset + std::size_t{lane} * areas[n].bytes,
                    std::min<std::size_t>(areas[n].bytes, sizeof value));
    return value;
}
inline u64 argument(const Warp& w, const Ins* i, std::size_t n, u32 lane) {
    return argument_as<u64>(w, i, n, lane);
}

inline void give_back(const Warp& w, const Ins* i, u32 lane, u64 value) {
    const auto& areas = site_of(w, i).results;
    if (areas.empty()) return;
    std::memcpy(w.current.base + areas[0].offset + std::size_t{lane} * areas[0].bytes, &value,
                std::min<u32>(areas[0].bytes, 8));
}

}  // namespace cugrade::emulator
