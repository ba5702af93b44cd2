// Warp-level instructions: shfl, vote, match, redux, elect, bar.warp.sync, activemask.
#include "emulator/ops/warp_level.hpp"

namespace cugrade::emulator {
namespace {

u32 second_destination(const Warp& w, const Ins* i) {
    return w.launch->program->lists[i->target + 1].offset;
}

/// Calls f(group, present) as for_groups does, where `present` are the members that take part. If a
/// mask names no lane that takes part, the lanes of the group count as its members.
template <class F>
void for_present(const Warp& w, const Ins* i, F&& f) {
    for_groups(w, i, [&](u32 group, u32 named) {
        const u32 present = named & w.current.mask;
        f(group, present != 0 ? present : group);
    });
}

u32 source_predicate(const Warp& w, const Ins* i) {
    return i->negated ? ~w.predicate(i->c) : w.predicate(i->c);
}

/// Tells the observer of lanes that read a lane that takes no part or is not in their mask.
void tell_asked_in_vain(const Warp& w, const Ins* i, const ShuffleSources& sources) {
    Observer* observer = w.launch->options->observer;
    if (observer == nullptr) return;
    const Row<u32> named = members(w, i);
    u32 in_vain = 0;
    for_lanes(w.current.mask, [&](u32 l) {
        const u32 defined = named.get(l) & w.current.mask;
        if (sources[l] != l && (defined >> sources[l] & 1) == 0) in_vain |= 1u << l;
        return true;
    });
    if (in_vain != 0) observer->asked_in_vain(w, i, in_vain, sources);
}

/// aux: 0 up, 1 down, 2 bfly, 3 idx. c packs the last lane (bits 0 to 4) and the bits of the lane
/// number that name the segment (bits 8 to 12). A lane that reads an inactive lane gets its own
/// value. PTX leaves the value undefined; an H200 gave the own value in one kernel and 0 in
/// another.
void shuffle(Warp& w, const Ins* i) {
    const auto a = w.a<u32>(i);
    const auto b = w.b<u32>(i);
    const auto c = w.c<u32>(i);
    const u32 active = w.current.mask;
    std::array<u32, lanes> result;
    ShuffleSources sources;
    u32 in_range = 0;
    for_lanes(active, [&](u32 l) {
        const u32 delta = b.get(l) & 31, clamp = c.get(l) & 31, segment = c.get(l) >> 8 & 31;
        const u32 last = (l & segment) | (clamp & ~segment);
        const u32 first = l & segment;
        int from = 0;
        bool valid = false;
        switch (i->aux) {
            case 0:
                from = static_cast<int>(l) - static_cast<int>(delta);
                valid = from >= static_cast<int>(last);
                break;
            case 1:
                from = static_cast<int>(l + delta);
                valid = from <= static_cast<int>(last);
                break;
            case 2:
                from = static_cast<int>(l ^ delta);
                valid = from <= static_cast<int>(last);
                break;
            default:
                from = static_cast<int>(first | (delta & ~segment));
                valid = from <= static_cast<int>(last);
                break;
        }
        if (!valid) from = static_cast<int>(l);
        in_range |= u32{valid} << l;
        const u32 source = static_cast<u32>(from) & 31;
        sources[l] = static_cast<u8>(source);
        result[l] = a.get((active >> source & 1) != 0 ? source : l);
        return true;
    });
    tell_asked_in_vain(w, i, sources);
    if (i->d != no_row)
        for_lanes(w.current.mask, [&](u32 l) { return w.dst<u32>(i).set(l, result[l]), true; });
    if (const u32 p = second_destination(w, i); p != no_row) w.set_predicate(p, in_range);
}

/// aux: 0 all, 1 any, 2 uni, 3 ballot.
void cast_votes(Warp& w, const Ins* i) {
    const u32 value = source_predicate(w, i);
    for_present(w, i, [&](u32 group, u32 present) {
        const u32 yes = value & present;
        if (i->aux == 3) {
            for_lanes(group, [&](u32 l) { return w.dst<u32>(i).set(l, yes), true; });
            return;
        }
        const bool result = i->aux == 0   ? yes == present
                            : i->aux == 1 ? yes != 0
                                          : yes == 0 || yes == present;
        const u32 before = w.predicate(i->d);
        w.set_predicate(i->d, (before & ~group) | (result ? group : 0));
    });
}

/// bytes: 4 or 8; aux: 0 any, 1 all.
void find_matches(Warp& w, const Ins* i) {
    const auto value = [&](u32 l) {
        return i->bytes == 8 ? w.a<u64>(i).get(l) : w.a<u32>(i).get(l);
    };
    std::array<u32, lanes> result{};
    u32 agree = 0;
    for_present(w, i, [&](u32 group, u32 present) {
        for_lanes(group, [&](u32 l) {
            for_lanes(present, [&](u32 other) {
                if (value(other) == value(l)) result[l] |= 1u << other;
                return true;
            });
            if (i->aux == 1) {
                if (result[l] == present)
                    agree |= 1u << l;
                else
                    result[l] = 0;
            }
            return true;
        });
    });
    if (i->d != no_row)
        for_lanes(w.current.mask, [&](u32 l) { return w.dst<u32>(i).set(l, result[l]), true; });
    if (const u32 p = second_destination(w, i); p != no_row) w.set_predicate(p, agree);
}

/// min and max of floats: aux 8, and 1 for max, 2 for .abs, 4 for .NaN. -0 is below +0.
u32 reduce_floats(u32 a, u32 b, u32 aux) {
    if ((aux & 2) != 0) a &= 0x7FFFFFFF, b &= 0x7FFFFFFF;
    const auto is_nan = [](u32 x) { return (x & 0x7FFFFFFF) > 0x7F800000; };
    if (is_nan(a) || is_nan(b)) {
        if ((aux & 4) != 0 || (is_nan(a) && is_nan(b))) return 0x7FFFFFFF;
        return is_nan(a) ? b : a;
    }
    const auto order = [](u32 x) {
        return static_cast<s32>((x & 0x80000000) != 0 ? ~x ^ 0x80000000 : x);
    };
    return (order(a) < order(b)) == ((aux & 1) == 0) ? a : b;
}

/// aux: 0 add, 1 and, 2 or, 3 xor, 4 min.u32, 5 max.u32, 6 min.s32, 7 max.s32; floats above.
void reduce(Warp& w, const Ins* i) {
    const auto a = w.a<u32>(i);
    std::array<u32, lanes> result{};
    for_present(w, i, [&](u32 group, u32 present) {
        u32 value = a.get(static_cast<u32>(std::countr_zero(present)));
        if (i->aux >= 8) value = reduce_floats(value, value, i->aux);
        for_lanes(present & (present - 1), [&](u32 l) {
            const u32 x = a.get(l);
            if (i->aux >= 8) return value = reduce_floats(value, x, i->aux), true;
            const auto sx = static_cast<s32>(x), sv = static_cast<s32>(value);
            switch (i->aux) {
                case 0: value += x; break;
                case 1: value &= x; break;
                case 2: value |= x; break;
                case 3: value ^= x; break;
                case 4: value = std::min(value, x); break;
                case 5: value = std::max(value, x); break;
                case 6: value = static_cast<u32>(std::min(sv, sx)); break;
                default: value = static_cast<u32>(std::max(sv, sx)); break;
            }
            return true;
        });
        for_lanes(group, [&](u32 l) { return result[l] = value, true; });
    });
    for_lanes(w.current.mask, [&](u32 l) { return w.dst<u32>(i).set(l, result[l]), true; });
}

void choose_leader(Warp& w, const Ins* i) {
    u32 leaders = 0;
    std::array<u32, lanes> result{};
    for_present(w, i, [&](u32 group, u32 present) {
        const auto leader = static_cast<u32>(std::countr_zero(present));
        leaders |= 1u << leader;
        for_lanes(group, [&](u32 l) { return result[l] = leader, true; });
    });
    if (i->d != no_row)
        for_lanes(w.current.mask, [&](u32 l) { return w.dst<u32>(i).set(l, result[l]), true; });
    if (const u32 p = second_destination(w, i); p != no_row) w.set_predicate(p, leaders);
}

}  // namespace

const Ins* op::shfl(Warp& w, const Ins* i) { return synchronised<shuffle>(w, i); }
const Ins* op::vote(Warp& w, const Ins* i) { return synchronised<cast_votes>(w, i); }
const Ins* op::match(Warp& w, const Ins* i) { return synchronised<find_matches>(w, i); }
const Ins* op::redux(Warp& w, const Ins* i) { return synchronised<reduce>(w, i); }
const Ins* op::elect(Warp& w, const Ins* i) { return synchronised<choose_leader>(w, i); }

/// Lanes may meet from different bar.warp.sync instructions: both sides of a branch may have one.
const Ins* op::bar_warp(Warp& w, const Ins* i) {
    tell_exchange(w, i);
    if (w.current.mask == w.alive) [[likely]] {
        if (Observer* observer = w.launch->options->observer)
            for_groups(w, i, [&](u32 group, u32) { observer->warp_synchronised(w, i, group); });
        return i + 1;
    }
    absorb(w, i);
    const u32 wanted = members(w, i).get(w.first_lane());
    const auto waits = [&](const Split& other) {
        return other.state == SplitState::at_sync && other.pc->op == op::bar_warp &&
               other.members == wanted;
    };
    u32 here = w.current.mask;
    for (const Split& other : w.others)
        if (waits(other)) here |= other.mask;
    if ((wanted & w.alive & ~here) != 0) return wait_here(w, i);
    if (Observer* observer = w.launch->options->observer)
        observer->warp_synchronised(w, i, here & wanted);
    for (Split& other : w.others)
        if (waits(other)) {
            other.state = SplitState::running;
            ++other.pc;
        }
    w.current.pc = i + 1;
    return stop;
}

const Ins* op::activemask(Warp& w, const Ins* i) {
    for_lanes(w.current.mask, [&](u32 l) { return w.dst<u32>(i).set(l, w.current.mask), true; });
    return i + 1;
}

}  // namespace cugrade::emulator
