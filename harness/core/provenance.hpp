// Where and with what a result was made: what reports, sweeps and rooflines say about it alike.
#pragma once

#include <string>

namespace cugrade {

struct Provenance {
    std::string backend;  ///< "gpu" or "emulator"
    std::string device;   ///< "NVIDIA H200", "emulated GPU, compute_75"; or the one modelled
    std::string driver;   ///< empty on the emulator
    std::string toolkit;  ///< nvcc's version
    std::string cugrade_version;
    std::string started;  ///< ISO 8601, UTC
    /// Times on the emulator follow from counts; nobody measured them.
    [[nodiscard]] bool modelled() const { return backend == "emulator"; }
};

}  // namespace cugrade
