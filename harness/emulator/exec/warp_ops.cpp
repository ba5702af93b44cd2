// Warp-level instructions: shfl, vote, match, redux, elect, mma, bar.warp.sync, activemask.
//
// A .sync instruction runs for the lanes whose member mask has all arrived, which is usually the
// whole split. Lanes that still miss members wait in a split of their own; whoever comes to the
// same instruction later takes them along. In lockstep nobody waits: before Volta these were for
// lanes that had not parted.
#include <algorithm>

#include <fmt/format.h>

#include "emulator/exec/lane_loops.hpp"
#include "emulator/exec/observer.hpp"

namespace cugrade::emulator {
namespace {

/// The member mask: the only element at Ins::target; a destination predicate may follow it.
Row<u32> members(const Warp& w, const Ins* i) {
    const Operand& o = w.launch->program->lists[i->target];
    return {w.bases[o.base] + o.offset};
}
u32 second_destination(const Warp& w, const Ins* i) {
    return w.launch->program->lists[i->target + 1].offset;
}

/// Takes along lanes that wait at this very instruction in the same call.
void absorb(Warp& w, const Ins* i) {
    std::erase_if(w.others, [&](const Split& other) {
        if (other.pc != i || other.state != SplitState::at_sync || other.frames != w.current.frames)
            return false;
        w.current.mask |= other.mask;
        return true;
    });
}

bool nobody_waits(const Warp& w) { return w.launch->options->schedule == Schedule::lockstep; }

u32 ready_lanes(const Warp& w, const Ins* i) {
    if (nobody_waits(w)) return w.current.mask;
    const Row<u32> mask = members(w, i);
    u32 ready = 0;
    for_lanes(w.current.mask, [&](u32 l) {
        if ((mask.get(l) & w.alive & ~w.current.mask) == 0) ready |= 1u << l;
        return true;
    });
    return ready;
}

const Ins* wait_here(Warp& w, const Ins* i) {
    w.current.pc = i;
    w.current.state = SplitState::at_sync;
    w.current.members = members(w, i).get(w.first_lane());
    return stop;
}

template <void (*body)(Warp&, const Ins*)>
const Ins* synchronised(Warp& w, const Ins* i) {
    if (w.current.mask == w.alive) [[likely]] {
        body(w, i);
        return i + 1;
    }
    absorb(w, i);
    const u32 ready = ready_lanes(w, i);
    if (ready == 0) return wait_here(w, i);
    if (ready != w.current.mask) {
        Split rest = w.current;
        rest.pc = i;
        rest.mask &= ~ready;
        rest.state = SplitState::at_sync;
        rest.members = members(w, i).get(static_cast<u32>(std::countr_zero(rest.mask)));
        w.others.push_back(std::move(rest));
        w.current.mask = ready;
    }
    body(w, i);
    w.current.pc = i + 1;
    return stop;
}

/// Calls f(group) for each set of active lanes with the same member mask; the group is the mask
/// without lanes that are not here.
template <class F>
void for_groups(const Warp& w, const Ins* i, F&& f) {
    const Row<u32> mask = members(w, i);
    for (u32 left = w.current.mask; left != 0;) {
        const u32 value = mask.get(static_cast<u32>(std::countr_zero(left)));
        u32 group = 0;
        for_lanes(left, [&](u32 l) {
            if (mask.get(l) == value) group |= 1u << l;
            return true;
        });
        f(group, value & w.current.mask);
        left &= ~group;
    }
}

u32 source_predicate(const Warp& w, const Ins* i) {
    return i->negated ? ~w.predicate(i->c) : w.predicate(i->c);
}

/// aux: 0 up, 1 down, 2 bfly, 3 idx. c packs the last lane (bits 0 to 4) and the bits of the lane
/// number that name the segment (bits 8 to 12).
void shuffle(Warp& w, const Ins* i) {
    const auto a = w.a<u32>(i);
    const auto b = w.b<u32>(i);
    const auto c = w.c<u32>(i);
    std::array<u32, lanes> result;
    u32 in_range = 0;
    for_lanes(w.current.mask, [&](u32 l) {
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
        result[l] = a.get(static_cast<u32>(from) & 31);
        return true;
    });
    if (i->d != no_row)
        for_lanes(w.current.mask, [&](u32 l) { return w.dst<u32>(i).set(l, result[l]), true; });
    if (const u32 p = second_destination(w, i); p != no_row) w.set_predicate(p, in_range);
}

/// aux: 0 all, 1 any, 2 uni, 3 ballot.
void cast_votes(Warp& w, const Ins* i) {
    const u32 value = source_predicate(w, i);
    for_groups(w, i, [&](u32 group, u32 present) {
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
    for_groups(w, i, [&](u32 group, u32 present) {
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
    for_groups(w, i, [&](u32 group, u32 present) {
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
    for_groups(w, i, [&](u32 group, u32 present) {
        const auto leader = static_cast<u32>(std::countr_zero(present));
        leaders |= 1u << leader;
        for_lanes(group, [&](u32 l) { return result[l] = leader, true; });
    });
    if (i->d != no_row)
        for_lanes(w.current.mask, [&](u32 l) { return w.dst<u32>(i).set(l, result[l]), true; });
    if (const u32 p = second_destination(w, i); p != no_row) w.set_predicate(p, leaders);
}

/// Products of 8 rows of 16 bytes with 8 columns of 16, added to `sum` row by row. Neither has
/// gaps: four lanes hold a row, or a column, one after the other.
template <class A, class B>
void add_products(const std::byte* a, const std::byte* b, std::array<u32, 64>& sum) {
    constexpr std::size_t length = 16;
    std::array<A, 8 * length> rows;
    std::array<B, 8 * length> columns;
    std::memcpy(rows.data(), a, sizeof rows);
    std::memcpy(columns.data(), b, sizeof columns);
    for (std::size_t r = 0; r < 8; ++r)
        for (std::size_t c = 0; c < 8; ++c) {
            s32 product = 0;
            for (std::size_t k = 0; k < length; ++k)
                product += s32{rows[r * length + k]} * s32{columns[c * length + k]};
            sum[r * 8 + c] += static_cast<u32>(product);
        }
}

/// mma of bytes; the fragments are those of the PTX manual, section "Matrix Fragments for
/// mma.m16n8k32" and its siblings. aux: bit 0 two halves of 8 rows instead of one, bit 1 two halves
/// of 16 columns of a, bit 2 a is signed, bit 3 b is. At Ins::target: members, d, a, b, c.
void multiply_matrices(Warp& w, const Ins* i) {
    const u32 row_halves = 1 + (i->aux & 1), column_halves = 1 + (i->aux >> 1 & 1);
    const Operand* const d = &w.launch->program->lists[i->target + 1];
    const Operand* const a = d + std::size_t{2} * row_halves;
    const Operand* const b = a + std::size_t{row_halves} * column_halves;
    const Operand* const c = b + column_halves;
    const auto row = [&w](const Operand& o) { return w.bases[o.base] + o.offset; };
    std::array<std::array<u32, 64>, 2> sums;
    for (u32 h = 0; h < row_halves; ++h) {
        std::array<u32, 64>& sum = sums[h];
        for (u32 n = 0; n < 64; ++n) sum[n] = Row<u32>{row(c[2 * h + n % 2])}.get(n / 2);
        for (u32 k = 0; k < column_halves; ++k) {
            const auto add = [&]<class A, class B>(A, B) {
                add_products<A, B>(row(a[h + k * row_halves]), row(b[k]), sum);
            };
            switch (i->aux >> 2) {
                case 0: add(std::uint8_t{}, std::uint8_t{}); break;
                case 1: add(std::int8_t{}, std::uint8_t{}); break;
                case 2: add(std::uint8_t{}, std::int8_t{}); break;
                default: add(std::int8_t{}, std::int8_t{}); break;
            }
        }
    }
    // Last: d may share rows with the others.
    for (u32 h = 0; h < row_halves; ++h)
        for (u32 n = 0; n < 64; ++n)
            if (const Operand& to = d[2 * h + n % 2]; to.offset != no_row)
                Row<u32>{row(to)}.set(n / 2, sums[h][n]);
}

}  // namespace

const Ins* op::mma(Warp& w, const Ins* i) {
    constexpr u32 all = ~u32{0};
    if (w.alive != all || (nobody_waits(w) && w.current.mask != all))
        return fail(
            w, i, FaultKind::barrier_divergence, w.first_lane(),
            fmt::format("executes an mma, in which all 32 threads of a warp take part, in a "
                        "warp with {} threads",
                        std::popcount(w.alive & w.current.mask)));
    return synchronised<multiply_matrices>(w, i);
}
const Ins* op::shfl(Warp& w, const Ins* i) { return synchronised<shuffle>(w, i); }
const Ins* op::vote(Warp& w, const Ins* i) { return synchronised<cast_votes>(w, i); }
const Ins* op::match(Warp& w, const Ins* i) { return synchronised<find_matches>(w, i); }
const Ins* op::redux(Warp& w, const Ins* i) { return synchronised<reduce>(w, i); }
const Ins* op::elect(Warp& w, const Ins* i) { return synchronised<choose_leader>(w, i); }

/// Lanes may meet from different bar.warp.sync instructions: both sides of a branch may have one.
const Ins* op::bar_warp(Warp& w, const Ins* i) {
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
    if ((wanted & w.alive & ~here) != 0 && !nobody_waits(w)) return wait_here(w, i);
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
