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

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/exec/observer.hpp"

namespace cugrade::emulator {

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
