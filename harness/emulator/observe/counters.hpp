// Counts exactly what a kernel does: instructions, divergence, memory traffic, conflicts.
//
// Theory of operation. Every count is taken per instruction of the decoded code. When a launch has
// ended, the counts are added up by kernel and by line of the student's source. Memory is counted
// as NVIDIA's GPUs move it: global and local memory in sectors of 32 bytes, a request being one
// warp instruction; shared memory in wavefronts, where one wavefront delivers at most one 4-byte
// word of each of 32 banks to any number of lanes (CUDA C++ Programming Guide, "Shared Memory";
// Nsight Compute's documentation, "Memory Tables"). Accesses of 8 bytes a lane are served by half
// warps, those of 16 bytes by quarter warps. Caches are not modelled here: sectors are counted as
// they are requested from L1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "emulator/observe/pages.hpp"
#include "emulator/observe/touched_ranges.hpp"
#include "emulator/state/observer.hpp"

namespace cugrade::emulator {

class Counters final : public Observer {
public:
    /// `memory`: where what the host sees lies; null: it sees nothing.
    explicit Counters(const Memory* memory = nullptr) : memory_(memory) {}

    void launch_started(const Launch&) override;
    void launch_ended(const Launch&) override;
    void block_started(const Block&) override;
    void accessed(const Warp&, const Ins*, const Access&) override;
    void parted(const Warp&, const Ins*, std::uint32_t mask, std::uint32_t taken) override;
    void arrived(const Warp&, const Ins*, std::uint32_t mask, std::uint32_t barrier) override;

    /// Kernels in the order of their first launch.
    [[nodiscard]] const std::vector<KernelCounts>& kernels() const { return kernels_; }
    void clear() {
        kernels_.clear();
        most_work_.clear();
        covered_.clear();
        shown_bytes_ = 0;
        transfers_ = {};
    }

    /// Notes what the host does to memory between launches, or a kernel has asked for. What the host
    /// writes, the device has not stored.
    void read_by_host(std::uint64_t from, std::uint64_t bytes);
    void written_by_host(std::uint64_t to, std::uint64_t bytes);
    void copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) override;
    void filled(std::uint64_t to, std::uint64_t bytes) override;
    struct Transfers {
        std::uint64_t copies = 0, copied_bytes = 0, fills = 0, filled_bytes = 0;
    };
    [[nodiscard]] const Transfers& transfers() const { return transfers_; }
    /// Distinct bytes of a range that were read and stored, in whole sectors, at most all of them.
    struct Coverage {
        std::uint64_t read_bytes = 0, stored_bytes = 0;
    };
    [[nodiscard]] Coverage coverage_of(std::uint64_t address, std::uint64_t bytes) const;
    /// The same of all memory, read or stored by kernels or copies.
    [[nodiscard]] std::uint64_t distinct_bytes() const;
    /// Distinct bytes, in whole sectors, that each launch stored in memory that host code maps,
    /// summed over the launches, and what was copied there. The host sees of each launch what is there at its end:
    /// Memory::hide_stores().
    [[nodiscard]] std::uint64_t shown_bytes() const { return shown_bytes_; }

private:
    /// The sectors of one page of global memory: a bit each.
    using Sectors = std::array<std::uint64_t, 2>;
    /// The counts of one page of global memory.
    struct Page {
        Sectors read{}, stored{};                                  ///< atomics do both
        std::unique_ptr<std::array<std::uint64_t, 1024>> atomics;  ///< by word
        void reset() {
            read = stored = {};
            if (atomics != nullptr) atomics->fill(0);
        }
    };
    struct Covered {
        Sectors read{}, stored{};
    };
    static void set_sectors(Sectors&, std::uint64_t first, std::uint64_t last);
    void cover(std::uint64_t address, std::uint64_t bytes, Sectors Covered::*, bool on = true);
    Counts& at(std::uint32_t code) {
        std::uint32_t& slot = code_[code];
        return slot != 0 ? counts_[slot - 1] : new_counts(slot);
    }
    Counts& new_counts(std::uint32_t& slot);
    void touch(const Ins*, const Access&);
    void count_global_atomics(const Ins*, const Access&);
    void count_shared_atomics(const Warp&, const Access&);
    void note_atomics(std::uint64_t n) { most_atomics_ = std::max(most_atomics_, n); }

    [[nodiscard]] bool is_for_host(std::uint64_t address) const {
        return memory_ != nullptr && memory_->is_for_host(address);
    }

    const Memory* memory_;
    const Launch* launch_ = nullptr;
    const Program* program_ = nullptr;
    /// By index in Program::code: 1 + the index in `counts_` of the counts that no tally has, or 0.
    std::vector<std::uint32_t> code_;
    std::vector<Counts> counts_;
    std::uint64_t blocks_ = 0;
    TouchedRanges ranges_;
    Pages<Page> pages_;
    std::unordered_map<std::uint64_t, Covered> covered_;  ///< of all launches, by number of page
    /// Atomics by word of shared memory, for each block that runs.
    std::unordered_map<const Block*, std::vector<std::uint64_t>> shared_atomics_;
    const Block* last_block_ = nullptr;
    std::vector<std::uint64_t>* last_words_ = nullptr;
    /// Atomics at addresses that are no multiples of 4, by space, block and address.
    std::map<std::tuple<ptx::Space, std::uint64_t, std::uint64_t>, std::uint64_t> odd_atomics_;
    std::uint64_t most_atomics_ = 0;
    std::uint64_t shown_bytes_ = 0;
    Transfers transfers_;
    std::vector<KernelCounts> kernels_;
    std::vector<std::uint64_t> most_work_;  ///< warp instructions of one launch, as kernels_
};

[[nodiscard]] Occupancy occupancy_of(const Launch&);
/// Distinct sectors of 32 bytes that the lanes touch.
[[nodiscard]] std::uint32_t sectors_of(const Access&);
/// Wavefronts that a shared-memory access takes, and how many it would take without conflicts.
struct Wavefronts {
    std::uint32_t taken = 0, ideal = 0;
};
[[nodiscard]] Wavefronts wavefronts_of(const Access&);

}  // namespace cugrade::emulator
