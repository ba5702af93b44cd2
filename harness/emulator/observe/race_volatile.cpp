// Judges stores through volatile.
//
// Two volatile stores are as strong as atomics. But if nothing orders them, one of them is lost:
// this is a finding of its own, unless both store the same value. A thread that waits for a flag
// and then stores to it knows the store for which it has waited, though no fence comes after that
// store. So the stores that strong loads read are remembered, too. The code tells what such a load
// is for (see Idioms): a loop that waits is followed by an answer to the store that ended it; the
// load of `*p = *p + 1` is followed by none.
#include "emulator/observe/race_detector.hpp"

namespace cugrade::emulator::races {

/// Remembers which volatile stores of other threads a strong load reads.
void Detector::observe(Now& n) {
    const u32 step = n.a.bytes < 4 ? 1 : 4;
    const bool polls = idioms_.polls(n.a.code);
    for_lanes(n.a.mask, [&](u32 l) {
        const u64 address = n.a.address[l];
        if (!in_bounds(n, address, n.a.bytes)) return true;
        for (u64 at = address; at < address + n.a.bytes; at += step) {
            const Epoch e = last_write(n, at);
            if (e.time > floor_ && (e.what & is_volatile) != 0 && e.who != n.mine.who + l)
                n.warp.state(l).seen.note(at, {e.who, e.time, n.mine.time, polls});
        }
        return true;
    });
}

/// True if the thread stores in answer to the store `before`: it has waited for that store in a
/// loop, or it has read it and a fence or a barrier came in between. The load of `*p = *p + 1` is
/// no such read, because a fence in the middle does not make the statement one step.
bool Detector::observed(const Now& n, u32 lane, u64 address, const Epoch& before,
                        bool is_update) const {
    const auto answers = [&](const SeenStores& stores, Time fenced) {
        if (stores.full()) return true;
        // A place that was read as a word may be written byte by byte.
        for (const u64 at : {address, address & ~u64{3}})
            if (const Seen* s = stores.find(at); s != nullptr && s->who == before.who &&
                                                 s->time == before.time &&
                                                 (s->polled || (fenced >= s->since && !is_update)))
                return true;
        return false;
    };
    constexpr Time by_barrier = ~Time{0};
    if (answers(n.block.seen, by_barrier) || answers(n.warp.seen, by_barrier)) return true;
    if (n.warp.lane.empty()) return false;
    const LaneState& state = n.warp.lane[lane];
    return answers(state.seen, state.fence[n.shared ? 0 : 1].time);
}

/// Judges two strong writes, at least one of them through volatile, which makes nothing atomic. Of
/// two stores that nothing orders one is lost. Whatever another thread writes between the load and
/// the store of `*p = *p + 1` is lost, too, even the change of an atomic.
void Detector::check_volatile(Now& n, u32 lane, u64 address, const Epoch& before) {
    const auto update_of = [&](u32 what) {
        return (what & is_volatile) != 0 ? idioms_.update_of(what & code_mask) : Update::none;
    };
    const Update mine = update_of(n.mine.what), theirs = update_of(before.what);
    // A volatile store beside atomics gives a lock back, or sets a counter to zero.
    const bool both_volatile = (before.what & n.mine.what & is_volatile) != 0;
    if (!both_volatile && mine == Update::none && theirs == Update::none) return;
    // The acquiring fence may be missing: volatile reads go to the L2 cache, and they come after
    // the branch that has waited for the lock.
    if (ordered(n, lane, before, true)) return;
    if (observed(n, lane, address, before, mine != Update::none)) return;
    if (both_volatile && mine != Update::changing &&
        same_value(n, lane, address, before.who % lanes, is_together(n, lane, address, before))) {
        const bool other_block = before.who < n.block.first || before.who >= n.block.end;
        if (!idioms_.may_differ(n.code, other_block) &&
            !idioms_.may_differ(before.what & code_mask, other_block))
            return;
        return report(n, lane, address, before, true, FindingKind::lost_update,
                      RaceCause::equal_by_luck);
    }
    if (both_volatile && !n.shared && was_told(n, lane, before))
        return report(n, lane, address, before, true, FindingKind::global_race,
                      RaceCause::unfenced_flag);
    report(n, lane, address, before, true, FindingKind::lost_update, RaceCause::unordered);
}

}  // namespace cugrade::emulator::races
