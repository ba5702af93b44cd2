// Counts what only the time model needs to know of a kernel: TimingCounts.
//
// Theory of operation. The PTX tells how often a warp waits for memory in each basic block
// (waits.hpp), and this is multiplied by how often the basic block ran. A cache for each running
// thread block tells which loads L1 serves. It has lines of 128 bytes that are filled by sectors of
// 32. A line may lie in one of 16 places and takes that of any other, by chance. It is as large as
// the thread block's share of one multiprocessor's cache. Stores go on to L2, and what they have
// written is there for loads; atomics leave nothing. The emulated GPU runs one warp after the
// other, but on a GPU all warps of a multiprocessor load in turn. So what a warp comes back to is
// there only by a chance that falls with what all of them have touched meanwhile: as much as this
// one, each. Loads that one wait is for follow each other directly, so no other warp comes between
// them. For atomics on global memory the busiest address and the busiest KiB are found, because L2
// serves atomics on one address, and on neighbouring addresses, one after the other.
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
    void forget(std::uint64_t line);

private:
    static constexpr std::uint64_t no_line = ~std::uint64_t{0};
    struct Line {
        std::uint64_t number = no_line;
        std::uint32_t sectors = 0;
    };
    Line* set_of(std::uint64_t line);

    std::vector<Line> lines_;  ///< set after set
    std::uint64_t sets_ = 1;
    std::uint64_t random_ = 1;
};

/// The lines that a warp has touched lately.
class RecentLines {
public:
    struct Touch {
        std::uint64_t line = 0;
        std::uint64_t wait = 0;     ///< the last that it was touched for
        std::uint32_t sectors = 0;  ///< all that were touched
    };
    /// What was known of the line, and how many others were touched since; both 0 if nothing was.
    struct Before {
        Touch touch;
        std::size_t others = 0;
    };
    Before touch(std::uint64_t line, std::uint32_t sectors, std::uint64_t wait);

private:
    /// Chosen: as many of each of eight warps are more than a cache holds.
    static constexpr std::size_t most = 256;
    std::vector<Touch> touches_;  ///< the newest last
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
    /// The wait of a warp that a load belongs to: waits.hpp.
    struct OfLoad {
        std::uint32_t block = 0, instruction = 0, level = 0;
    };
    struct OfWarp {
        std::array<std::uint64_t, 2> requests{};  ///< to global, shared memory
        RecentLines recent;
        OfLoad last;
        std::uint64_t wait = 1;   ///< how many there were; those of 0 are of nothing
        bool has_missed = false;  ///< in this wait
    };
    struct Resident {
        LineCache cache;
        std::vector<OfWarp> warps;
        std::uint64_t random = 1;
    };
    struct Static;
    Static& known(const ptx::Function&);
    Resident& resident(const Block&);
    void waits_for(OfWarp&, const OfLoad&);
    void misses(OfWarp&);
    /// Returns the sectors of a line that have to come from L2.
    std::uint32_t load(Resident&, OfWarp&, std::uint64_t line, std::uint32_t sectors, LineTiming&);
    void store(Resident&, OfWarp&, const Access&, LineTiming&);
    void come_back(const RecentLines::Before&, std::uint32_t sectors, LineTiming&) const;
    void count_atomics(const Access&);
    void add_lines_to(std::map<Line, LineTiming>&) const;

    const Launch* launch_ = nullptr;
    std::uint64_t cache_bytes_ = 0;    ///< of one block
    double l1_lines_ = 0, warps_ = 0;  ///< of one multiprocessor; the warps that it holds
    const Program* program_ = nullptr;
    std::vector<OfLoad> loads_;  ///< by index in Program::code
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
        std::uint32_t first_block = 0;  ///< so that no two functions have the same
    };
    std::map<const ptx::Function*, Static> static_;  ///< known before anything runs
    std::uint32_t blocks_known_ = 1;
    std::map<std::string, OfKernel> kernels_;
};

}  // namespace cugrade::emulator
