// What would a call cost if one thing in it were ideal?
//
// Theory of operation. A counterfactual is an edit of the counts: the sectors of one line become
// those that its bytes would fill, the passes over the banks become one for each request, the grid
// becomes one that fills the device. The time model is then asked again, with these counts and all
// others as they were. So a change that moves the bottleneck elsewhere gains no more than the next
// unit of the GPU allows.
//
// Nothing is taken for free that a real edit would pay for. Coalesced loads still move all bytes.
// Data that are kept in shared memory are read there instead. Atomics that are combined within a
// block are done on shared memory first.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "emulator/model/time_model.hpp"

namespace cugrade::model {

enum class Ideal : std::uint8_t {
    coalesced,        ///< a request of a warp touches no more sectors than its bytes fill
    no_conflicts,     ///< lanes of a warp meet in no bank of shared memory
    no_divergence,    ///< all lanes of each warp are at work
    combined_atomics, ///< each block combines its atomics on one address in shared memory
    full_device,      ///< whole warps, and as many blocks as the device holds at a time
    one_launch,       ///< what later launches read again stays in shared memory
    read_once,        ///< what is read more than once is kept in shared memory
    linear_work,      ///< the work grows with the data, and not faster
    divided_work,     ///< threads that all read the same data have a part of them each
    no_allocations,   ///< what a call allocates is kept for the next one, and never freed
    no_transfers,     ///< none between host and device
};

struct WhatIf {
    Ideal ideal = Ideal::coalesced;
    std::string kernel;  ///< demangled; empty: it is about the host's calls
    /// Lines of accesses or branches, the costliest first; empty: it is about the launch.
    std::vector<emulator::Line> lines;
    double us = 0;  ///< predicted, of the whole call
    /// The fact that costs the time, and what it would be: sectors of a request, passes of a
    /// request, active lanes, atomics of a block, blocks of a launch, launches, loads of
    /// a byte, threads that read the same.
    double is = 0, could_be = 0;
    double threads = 0;  ///< of a block, where it is about the grid
    /// With this done, what gains most of what is left; at most one.
    std::vector<WhatIf> next;
};

/// All that there are, the greatest gain first. Those that gain less than `least_gain`, as a part
/// of the predicted time, are left out. If all of them do, but two together gain more, the first of
/// these two is the only one, and the other its `next`. `scattered`: lines whose accesses go where
/// data say, so that nothing makes them coalesced.
[[nodiscard]] std::vector<WhatIf> what_ifs(const Device&, const Calibration&, const Samples&,
                                           double elements, const Cautious*,
                                           const std::set<emulator::Line>& scattered = {},
                                           double least_gain = 0.1);

}  // namespace cugrade::model
