// How long a call would take on a GPU, from what its kernels were counted to do.
//
// Theory of operation. A call is counted on the emulated GPU at two small sizes with few
// multiprocessors, and at the larger size once more with twice as many. Each count is continued to
// the size and the number of multiprocessors in question (`extrapolated`). Of every kernel the
// times are then taken that each unit of the GPU needs for its part alone:
//
//   issue      warp instructions over schedulers; of doubles over the units for doubles
//   L1         lines looked up and wavefronts of shared memory, one a clock per multiprocessor
//   L2         lines and sectors that L1 does not hold, and all that is written
//   DRAM       sectors touched at all, once, over the bandwidth
//   atomics    the busiest address, the busiest KiB, and all sectors
//   latency    what one block takes from its first instruction to its last, times how many blocks
//              come one after the other on one multiprocessor
//
// They overlap, so the time of a launch is hardly more than the longest of them: their p-norm, plus
// what a launch costs. This is the roofline model (Williams, Waterman, Patterson, "Roofline: an
// insightful visual performance model", CACM 52(4), 2009) with a ceiling for each unit; the latency
// term is that of Hong and Kim, "An analytical model for a GPU architecture with memory-level and
// thread-level parallelism awareness", ISCA 2009, for warps that do not hide each other's waits.
// docs/modelled-time.md compares it with measurements.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "emulator/counts/counts.hpp"

namespace cugrade::model {

/// A GPU in published figures; harness/emulator/devices/*.yaml.
struct Device {
    std::string id;    ///< the file's name: "h200"
    std::string name;  ///< "NVIDIA H200"
    double multiprocessors = 0;
    double clock_ghz = 0;  ///< under load
    double threads = 0;    ///< resident on one multiprocessor, at most
    double blocks = 0;
    double shared_kib = 0;  ///< for all blocks of one multiprocessor
    double fp64_lanes = 0;  ///< results per clock and multiprocessor
    double dram_gb_s = 0;
    double l2_mib = 0;
    double l2_bytes_per_clock = 0;  ///< that L2 delivers to all multiprocessors together
    double host_gb_s = 0;           ///< between host and device, in one direction
};

/// What the data sheets do not say; fitted to measurements, see docs/modelled-time.md. Clocks
/// unless a name says otherwise.
struct Calibration {
    double issue = 1.29;             ///< machine instructions, by what they are taken to be
    double dram_efficiency = 0.824;  ///< of the published bandwidth
    double l1_request = 0.171;       ///< per warp instruction
    double l1_line = 1.98;           ///< per line beyond the first
    double wavefront = 1.31;
    /// Of L2's bandwidth, in bytes: of a request for a line, and of each of its sectors.
    double l2_request = 262, l2_sector = 2.88;
    double l1_latency = 33, l2_latency = 260, dram_latency = 700, shared_latency = 30;
    double dependent = 4.52;  ///< between dependent instructions of one warp
    double barrier = 5.05;
    double block = 1120;  ///< to start a block and to end it
    double address32 = 1.47, address64 = 1.44, address_float = 3.65, address_swap = 3.5;
    double kib32 = 1.03, kib64 = 1.92;
    double atomic_sector = 60.7;  ///< of L2's bandwidth, in bytes
    double norm = 11;
    double host_efficiency = 0.0344;  ///< of the published bandwidth between host and device
    double launch_us = 0.44, child_launch_us = 8.35, allocation_us = 22, release_us = 11.5,
           copy_us = 50.8;
};

/// What was counted in one call.
struct Sample {
    double elements = 0;
    double multiprocessors = 0;
    emulator::DeviceCounts counts;
};
/// Small, larger; and larger with more multiprocessors. Three times the same is continued nowhere.
using Samples = std::array<Sample, 3>;

/// Where the time of one kernel goes, in microseconds, all its launches together.
struct KernelTime {
    std::string kernel;
    double launches = 0;
    double us = 0;
    double issue = 1.29, l1 = 0, l2 = 0, dram = 0, atomics = 0, latency = 0, overhead = 0;
    /// The name of the largest part: "DRAM".
    [[nodiscard]] std::string_view bound() const;
};

struct Prediction {
    double us = 0;
    double host_us = 0;  ///< of that: allocations and copies
    std::vector<KernelTime> kernels;
    /// What most of the time goes into: the bound of the kernel that takes most of it, or the host.
    [[nodiscard]] std::string limited_by() const;
};

/// A count of `small` and `larger` elements, continued to `elements`. One that grows at most in
/// proportion is a constant plus a part for each element; one that grows faster, a power.
[[nodiscard]] double extrapolated(double small, double larger, double small_elements,
                                  double larger_elements, double elements);

/// Of a call for `elements` elements. Kernels that were not counted for timing are left out.
[[nodiscard]] Prediction predict(const Device&, const Calibration&, const Samples&,
                                 double elements);

}  // namespace cugrade::model
