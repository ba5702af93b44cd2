// What a kernel did, counted exactly: instructions, divergence, memory traffic, conflicts.
//
// Theory of operation. Every count is taken per instruction of the decoded code and added up when
// someone asks, by kernel and by line of the student's source. Memory is counted as NVIDIA's GPUs
// move it: global and local memory in sectors of 32 bytes, a request being one warp instruction;
// shared memory in wavefronts, where one wavefront delivers at most one 4-byte word of each of 32
// banks to any number of lanes (CUDA C++ Programming Guide, "Shared Memory"; Nsight Compute's
// documentation, "Memory Tables"). Lanes of 8 bytes are served in halves of a warp, of 16 bytes in
// quarters. Caches are not modelled here: sectors are those asked of L1.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/exec/observer.hpp"

namespace cugrade::emulator {

/// Accesses of one kind to one space.
struct Traffic {
    std::uint64_t requests = 0;    ///< warp instructions with at least one lane
    std::uint64_t lanes = 0;       ///< accesses of single threads
    std::uint64_t bytes = 0;       ///< that the lanes asked for
    std::uint64_t sectors = 0;     ///< global, local: distinct sectors of 32 bytes, per request
    std::uint64_t wavefronts = 0;  ///< shared: passes over the banks
    std::uint64_t ideal = 0;       ///< shared: wavefronts had no two words shared a bank
    Traffic& operator+=(const Traffic&);
    bool operator==(const Traffic&) const = default;
};

struct Counts {
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;  ///< active lanes, summed
    std::array<std::uint64_t, static_cast<std::size_t>(InstructionClass::count)> by_class{};
    std::uint64_t branches = 0;            ///< conditional, per warp
    std::uint64_t divergent_branches = 0;  ///< of those, some lanes went and some stayed
    Traffic global_load, global_store, global_atomic;
    Traffic shared_load, shared_store, shared_atomic;
    Traffic local_load, local_store;
    std::uint64_t constant_loads = 0;
    std::uint64_t barriers = 0;  ///< arrivals of warps at barriers of the block
    Counts& operator+=(const Counts&);
    bool operator==(const Counts&) const = default;
};

/// What limits how many blocks one multiprocessor holds.
struct Occupancy {
    std::uint32_t resident_warps = 0;
    std::uint32_t max_warps = 0;
    std::string limit;  ///< "threads", "shared memory", "registers", "blocks"
};

/// A line of the source, as PTX names the file.
struct Line {
    std::string file;
    int number = 0;
    auto operator<=>(const Line&) const = default;
};

struct KernelCounts {
    std::string kernel;  ///< demangled
    std::uint64_t launches = 0;
    std::uint64_t blocks = 0;
    std::uint64_t threads = 0;
    Dim3 grid, block;  ///< of the last launch
    std::uint64_t shared_bytes = 0;
    std::uint64_t distinct_global_bytes = 0;  ///< sectors touched at least once in a launch, x 32
    std::uint64_t most_atomics_on_one_address = 0;  ///< in one launch
    Occupancy occupancy;
    Counts total;
    std::map<Line, Counts> lines;
};

class Counters final : public Observer {
public:
    void launch_started(const Launch&) override;
    void launch_ended(const Launch&) override;
    void block_started(const Block&) override;
    void executed(const Warp&, const Ins*, InstructionClass, std::uint32_t mask) override;
    void accessed(const Warp&, const Ins*, const Access&) override;
    void branched(const Warp&, const Ins*, std::uint32_t mask, std::uint32_t taken) override;
    void arrived(const Warp&, const Ins*, std::uint32_t mask, std::uint32_t barrier) override;

    /// Kernels in the order of their first launch.
    [[nodiscard]] const std::vector<KernelCounts>& kernels() const { return kernels_; }
    void clear() { kernels_.clear(); }

private:
    Counts& at(const Ins* i) { return code_[program_->index_of(i)]; }
    void count_atomics(const Access&);

    const Program* program_ = nullptr;
    std::vector<Counts> code_;  ///< of the launch that runs, by index in Program::code
    std::uint64_t blocks_ = 0;
    std::unordered_map<std::uint64_t, std::uint64_t> global_atomics_;
    std::unordered_map<std::uint64_t, std::uint64_t> shared_atomics_;
    std::unordered_map<std::uint64_t, std::uint64_t> touched_;  ///< 2 KiB pages, a bit per sector
    std::vector<KernelCounts> kernels_;
};

/// Distinct sectors of 32 bytes that the lanes touch.
[[nodiscard]] std::uint32_t sectors_of(const Access&);
/// Wavefronts that a shared-memory access takes, and how many it would take without conflicts.
struct Wavefronts {
    std::uint32_t taken = 0, ideal = 0;
};
[[nodiscard]] Wavefronts wavefronts_of(const Access&);

}  // namespace cugrade::emulator
