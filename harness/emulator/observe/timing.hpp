// What a time model needs to know of a kernel and counters do not tell: TimingCounts.
//
// Theory of operation. How often warps wait for memory is found in the PTX (waits.hpp) and
// multiplied by how often each block of it ran. Which loads L1 serves is found by a cache for each
// block that runs: lines of 128 bytes that are filled by sectors of 32, four ways, least recently
// used first, as large as the block's share of one multiprocessor's cache. Stores and atomics go on
// to L2 and leave nothing. Of atomics on global memory the busiest address and the busiest KiB are
// found, for L2 serves an address, and neighbouring addresses, one after the other.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/observe/counters.hpp"
#include "emulator/observe/pages.hpp"
#include "emulator/observe/slots.hpp"
#include "emulator/observe/waits.hpp"

namespace cugrade::emulator {

/// A block's share of the first-level cache.
class LineCache {
public:
    static constexpr std::uint32_t ways = 4;
    static constexpr std::uint64_t line_bytes = 128;

    /// Empty, for `bytes` bytes.
    void reset(std::uint64_t bytes);
    /// Reads the sectors of a line, a bit each; says which of them were not there.
    std::uint32_t read(std::uint64_t line, std::uint32_t sectors);

private:
    struct Line {
        std::uint64_t number = ~std::uint64_t{0};
        std::uint64_t used = 0;
        std::uint32_t sectors = 0;
    };
    std::vector<Line> lines_;  ///< set after set
    std::uint64_t sets_ = 1;
    std::uint64_t clock_ = 0;
};

class TimingCounters final : public Observer {
public:
    void launch_started(const Launch&) override;
    void launch_ended(const Launch&) override;
    void block_started(const Block&) override;
    void block_ended(const Block&) override;
    void accessed(const Warp&, const Ins*, const Access&) override;

    /// By demangled name.
    [[nodiscard]] const std::map<std::string, TimingCounts>& kernels() const { return kernels_; }

private:
    enum Kind : std::size_t { integer32, integer64, floating, swaps, kinds };
    struct Page {
        std::array<std::uint64_t, 1024> on_word{};
        std::array<std::uint64_t, 4> in_kib{};
        void reset() { *this = {}; }
    };
    struct Resident {
        LineCache cache;
        std::vector<std::array<std::uint64_t, 2>> requests;  ///< by warp; to global, shared memory
    };
    Resident& resident(const Block&);
    void count_atomics(const Access&);

    const Launch* launch_ = nullptr;
    std::uint64_t cache_bytes_ = 0;  ///< of one block
    TimingCounts now_;
    std::array<AtomicLoad, kinds> atomics_{};
    std::unordered_map<const Block*, Resident> residents_;
    const Block* last_block_ = nullptr;
    Resident* last_ = nullptr;
    Pages<Page> pages_;
    struct Static {
        WaitsOfFunction waits;
        std::vector<std::uint32_t> slots;
    };
    std::map<const ptx::Function*, Static> static_;  ///< what is known before anything runs
    std::map<std::string, TimingCounts> kernels_;
};

}  // namespace cugrade::emulator
