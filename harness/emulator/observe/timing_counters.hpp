// Counts what only the time model needs to know of a kernel: TimingCounts.
//
// Theory of operation. The PTX tells how often a warp waits for memory in each basic block
// (waits.hpp), and this is multiplied by how often the basic block ran. A cache for each running
// thread block tells which loads L1 serves. It has lines of 128 bytes that are filled by sectors of
// 32. A line may lie in one of 16 places and takes that of any other, by chance: kernels whose
// threads walk a line each have measured speeds that no cache explains which throws out the oldest
// line. It is as large as the thread block's share of one multiprocessor's cache. Stores go on to
// L2, and what they have written is there for loads; atomics leave nothing. For
// atomics on global memory the busiest address and the busiest KiB are found, because L2 serves
// atomics on one address, and on neighbouring addresses, one after the other.
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
    static constexpr std::uint32_t ways = 16;
    static constexpr std::uint64_t line_bytes = 128;

    /// Empty, for `bytes` bytes.
    void reset(std::uint64_t bytes);
    /// Reads or writes the sectors of a line, a bit each. Returns those that were missing.
    std::uint32_t bring(std::uint64_t line, std::uint32_t sectors);

private:
    static constexpr std::uint64_t no_line = ~std::uint64_t{0};
    struct Line {
        std::uint64_t number = no_line;
        std::uint32_t sectors = 0;
    };
    std::vector<Line> lines_;  ///< set after set
    std::uint64_t sets_ = 1;
    std::uint64_t random_ = 1;
};

class TimingCounters final : public Observer {
public:
    void launch_started(const Launch&) override;
    void launch_ended(const Launch&) override;
    void block_started(const Block&) override;
    void block_ended(const Block&) override;
    void accessed(const Warp&, const Ins*, const Access&) override;

    struct OfKernel {
        TimingCounts total;
        std::map<Line, LineTiming> lines;
    };
    /// By demangled name.
    [[nodiscard]] const std::map<std::string, OfKernel>& kernels() const { return kernels_; }

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
    void add_lines_to(std::map<Line, LineTiming>&) const;

    const Launch* launch_ = nullptr;
    std::uint64_t cache_bytes_ = 0;  ///< of one block
    TimingCounts now_;
    std::vector<LineTiming> code_;  ///< of this launch, by index in Program::code
    std::array<AtomicLoad, kinds> atomics_{};
    std::unordered_map<const Block*, Resident> residents_;
    const Block* last_block_ = nullptr;
    Resident* last_ = nullptr;
    Pages<Page> pages_;
    struct Static {
        WaitsOfFunction waits;
        std::vector<std::uint32_t> slots;
    };
    std::map<const ptx::Function*, Static> static_;  ///< known before anything runs
    std::map<std::string, OfKernel> kernels_;
};

}  // namespace cugrade::emulator
