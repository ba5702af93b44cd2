// The race detector: one object with everything that it knows of a launch.
//
// race_accesses.cpp checks each access. race_shadow.cpp and race_strips.cpp keep shadow memory, and
// race_clocks.cpp keeps what orders threads. race_locks.cpp, race_volatile.cpp and
// race_announced.cpp find uses of memory that look ordered and are not. race_verdicts.cpp decides
// what to report.
#pragma once

#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulator/observe/by_block.hpp"
#include "emulator/observe/findings.hpp"
#include "emulator/observe/hoisted_loads.hpp"
#include "emulator/observe/idioms.hpp"
#include "emulator/observe/pages.hpp"
#include "emulator/observe/race_advice.hpp"
#include "emulator/observe/race_clocks.hpp"
#include "emulator/observe/race_shadow.hpp"
#include "emulator/observe/touched_ranges.hpp"

namespace cugrade::emulator::races {

class Detector {
public:
    explicit Detector(Findings& findings) : findings_(findings) {}

    void launch_started(const Launch& launch);
    void block_started(const Block& block);
    void block_ended(const Block& block);
    void accessed(const Warp& w, const Ins* i, const Access& a);
    void fenced(const Warp& w, u32 mask, Scope scope);
    void arrived(const Warp& w, u32 mask, u32 barrier);
    void released(const Block& block, u32 barrier);
    void warp_synchronised(const Warp& w, u32 mask);

private:
    /// The access at hand.
    struct Now {
        const Warp& w;
        const Ins* i;
        const Access& a;
        BlockState& block;
        WarpState& warp;
        Epoch mine;  ///< of lane 0
        bool writes = false;
        bool shared = false;
        u32 code = 0;
    };
    struct Page {
        std::array<Plane, Pages<Page>::page_bytes / line_bytes> lines;
        void reset() { lines.fill({}); }
    };

    Plane& line_at(const Now& n, u64 address) {
        if (n.shared) return n.block.lines[address / line_bytes];
        return pages_.at(address).lines[address % Pages<Page>::page_bytes / line_bytes];
    }
    bool in_bounds(const Now& n, u64 address, u32 bytes) {
        if (n.shared)
            return address < launch_->shared_bytes && launch_->shared_bytes - address >= bytes;
        return ranges_.hold(n.i, address, bytes);
    }
    bool whole_lines(Now&);
    [[gnu::noinline]] bool strips_allow_line(Now&, ShadowLine&);
    [[gnu::noinline]] void share_line(const Now&, Epoch& read, const Epoch& mine);
    bool line_allows(const Now&, const ShadowLine&, u32 who, u32 shift) const;
    void one_lane(Now&, u32 lane);
    /// The epochs of a line's words or bytes.
    Epoch* cells(ShadowLine& line, bool by_byte) {
        if (line.cells != nullptr && (line.by_byte || !by_byte)) return line.cells;
        return make_cells(line, by_byte);
    }
    Epoch* make_cells(ShadowLine&, bool by_byte);
    [[gnu::noinline]] void give(ShadowLine&);
    void touch(Now&, u32 lane, u64 address, Epoch& write, Epoch& read);
    /// Makes the epoch of a read stand for another read as well. `is_before` tells of an epoch
    /// whether it is ordered before that read.
    template <class Ordered>
    void share(Epoch& read, const Epoch& mine, const Ordered& is_before);
    [[nodiscard]] Epoch of_both(const Epoch& e, const Epoch& mine) const;
    /// The same for the epoch of a word or byte, whose list may still be its line's.
    template <class Ordered>
    void share_word(Epoch& read, Epoch mine, u32 word, const Ordered& is_before);
    /// An epoch of a list as it is for a word of the line.
    static Epoch of_word_in_line(Epoch e, u32 word) {
        const u32 shift = e.what & shift_mask;
        if ((e.what & level_mask) == 0 && shift != of_word) e.who += word >> (shift >> shift_at);
        e.what |= of_word;
        return e;
    }
    /// Is the epoch ordered before everything that the current block may still do?
    bool is_settled(const Now& n, const Epoch& e) const {
        if (e.time <= floor_) return true;
        const u32 level = e.what & level_mask;
        if (level == of_many || e.who < n.block.first || e.who >= n.block.end) return false;
        return e.time <= n.block.base;
    }
    [[gnu::noinline]] bool cells_settled(const Now&, const ShadowLine&);
    bool strips_settled(const Now&, const ShadowLine&);
    /// Does the current read come behind a bar.warp.sync that orders one of the strips before it?
    /// Then the two must not be taken together.
    bool follows_strips(const Now& n, const ShadowLine& line) {
        const bool has_met = n.warp.base > n.block.base || n.warp.pairs != nullptr;
        return has_met && has_earlier_strips(n, line);
    }
    [[gnu::noinline]] bool has_earlier_strips(const Now&, const ShadowLine&);
    void drop_strips(ShadowLine&);
    [[gnu::noinline]] void spread_strips(Now&, ShadowLine&);
    inline bool add_strip(Now&, ShadowLine&, const Strip&);
    inline bool may_read(const Now&, const ShadowLine&, u32 offset, u32 count) const;
    bool in_strips(Now&);
    [[gnu::noinline]] u32 shared_atomics(Now&);
    bool ordered(const Now&, u32 lane, const Epoch& before, bool without_fence = false);
    bool knows(const Now&, u32 lane, const Epoch& before, bool without_fence);
    [[nodiscard]] std::array<u64, 3> keys_of(const Epoch&) const;
    void give_up(const Ins*, std::string_view why);
    static bool both_strong(const Now&, const Epoch& before);
    static bool strong_for_all_lanes(const Now&, u32 before);
    void check(Now&, u32 lane, u64 address, const Epoch& before, bool was_write);
    void judge_race(Now&, u32 lane, u64 address, const Epoch& before, bool was_write);
    void check_volatile(Now&, u32 lane, u64 address, const Epoch& before);
    static bool is_together(const Now&, u32 lane, u64 address, const Epoch& before);
    Epoch last_write(const Now&, u64 address);
    [[gnu::noinline]] void observe(Now&);
    [[gnu::noinline]] void announce(Now&);
    [[gnu::noinline]] void hear(Now&);
    [[nodiscard]] bool was_told(const Now&, u32 lane, const Epoch& before) const;
    void check_told(Now&, u32 lane, u64 address, const Epoch& before);
    bool observed(const Now&, u32 lane, u64 address, const Epoch& before, bool is_update) const;
    bool same_value(const Now&, u32 lane, u64 address, u32 other, bool together) const;
    RaceCause cause_of(const Now&, u32 lane, const Epoch& before);
    void report(const Now&, u32 lane, u64 address, const Epoch& before, bool was_write, FindingKind,
                RaceCause);

    Log* log_of(BlockState&, bool shared, bool narrow, u64 address, bool make, u32& index);
    [[gnu::noinline]] void acquire(Now&);
    [[gnu::noinline]] void release(Now&);
    void follow_locks(const Now&);
    void note_unguarded(const Now&, u32 lane, Epoch& mine);
    void check_lock(const Now&, u32 lane, u64 address, const Epoch& before, bool was_write);
    void append(Log&, u32 self, BlockState&, WarpState&, u32 lane, const Fence&, Time published);
    void put(Log& log, u64 key, Time time, bool& changed) const;
    static void note_fenced(BlockState&);

    Findings& findings_;
    const Launch* launch_ = nullptr;
    bool enabled_ = false;
    u32 warps_per_block_ = 0;
    Time now_ = 1, floor_ = 0;
    bool has_releases_ = false;
    bool has_volatile_ = false;  ///< something was stored through volatile
    u64 knowledge_steps_ = 0;
    ByBlock<BlockState> blocks_;
    Pages<Page> pages_;
    Pool<Cells<line_words>> words_;
    Pool<Cells<line_bytes>> bytes_;
    Pool<Strips> strips_;
    std::vector<std::vector<Epoch>> lists_;
    TouchedRanges ranges_;
    std::deque<Log> logs_;
    std::unordered_map<u64, u32> objects_;
    std::unordered_map<u64, u32> announced_;  ///< address -> its log of announcements
    Idioms idioms_;
    HoistedLoads hoisted_;
    bool has_locks_ = false;  ///< a lock has been taken
    /// By thread and time of an access: the locks that the thread held, at least one of them
    /// without a fence behind it.
    std::unordered_map<u64, std::vector<Held>> unguarded_;
    static constexpr u32 no_object = ~u32{0};
    u32 left_out_ = no_object;  ///< a log that `knows` does not ask
    /// Of a search in the logs: up to which length it has looked at each one, by the number of the
    /// search. A search is short, and there are many.
    struct Looked {
        u64 search = 0;
        u32 length = 0;
    };
    std::vector<Looked> looked_;
    std::vector<Ref> open_;  ///< logs whose own refs are still to be followed
    u64 searches_ = 0;
    std::unordered_map<u64, std::size_t> reported_;
};

template <class Ordered>
void Detector::share_word(Epoch& read, Epoch mine, u32 word, const Ordered& is_before) {
    mine.what |= of_word;
    if ((read.what & level_mask) != of_many) {
        read.what |= of_word;
    } else if ((lists_[read.who].front().what & shift_mask) != of_word) {
        std::vector<Epoch> own = lists_[read.who];
        for (Epoch& e : own) e = of_word_in_line(e, word);
        read.who = static_cast<u32>(lists_.size());
        lists_.push_back(std::move(own));
    }
    share(read, mine, is_before);
}

template <class Ordered>
void Detector::share(Epoch& read, const Epoch& mine, const Ordered& is_before) {
    const u32 per_block = warps_per_block_ * lanes;
    const auto same_block = [&](const Epoch& e) {
        return e.who / per_block == mine.who / per_block;
    };
    const auto same_threads = [&](const Epoch& e) {
        return e.who == mine.who && ((e.what ^ mine.what) & shift_mask) == 0 &&
               ((e.what | mine.what) & level_mask) == 0;
    };
    if ((read.what & level_mask) == of_many) {
        auto& list = lists_[read.who];
        read.time = std::max(read.time, mine.time);
        if (same_block(list.back()))
            list.back() = same_threads(list.back()) || is_before(list.back())
                              ? mine
                              : of_both(list.back(), mine);
        else if (list.size() < longest_list)
            list.push_back(mine);
        return;
    }
    if (same_block(read)) {
        // Most of the time the epoch stands for this read already.
        if ((read.what & level_mask) == of_block && read.time >= mine.time &&
            (mine.what & (is_strong | is_narrow)) == (read.what & (is_strong | is_narrow)))
            return;
        read = of_both(read, mine);
        return;
    }
    const auto index = static_cast<u32>(lists_.size());
    lists_.push_back({read, mine});
    const u32 strong = read.what & mine.what & is_strong;
    read = {index, std::max(read.time, mine.time), of_many | strong};
}

}  // namespace cugrade::emulator::races
