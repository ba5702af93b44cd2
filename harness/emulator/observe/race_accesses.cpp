// Checks each access: first the common cases of whole warps, then lane by lane.
//
// If a warp reads or writes whole lines, lane after lane, one epoch per line is compared. Other
// reads of neighbours by neighbours go to strips, and atomics in shared memory to their words. All
// other accesses go word by word, or byte by byte, through `touch`.
#include <algorithm>
#include <bit>

#include "emulator/observe/race_detector.hpp"

namespace cugrade::emulator::races {

using ptx::Space;

void Detector::accessed(const Warp& w, const Ins* i, const Access& a) {
    if (!enabled_ || (a.space != Space::global && a.space != Space::shared) || a.bytes == 0) return;
    if (a.kind == Access::Kind::load && !a.strong)
        if (const u32 used = hoisted_.used_lanes(w, a.code, a.mask); used != a.mask) {
            if (used == 0) return;
            Access fewer = a;
            fewer.mask = used;
            fewer.pattern = pattern_of(fewer);
            return accessed(w, i, fewer);
        }
    BlockState& b = blocks_[w.block];
    WarpState& ws = b.warps[w.index];
    Now n{w, i, a, b, ws, {}, a.kind != Access::Kind::load, a.space == Space::shared, 0};
    if (a.strong && has_releases_ && a.kind != Access::Kind::store) acquire(n);
    n.code = a.code;
    n.mine.who = ws.who;
    n.mine.time = std::max(ws.stamp, b.stamp);
    n.mine.what = n.code | (a.strong ? is_strong : 0) |
                  (a.strong && !n.shared && a.scope == Scope::block ? is_narrow : 0) |
                  (a.kind == Access::Kind::atomic ? is_atomic : 0) |
                  ((a.mask & (a.mask - 1)) != 0 ? is_wide : 0) | (a.is_volatile ? is_volatile : 0);
    if (a.strong && has_volatile_ && !n.writes) observe(n);
    const bool is_told = a.strong && has_volatile_ && !n.shared && a.scope != Scope::block;
    if (is_told && a.kind != Access::Kind::store) hear(n);
    if (has_locks_ && !n.shared && !ws.lane.empty() && !a.strong &&
        std::ranges::any_of(ws.lane, &LaneState::is_unguarded))
        for_lanes(a.mask, [&](u32 l) { return one_lane(n, l), true; });
    else if (!whole_lines(n) && (n.writes || !in_strips(n)))
        for_lanes(shared_atomics(n), [&](u32 l) { return one_lane(n, l), true; });
    has_volatile_ |= n.writes && a.is_volatile;
    if (is_told && n.writes) announce(n);
    if (a.taking != Access::Taking::no || (has_locks_ && a.strong && n.writes)) follow_locks(n);
    if (a.strong && n.writes && (has_releases_ || a.releases)) release(n);
}

/// Is the line's one epoch ordered before the current warp's access to the same words?
bool Detector::line_allows(const Now& n, const ShadowLine& line, u32 who, u32 shift) const {
    const Epoch& e = line.all;
    if (e.time <= floor_) return true;
    const u32 level = e.what & level_mask;
    if (level == of_many) return false;
    if (level == 0 && e.who == who && (e.what & shift_mask) >> shift_at == shift) return true;
    if (e.who < n.block.first || e.who >= n.block.end) return false;
    if (e.time <= n.block.base) return true;
    return level != of_block && (e.who ^ n.mine.who) < lanes && e.time <= n.warp.base;
}

/// The common case: 32 lanes one after the other on whole lines. False: the access is not recorded.
bool Detector::whole_lines(Now& n) {
    const Access& a = n.a;
    if (a.mask != all_lanes || a.pattern != Pattern::consecutive) return false;
    if (a.bytes != 4 && a.bytes != 8 && a.bytes != 16) return false;
    if ((a.address[0] & (line_bytes - 1)) != 0) return false;
    // Programs that rely on lockstep do so in volatile shared memory, which is checked lane by
    // lane.
    if (n.shared && a.strong) return false;
    if (!in_bounds(n, a.address[0], lanes * a.bytes)) return false;
    const u32 shift = static_cast<u32>(std::countr_zero(a.bytes)) - 2, count = a.bytes / 4;
    std::array<Plane*, 4> planes{};
    for (u32 k = 0; k < count; ++k) {
        const u64 at = a.address[0] + k * line_bytes;
        Plane& p = line_at(n, at);
        planes[k] = &p;
        const u32 who = n.mine.who + k * (lanes >> shift);
        if (p.write.cells != nullptr) {
            if (!cells_settled(n, p.write)) return false;
            if (n.writes) give(p.write);
        }
        if (p.read.cells != nullptr) {
            if (!cells_settled(n, p.read)) return false;
            // Other blocks may still write here, and these reads matter to them.
            if (!n.writes && !n.shared) return false;
            give(p.read);
        }
        if (p.read.strips != nullptr && !strips_allow_line(n, p.read)) return false;
        if (p.write.cells != nullptr) continue;
        const u32 what = p.write.all.what;
        if (!strong_for_all_lanes(n, what) && !line_allows(n, p.write, who, shift)) return false;
        if (n.writes && !line_allows(n, p.read, who, shift)) return false;
    }
    for (u32 k = 0; k < count; ++k) {
        Epoch mine = n.mine;
        mine.who += k * (lanes >> shift);
        mine.what |= shift << shift_at;
        Plane& p = *planes[k];
        if (n.writes) {
            p.write.all = mine;
            p.read.all.time = 0;
        } else if (line_allows(n, p.read, mine.who, shift)) {
            p.read.all = mine;
        } else {
            share_line(n, p.read.all, mine);
        }
    }
    return true;
}

bool Detector::strips_allow_line(Now& n, ShadowLine& line) {
    if (n.writes) {
        if (!strips_settled(n, line)) return false;
        drop_strips(line);
        return true;
    }
    if (!follows_strips(n, line)) return true;
    spread_strips(n, line);
    return false;
}

/// Lines that several blocks read are rarer than lines of one warp; in whole_lines() this would
/// cost all of them registers.
void Detector::share_line(const Now& n, Epoch& read, const Epoch& mine) {
    share(read, mine, [&](const Epoch& e) {
        return is_settled(n, e) || ((e.who ^ mine.who) < lanes &&
                                    (e.what & level_mask) != of_block && e.time <= n.warp.base);
    });
}

/// The common case of atomics in shared memory: words that only atomics have touched since the last
/// barrier. Returns the lanes that are not recorded.
u32 Detector::shared_atomics(Now& n) {
    if (!n.shared || n.a.kind != Access::Kind::atomic || n.a.bytes != 4) return n.a.mask;
    const u64 size = launch_->shared_bytes < 4 ? 0 : launch_->shared_bytes - 3;
    Plane* const lines = n.block.lines.data();
    const Epoch mine = n.mine;
    const Time settled = std::max(n.block.base, floor_);
    const u32 first = n.block.first, threads = n.block.end - n.block.first;
    u32 rest = 0;
    const auto is_done = [&](u32 l) {
        const u64 address = n.a.address[l];
        if (address >= size || (address & 3) != 0) return false;
        const Plane& p = lines[address / line_bytes];
        if (p.write.cells == nullptr || p.write.by_byte || p.read.cells != nullptr ||
            p.read.strips != nullptr || p.read.all.time > floor_)
            return false;
        Epoch& e = p.write.cells[address % line_bytes / 4];
        if ((e.what & is_atomic) == 0 && e.time > floor_ &&
            (e.time > settled || e.who - first >= threads))
            return false;
        e = {mine.who + l, mine.time, mine.what};
        return true;
    };
    for_lanes(n.a.mask, [&](u32 l) { return rest |= is_done(l) ? 0u : 1u << l, true; });
    return rest;
}

void Detector::one_lane(Now& n, u32 lane) {
    const u64 address = n.a.address[lane];
    const u32 bytes = n.a.bytes;
    if (!in_bounds(n, address, bytes)) return;
    const u32 step = bytes < 4 || (address & 3) != 0 ? 1 : 4;
    for (u64 at = address; at < address + bytes; at += step) {
        Plane& p = line_at(n, at);
        if (n.writes && p.read.strips != nullptr) spread_strips(n, p.read);
        const bool by_byte = step == 1 || p.write.by_byte || p.read.by_byte;
        // A line that nobody has touched in this launch need not be split into cells.
        const auto cells_of = [&](ShadowLine& line, bool needed) {
            return needed || line.cells != nullptr || line.all.time > floor_ ? cells(line, by_byte)
                                                                             : nullptr;
        };
        Epoch* write = cells_of(p.write, n.writes);
        Epoch* read = cells_of(p.read, !n.writes);
        const u32 offset = at & (line_bytes - 1);
        const u32 first = by_byte ? offset : offset / 4, end = by_byte ? offset + step : first + 1;
        for (u32 k = first; k < end; ++k) {
            Epoch none;
            touch(n, lane, at + (k - first), write != nullptr ? write[k] : none,
                  read != nullptr ? read[k] : none);
        }
    }
}

void Detector::touch(Now& n, u32 lane, u64 address, Epoch& write, Epoch& read) {
    Epoch mine = n.mine;
    mine.who += lane;
    const u32 word = (address & (line_bytes - 1)) / 4;
    if (has_locks_ && !n.shared && !n.a.strong) note_unguarded(n, lane, mine);
    if (write.time > floor_ && write.who != mine.who) check(n, lane, address, write, true);
    if (!n.writes) {
        if (read.time <= floor_ || (read.who == mine.who && (read.what & level_mask) == 0) ||
            ordered(n, lane, read))
            read = mine;
        else
            share_word(read, mine, word, [&](const Epoch& e) { return ordered(n, lane, e); });
        return;
    }
    if (read.time > floor_) {
        if ((read.what & level_mask) == of_many) {
            for (std::size_t k = 0; k < lists_[read.who].size(); ++k)
                check(n, lane, address, of_word_in_line(lists_[read.who][k], word), false);
        } else {
            check(n, lane, address, read, false);
        }
        read.time = 0;
    }
    write = mine;
}

bool Detector::ordered(const Now& n, u32 lane, const Epoch& before, bool without_fence) {
    if (before.time <= floor_) return true;
    const u32 level = before.what & level_mask;
    if (level == of_many) return false;
    const u32 self = n.warp.who + lane;
    if (level == 0 && before.who == self) return true;
    if (before.who >= n.block.first && before.who < n.block.end) {
        if (before.time <= n.block.base) return true;
        if ((before.who ^ self) < lanes && level != of_block) {
            if (before.time <= n.warp.base) return true;
            if (n.warp.pairs != nullptr && before.time <= (*n.warp.pairs)[lane][before.who % lanes])
                return true;
        }
    }
    return has_releases_ && knows(n, lane, before, without_fence);
}

/// Is each of the two strong to the other? An access of the block's scope is weak to other blocks.
bool Detector::both_strong(const Now& n, const Epoch& before) {
    if (!n.a.strong || (before.what & is_strong) == 0) return false;
    return ((before.what | n.mine.what) & is_narrow) == 0 ||
           (before.who >= n.block.first && before.who < n.block.end);
}

/// The same for a whole line, where no use of volatile has to be judged lane by lane.
bool Detector::strong_for_all_lanes(const Now& n, u32 before) {
    const u32 either = before | n.mine.what, both = before & n.mine.what;
    return (both & is_strong) != 0 && (either & is_narrow) == 0 &&
           ((n.writes ? either : both) & is_volatile) == 0;
}

void Detector::check(Now& n, u32 lane, u64 address, const Epoch& before, bool was_write) {
    const u32 self = n.warp.who + lane;
    if (before.who == self && (before.what & level_mask) == 0) return;
    if (both_strong(n, before)) {
        const bool one_warp = (before.who ^ self) < lanes && (before.what & level_mask) != of_block;
        const u32 other = before.who % lanes;
        // No race. But lanes that execute both instructions together rely on lockstep.
        const bool lockstep = n.shared && one_warp && (n.mine.what & is_wide) != 0 &&
                              (before.what & is_wide) != 0 && (n.a.mask >> other & 1) != 0 &&
                              ((n.mine.what | before.what) & is_atomic) == 0 &&
                              (before.what & code_mask) != n.code;
        if (lockstep) {
            if (!ordered(n, lane, before))
                report(n, lane, address, before, was_write, FindingKind::missing_syncwarp,
                       RaceCause::unordered);
        } else if (was_write && n.writes && ((before.what | n.mine.what) & is_volatile) != 0) {
            check_volatile(n, lane, address, before);
        } else if (was_write && (before.what & n.mine.what & is_volatile) != 0) {
            check_told(n, lane, address, before);
        }
        return;
    }
    // A loop around atomicCAS starts with a plain read, which the atomicCAS then checks.
    if (!n.writes && (before.what & is_atomic) != 0 && idioms_.is_for_cas(n.code)) return;
    if (!was_write && n.a.kind == Access::Kind::atomic &&
        idioms_.is_for_cas(before.what & code_mask))
        return;
    if (ordered(n, lane, before)) {
        if ((before.what & (is_unguarded | level_mask)) == is_unguarded)
            check_lock(n, lane, address, before, was_write);
        return;
    }
    judge_race(n, lane, address, before, was_write);
}

}  // namespace cugrade::emulator::races
