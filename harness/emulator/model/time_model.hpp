// Predicts how long a call would take on a GPU, from the counts of its kernels.
//
// Theory of operation. The emulated GPU counts a call at two small sizes with few multiprocessors,
// and at the larger size once more with twice as many. Each count is then extrapolated to the size
// and the number of multiprocessors in question (`extrapolated`). For every kernel the model
// computes how long each unit of the GPU would take for its part alone:
//
//   issue      warp instructions over the schedulers, plus those on doubles over the FP64 units
//   L1         cache lines looked up and wavefronts of shared memory, over the multiprocessors
//   L2         lines and sectors that miss L1, and all that are written
//   DRAM       each distinct sector once, over the bandwidth
//   atomics    the longest of three: the busiest address, the busiest KiB, all sectors
//   latency    the time of one block from its first instruction to its last, times the number of
//              blocks that run one after the other on one multiprocessor
//
// These times overlap, so a launch takes hardly more than the longest of them. The model takes
// their p-norm, a smaller p between DRAM and latency, and adds the cost of a launch. This is the roofline model (Williams, Waterman,
// Patterson, "Roofline: an insightful visual performance model", CACM 52(4), 2009) with a ceiling
// for each unit. The latency term is from Hong and Kim, "An analytical model for a GPU architecture
// with memory-level and thread-level parallelism awareness", ISCA 2009, for warps that do not hide
// each other's waits. docs/modelled-time.md compares the model with measurements.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "emulator/counts/counts.hpp"

namespace cugrade::model {

/// Published figures of a GPU, from harness/emulator/devices/*.yaml.
struct Device {
    std::string id;    ///< the file's name: "h200"
    std::string name;  ///< "NVIDIA H200"
    double multiprocessors = 0;
    double clock_ghz = 0;  ///< under load
    double threads = 0;    ///< most that are resident on one multiprocessor
    double blocks = 0;
    double shared_kib = 0;  ///< for all blocks of one multiprocessor
    double fp64_lanes = 0;  ///< results per clock and multiprocessor
    double dram_gb_s = 0;
    double l2_mib = 0;
    double l2_bytes_per_clock = 0;  ///< from L2 to all multiprocessors together
    double host_gb_s = 0;           ///< between host and device, in one direction
};

/// Constants that data sheets do not give, fitted to measurements: see docs/modelled-time.md. They
/// are clocks unless the name or the comment says otherwise.
struct Calibration {
    double issue = 1.29;             ///< of one scheduler, per estimated machine instruction
    double dram_efficiency = 0.824;  ///< fraction of the published bandwidth
    /// L1: per pass of a load, per sector that comes from L2, per line that a store touches.
    double l1_pass = 1.05, l1_fill = 0.5, l1_store = 0.5;
    double wavefront = 1.31;
    double swap_pass = 4.5;  ///< of a compare-and-swap loop: other warps make a part of them fail
    /// Bytes of L2's bandwidth that a line takes that is loaded or stored, and each of its sectors.
    double l2_load = 51, l2_store = 130, l2_sector = 44;
    /// How much of DRAM's bandwidth a sector takes that L2 had and lost, by its bytes.
    double dram_again = 4.5;
    /// How much more a load takes that asks for one sector of a line.
    double dram_single = 0.6;
    double l1_latency = 33, l2_latency = 260, dram_latency = 700, shared_latency = 30;
    double dependent = 4.52;  ///< between dependent instructions of one warp
    double barrier = 5.05;
    double block = 1120;     ///< to start a block and to end it
    double dispatch = 1.05;  ///< between the starts of two blocks, on the whole device
    double address32 = 1.47, address64 = 1.44, address_float = 3.65, address_swap = 3.5;
    double kib32 = 1.03, kib64 = 1.92;
    double atomic_sector = 60.7;  ///< bytes of L2's bandwidth
    double norm = 11, loaded_norm = 1.9;
    double host_efficiency = 0.0344;  ///< fraction of the bandwidth between host and device
    double launch_us = 0.44, child_launch_us = 8.35, allocation_us = 22, release_us = 11.5,
           copy_us = 50.8, write_us = 8;
};

/// The counts of one call.
struct Sample {
    double elements = 0;
    double multiprocessors = 0;
    emulator::DeviceCounts counts;
};
/// The small size, the larger size, and the larger size with more multiprocessors. Three equal
/// samples: no extrapolation.
using Samples = std::array<Sample, 3>;

/// Where the time of one kernel goes, in microseconds, all its launches together.
struct KernelTime {
    std::string kernel;
    double launches = 0;
    double blocks = 0;  ///< of the largest launch
    double us = 0;
    double issue = 1.29, l1 = 0, l2 = 0, dram = 0, atomics = 0, latency = 0, overhead = 0;
    /// The name of the largest part: "DRAM".
    [[nodiscard]] std::string_view bound() const;
};

struct Prediction {
    double us = 0;
    double host_us = 0;  ///< the part of `us` that allocations and copies take
    std::vector<KernelTime> kernels;
    /// The bound of the longest kernel; "host" if allocations and copies take longer than it does.
    [[nodiscard]] std::string limited_by() const;
};

/// Counts that are not trusted (growth.hpp) are continued cautiously: each grows at least in
/// proportion to the data, and at least as from a third sample, of a size between the two.
struct Cautious {
    /// Fewer launches of a kernel may be as many at every size. Chosen: slices of a sixteenth of
    /// the data keep a device busy.
    static constexpr double least_launches = 16;
    std::optional<Sample> between;
    bool only_launches = false;  ///< all other counts are trusted
};

/// Extrapolates a count that was `small` at `small_elements` and `larger` at `larger_elements`. A
/// count that grows at most in proportion is taken for a constant plus a part for each element; a
/// count that grows faster, for a power of the elements. One that falls stays as it is: a program
/// that does more at smaller sizes would come to nothing at larger ones.
[[nodiscard]] double extrapolated(double small, double larger, double small_elements,
                                  double larger_elements, double elements);

/// Predicts a call on `elements` elements. Kernels that were not counted for timing are left out.
[[nodiscard]] Prediction predict(const Device&, const Calibration&, const Samples&, double elements,
                                 const Cautious* = nullptr);

/// The shortest time of one launch that moves so many bytes: by the published bandwidth of DRAM, or
/// of L2 where they fit into it.
[[nodiscard]] double least_us(const Device&, const Calibration&, double bytes);

}  // namespace cugrade::model
