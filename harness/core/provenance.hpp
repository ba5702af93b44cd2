// Where and with which tools a result was made; reports, sweeps and rooflines share it.
#pragma once

#include <string>

namespace cugrade {

struct Provenance {
    std::string backend;  ///< "gpu" or "emulator"
    std::string device;   ///< "NVIDIA H200", "emulated GPU, compute_75"; or the one modelled
    std::string driver;   ///< empty on the emulator
    std::string toolkit;  ///< nvcc's version
    std::string cugrade_version;
    std::string started;          ///< ISO 8601, UTC
    bool times_modelled = false;  ///< times are derived from counts, not measured
};

}  // namespace cugrade
