// Strips: neighbouring lanes read neighbouring bytes that are no whole line.
//
// Most reads of a stencil, a tile's border or a block's tail are such. A line keeps each of the
// last ones as one record, instead of an epoch for each word. When somebody writes there, or when
// there are too many strips, they become epochs.
#include <bit>
#include <utility>
#include <vector>

#include "emulator/observe/race_detector.hpp"

namespace cugrade::emulator::races {

bool Detector::strips_settled(const Now& n, const ShadowLine& line) {
    for (const Strips* s = line.strips; s != nullptr; s = s->older)
        for (u32 k = 0; k < s->count; ++k)
            if (!is_settled(n, s->strip[k].epoch)) return false;
    return true;
}

bool Detector::has_earlier_strips(const Now& n, const ShadowLine& line) {
    const bool by_lanes = n.warp.pairs != nullptr;
    for (const Strips* s = line.strips; s != nullptr; s = s->older)
        for (u32 k = 0; k < s->count; ++k) {
            const Epoch& e = s->strip[k].epoch;
            if ((e.who ^ n.mine.who) < lanes && !is_settled(n, e) &&
                (by_lanes || e.time <= n.warp.base))
                return true;
        }
    return false;
}

void Detector::drop_strips(ShadowLine& line) {
    while (line.strips != nullptr) strips_.give(std::exchange(line.strips, line.strips->older));
}

/// Turns the strips of a line into epochs for words or bytes.
void Detector::spread_strips(Now& n, ShadowLine& line) {
    std::vector<Strip> all;
    for (const Strips* s = line.strips; s != nullptr; s = s->older)
        all.insert(all.begin(), s->strip.begin(), s->strip.begin() + s->count);
    drop_strips(line);
    for (const Strip& strip : all) {
        // In shared memory all later accesses are behind the same barrier, too.
        if (n.shared && is_settled(n, strip.epoch)) continue;
        const bool by_byte = line.by_byte || strip.lane_bytes() < 4 || (strip.first() & 3) != 0;
        Epoch* to = cells(line, by_byte);
        const u32 size = by_byte ? 1 : 4;
        for (u32 at = strip.first(); at < strip.first() + strip.count(); at += size) {
            Epoch e = strip.epoch;
            e.who += (at - strip.first()) / strip.lane_bytes();
            Epoch& cell = to[at / size];
            const bool replaces = is_settled(n, cell) ||
                                  (cell.who == e.who && ((cell.what | e.what) & level_mask) == 0);
            if (replaces) {
                cell = e;
                continue;
            }
            share_word(cell, e, at / 4, [&](const Epoch& before) { return is_settled(n, before); });
        }
    }
}

/// Adds a strip that differs from the last one. False: there is no room, and the caller has to
/// record the reads lane by lane.
bool Detector::add_strip(Now& n, ShadowLine& line, const Strip& strip) {
    Strips* s = line.strips;
    if (s != nullptr && n.shared && is_settled(n, s->strip[s->count - 1].epoch)) {
        drop_strips(line);
        s = nullptr;
    }
    u32 total = 0;
    if (s != nullptr) {
        total = s->total;
        if (total >= (n.shared ? most_shared_strips : most_global_strips)) [[unlikely]] {
            const Strips* oldest = s;
            while (oldest->older != nullptr) oldest = oldest->older;
            const u32 who = oldest->strip[0].epoch.who;
            // Data that many blocks read: the first readers stand for all.
            if (!n.shared && (who < n.block.first || who >= n.block.end)) return true;
            spread_strips(n, line);
            return false;
        }
    }
    if (s == nullptr || s->count == s->strip.size()) {
        line.strips = strips_.take();
        line.strips->older = s;
        line.strips->count = 0;
        s = line.strips;
    }
    s->total = total + 1;
    s->strip[s->count++] = strip;
    return true;
}

/// May the lanes read these bytes of a line without a race with the writes there?
bool Detector::may_read(const Now& n, const ShadowLine& written, u32 offset, u32 count) const {
    const auto allowed = [&](const Epoch& e) {
        return is_settled(n, e) || strong_for_all_lanes(n, e.what);
    };
    if (written.cells == nullptr) return allowed(written.all);
    const u32 size = written.by_byte ? 1 : 4;
    for (u32 k = offset / size; k <= (offset + count - 1) / size; ++k)
        if (!allowed(written.cells[k])) return false;
    return true;
}

/// Records a read of neighbouring bytes by neighbouring lanes, or of one place by all of them.
/// False: the access is another one, or the lanes have to be recorded one by one.
bool Detector::in_strips(Now& n) {
    const Access& a = n.a;
    if (a.pattern == Pattern::scattered) return false;
    if (!std::has_single_bit(a.bytes) || a.bytes > 16 || (n.shared && a.strong)) return false;
    const u32 first = a.first_lane();
    const u64 start = a.address[first];
    if ((start & (a.bytes - 1)) != 0) return false;
    Strip strip;
    strip.epoch = n.mine;
    strip.epoch.who += first;
    u32 left = a.bytes;
    if (a.pattern == Pattern::uniform) {
        const u32 run = a.mask >> first;
        if ((run & (run + 1)) != 0) return false;  // lanes are missing in between
        strip.epoch.what |= of_warp;
    } else {
        left *= a.active();
    }
    if (!in_bounds(n, start, left)) return false;
    const u32 shift = static_cast<u32>(std::countr_zero(a.bytes));
    for (u64 at = start; left != 0;) {
        const u32 offset = at & (line_bytes - 1), here = std::min(line_bytes - offset, left);
        Plane& p = line_at(n, at);
        if (!may_read(n, p.write, offset, here)) return false;
        if (p.read.strips != nullptr && follows_strips(n, p.read)) [[unlikely]] {
            spread_strips(n, p.read);
            return false;
        }
        if (p.read.cells != nullptr) [[unlikely]] {
            if (!n.shared || !cells_settled(n, p.read)) return false;
            give(p.read);
        }
        strip.extent = offset | here << 8 | a.bytes << 16;
        Strip* const last =
            p.read.strips == nullptr ? nullptr : &p.read.strips->strip[p.read.strips->count - 1];
        if (last != nullptr && last->extent == strip.extent && last->epoch.who == strip.epoch.who &&
            ((last->epoch.what ^ strip.epoch.what) & (is_strong | is_narrow | level_mask)) == 0)
            last->epoch = strip.epoch;
        else if (!add_strip(n, p.read, strip))
            return false;
        at += here;
        left -= here;
        if (left != 0) strip.epoch.who += here >> shift;
    }
    return true;
}

}  // namespace cugrade::emulator::races
