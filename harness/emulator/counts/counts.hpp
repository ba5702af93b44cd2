// The counts of a kernel as plain values. The emulator counts; the grader scores and shows them.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cugrade::emulator {

/// Classes of instructions, as counters tell them apart.
enum class InstructionClass : std::uint8_t {
    integer,
    fp16,
    fp32,
    fp64,
    special,  ///< ex2, lg2, rcp, rsqrt, sin, cos, sqrt, tanh
    conversion,
    move,
    predicate,  ///< comparisons, logic of predicates
    load,
    store,
    atomic,
    control,  ///< branches, calls, returns
    barrier,
    warp,  ///< shuffles, votes, matches, reductions in a warp
    fence,
    other,
    count,
};
[[nodiscard]] std::string_view name_of(InstructionClass);

/// Accesses of one kind to one space.
struct Traffic {
    std::uint64_t requests = 0;    ///< warp instructions with at least one lane
    std::uint64_t lanes = 0;       ///< accesses of single threads
    std::uint64_t bytes = 0;       ///< requested by the lanes
    std::uint64_t sectors = 0;     ///< global, local: distinct sectors of 32 bytes, per request
    std::uint64_t wavefronts = 0;  ///< shared: passes over the banks
    std::uint64_t ideal = 0;       ///< shared: wavefronts if no two words shared a bank
    Traffic& operator+=(const Traffic&);
    bool operator==(const Traffic&) const = default;
};

struct Counts {
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;  ///< active lanes, summed
    std::array<std::uint64_t, static_cast<std::size_t>(InstructionClass::count)> by_class{};
    std::uint64_t branches = 0;            ///< conditional, per warp
    std::uint64_t divergent_branches = 0;  ///< those at which a warp's lanes parted
    Traffic global_load, global_store, global_atomic;
    Traffic shared_load, shared_store, shared_atomic;
    Traffic local_load, local_store;
    std::uint64_t constant_loads = 0;
    std::uint64_t barriers = 0;       ///< arrivals of warps at barriers of the block
    std::uint64_t host_launches = 0;  ///< of the kernel, by the host; 0 in the counts of a line
    Counts& operator+=(const Counts&);
    bool operator==(const Counts&) const = default;
};

/// For quotients of counts.
[[nodiscard]] inline double number(std::uint64_t n) { return static_cast<double>(n); }

/// How many warps one multiprocessor holds, and what limits their number.
struct Occupancy {
    std::uint32_t resident_warps = 0;
    std::uint32_t max_warps = 0;
    std::string limit;  ///< "threads", "shared memory", "blocks", "the grid"
};

/// A line of the source, as PTX names the file.
struct Line {
    std::string file;
    int number = 0;
    auto operator<=>(const Line&) const = default;
};

/// Atomics of one kind on global memory. L2 serves those on one address, and on neighbouring
/// addresses, one after the other. All numbers are sums over launches.
struct AtomicLoad {
    std::uint64_t sectors = 0;  ///< distinct sectors of 32 bytes, per request
    /// Each lane counts, except that ptxas makes one atomic of a warp's 32-bit integer atomics on
    /// one address: there each warp counts once.
    std::uint64_t most_on_one_address = 0;
    std::uint64_t most_in_one_kib = 0;  ///< sectors of the busiest KiB
    bool operator==(const AtomicLoad&) const = default;
};

/// Counts that only the time model needs. All numbers are sums over launches.
struct TimingCounts {
    /// How often warps wait for loads from global and shared memory. Loads that are in flight
    /// together are one wait.
    std::uint64_t waits = 0;
    std::uint64_t missed_waits = 0;  ///< of `waits`: for something that L1 does not have
    std::uint64_t shared_waits = 0;
    std::uint64_t lines = 0;         ///< distinct lines of 128 bytes, per request to global memory
    std::uint64_t stored_lines = 0;  ///< `lines` of stores and atomics, which go on to L2
    std::uint64_t missed_requests = 0;  ///< loads that find at least one sector missing in L1
    std::uint64_t missed_lines = 0;
    std::uint64_t missed_sectors = 0;
    /// Requests of the busiest warp of each block.
    std::uint64_t busiest_global_requests = 0, busiest_shared_requests = 0;
    /// Requests of the block of each launch that has made most.
    std::uint64_t busiest_block_global = 0, busiest_block_shared = 0;
    std::uint64_t issue_slots = 0;  ///< machine instructions of all warps, estimated
    std::uint64_t passes = 0, again_sectors = 0, again_reach = 0, shared_swaps = 0;  ///< LineTiming
    AtomicLoad integer32, integer64, floating, swaps;  ///< swaps: CAS and exch, of any type
    bool operator==(const TimingCounts&) const = default;
};

/// A round of a compare-and-swap loop on shared memory: load, compute, swap, compare, jump.
constexpr std::uint64_t slots_of_a_swap = 8, waits_of_a_swap = 2;

/// The part of TimingCounts that a line of the source causes: what would a change of it save?
struct LineTiming {
    std::uint64_t lines = 0;         ///< of loads: distinct lines of 128 bytes, per request
    std::uint64_t stored_lines = 0;  ///< the same of stores and atomics
    std::uint64_t missed_requests = 0;
    std::uint64_t missed_lines = 0;
    std::uint64_t missed_sectors = 0;
    std::uint64_t issue_slots = 0;
    std::uint64_t passes = 0;  ///< of loads, through the L1 cache: four lines each, or a bank's word
    /// Sectors that a warp loads from L2, or stores a part of, for another time, because others have
    /// displaced them.
    std::uint64_t again_sectors = 0;
    /// The sum over these sectors: how many lines one multiprocessor touched since the last time.
    std::uint64_t again_reach = 0;
    /// Passes over the banks of atomics that shared memory has no unit for, such as those on 64 bits:
    /// the machine repeats a compare-and-swap until no lane is left.
    std::uint64_t shared_swaps = 0;
    /// What those on global memory would be in shared memory: rounds of warps, and passes.
    std::uint64_t global_swap_rounds = 0, global_swaps = 0;
    LineTiming& operator+=(const LineTiming&);
    bool operator==(const LineTiming&) const = default;
};

struct KernelCounts {
    std::string kernel;  ///< demangled
    std::uint64_t launches = 0;
    std::uint64_t blocks = 0;
    std::uint64_t threads = 0;
    /// Of the last of the launches that had most to do, as occupancy.
    std::array<std::uint32_t, 3> grid{}, block{};
    std::uint64_t shared_bytes = 0;
    std::uint64_t distinct_global_bytes = 0;  ///< sectors touched at least once in a launch, x 32
    std::uint64_t rewritten_global_bytes = 0;  ///< of these, sectors that were loaded and stored
    std::uint64_t most_global_bytes = 0;      ///< the same of the one launch that touches most
    std::uint64_t most_atomics_on_one_address = 0;  ///< in one launch
    Occupancy occupancy;
    Counts total;
    std::map<Line, Counts> lines;
    std::optional<TimingCounts> timing;  ///< if it was asked for
    std::map<Line, LineTiming> line_timing;  ///< if it was asked for
};

/// What the host did between launches.
struct HostCounts {
    std::uint64_t allocations = 0, releases = 0;  ///< of device memory
    std::uint64_t writes = 0, written_bytes = 0;  ///< from host to device
    std::uint64_t reads = 0, read_bytes = 0;      ///< from device to host
    std::uint64_t copies = 0, copied_bytes = 0;   ///< from device to device
    std::uint64_t fills = 0, filled_bytes = 0;    ///< cudaMemset
    /// Stored by kernels and copies in managed, pinned and registered memory, which host code reads;
    /// or printed.
    std::uint64_t shown_bytes = 0;
    bool operator==(const HostCounts&) const = default;
};

/// What became of one of the grader's buffers. A byte counts once; kernels are counted in sectors.
struct BufferCounts {
    std::string name;
    std::uint64_t bytes = 0;
    std::uint64_t read_bytes = 0;    ///< by kernels, and by copies on the device
    std::uint64_t stored_bytes = 0;  ///< by kernels, copies on the device, and cudaMemset
    bool operator==(const BufferCounts&) const = default;
};

struct DeviceCounts {
    std::vector<KernelCounts> kernels;  ///< in the order of their first launch
    HostCounts host;
    std::vector<BufferCounts> buffers;
    std::uint64_t distinct_bytes = 0;  ///< sectors of global memory that any launch touched, x 32
};

}  // namespace cugrade::emulator
