// How undefined bits go from lane to lane: shuffles, votes, match, redux and matrix products.
#include "emulator/observe/undefined_flow.hpp"
#include "emulator/ops/lane_loops.hpp"
#include "emulator/state/observer.hpp"

namespace cugrade::emulator {

void UndefinedFlow::exchange(UndefinedWarp& of, const Warp& w, const Ins* i, u32 group) {
    if (i->op == op::bar_warp) return;
    regs_ = &of.registers;
    astray_ = &of.astray;
    if (i->op == op::shfl)
        shuffle(w, i, group);
    else if (i->op == op::vote)
        vote(w, i, group);
    else if (i->op == op::match)
        reduce(w, i, group, i->bytes);
    else if (i->op == op::redux)
        reduce(w, i, group, 4);
    else if (i->op == op::mma)
        multiply_matrices(w, i);
    else if (i->d != no_row)
        regs_->set_row(w, i->d, 4, group, {});
    if (const u32 astray = astray_->mask() & group; astray != 0) set_astray(w, i, rule(i), astray);
}

/// The undefined bits go the way of the values; see `shuffle` in warp_ops.cpp. From a lane that
/// takes no part no bits come.
void UndefinedFlow::shuffle(const Warp& w, const Ins* i, u32 group) {
    const UndefinedRow a = operand(w, i->ka, i->a, 4), b = operand(w, i->kb, i->b, 4),
                       c = operand(w, i->kc, i->c, 4);
    UndefinedRow result;
    UndefinedPredicate in_range;
    for_lanes(group, [&](u32 l) {
        const u32 delta = static_cast<u32>(value_of(w, i->kb, i->b, 4, l)) & 31;
        const u32 bounds = static_cast<u32>(value_of(w, i->kc, i->c, 4, l));
        const u32 clamp = bounds & 31, segment = bounds >> 8 & 31;
        const u32 last = (l & segment) | (clamp & ~segment);
        u32 from = l;
        bool valid = false;
        switch (i->aux) {
            case 0:
                from = l - delta;
                valid = static_cast<s32>(from) >= static_cast<s32>(last);
                break;
            case 1: from = l + delta, valid = from <= last; break;
            case 2: from = l ^ delta, valid = from <= last; break;
            default: from = (l & segment) | (delta & ~segment), valid = from <= last; break;
        }
        if (!valid || (w.current.mask >> (from & 31) & 1) == 0) from = l;
        result.bits[l] = a.bits[from & 31];
        result.origin[l] = a.origin[from & 31];
        if ((b.bits[l] | c.bits[l]) != 0) {
            result.bits[l] = 0xFFFFFFFF;
            result.origin[l] = (b.bits[l] != 0 ? b : c).origin[l] | is_computed;
            in_range.bits |= 1u << l;
            in_range.origin[l] = result.origin[l];
        }
        return true;
    });
    if (i->d != no_row) regs_->set_row(w, i->d, 4, group, result);
    if (const u32 p = launch_->program->lists[i->target + 1].offset; p != no_row)
        regs_->set_predicate(w, p, group, in_range);
}

/// A ballot has an undefined bit for each undefined vote; the others are undefined unless the
/// defined votes decide.
void UndefinedFlow::vote(const Warp& w, const Ins* i, u32 group) {
    const UndefinedPredicate votes = regs_->predicate(w, i->c);
    const u32 value = i->negated ? ~w.predicate(i->c) : w.predicate(i->c);
    const Operand& members = launch_->program->lists[i->target];
    UndefinedRow ballot;
    UndefinedPredicate result;
    for_lanes(group, [&](u32 l) {
        const u32 present =
            static_cast<u32>(value_of(w, members.base, members.offset, 4, l)) & w.current.mask;
        const u32 open = votes.bits & present, yes = value & present & ~open,
                  no = ~value & present & ~open;
        ballot.bits[l] = open;
        if (open != 0)
            ballot.origin[l] = result.origin[l] =
                votes.origin[static_cast<u32>(std::countr_zero(open))] | is_computed;
        const bool is_decided = i->aux == 0   ? no != 0
                                : i->aux == 1 ? yes != 0
                                              : yes != 0 && no != 0;
        if (open != 0 && !is_decided) result.bits |= 1u << l;
        return true;
    });
    if (i->aux == 3) return regs_->set_row(w, i->d, 4, group, ballot);
    regs_->set_predicate(w, i->d, group, result);
}

/// redux and match: one undefined value makes the results of all that take part undefined.
void UndefinedFlow::reduce(const Warp& w, const Ins* i, u32 group, u32 bytes) {
    const UndefinedRow a = operand(w, i->ka, i->a, bytes);
    const Operand& members = launch_->program->lists[i->target];
    UndefinedRow result;
    UndefinedPredicate agree;
    for_lanes(group, [&](u32 l) {
        const u32 present =
            static_cast<u32>(value_of(w, members.base, members.offset, 4, l)) & w.current.mask;
        for_lanes(present, [&](u32 other) {
            if (a.bits[other] == 0) return true;
            result.bits[l] = 0xFFFFFFFF;
            result.origin[l] = agree.origin[l] = a.origin[other] | is_computed;
            agree.bits |= 1u << l;
            return false;
        });
        return true;
    });
    if (i->d != no_row) regs_->set_row(w, i->d, 4, group, result);
    if (const u32 p = launch_->program->lists[i->target + 1].offset; p != no_row)
        regs_->set_predicate(w, p, group, agree);
}

/// A product is undefined if its row of a, its column of b or its own sum is. `multiply_matrices`
/// in warp_ops.cpp says which lane holds which elements.
void UndefinedFlow::multiply_matrices(const Warp& w, const Ins* i) {
    const u32 row_halves = 1 + (i->aux & 1), column_halves = 1 + (i->aux >> 1 & 1);
    const Operand* const d = &launch_->program->lists[i->target + 1];
    const Operand* const a = d + std::size_t{2} * row_halves;
    const Operand* const b = a + std::size_t{row_halves} * column_halves;
    const Operand* const c = b + column_halves;
    const auto row = [&](const Operand& o) { return operand(w, o.base, o.offset, 4); };
    // Four lanes hold a row of a, and four a column of b.
    using Origins = std::array<UndefinedOrigin, 8>;
    const auto gather = [&](const UndefinedRow& r, Origins& into) {
        for (u32 l = 0; l < lanes; ++l)
            if (r.bits[l] != 0 && into[l / 4] == 0) into[l / 4] = r.origin[l] | is_computed;
    };
    Origins columns{};
    for (u32 k = 0; k < column_halves; ++k) gather(row(b[k]), columns);
    std::array<UndefinedRow, 4> results;
    for (u32 h = 0; h < row_halves; ++h) {
        Origins rows{};
        for (u32 k = 0; k < column_halves; ++k) gather(row(a[h + k * row_halves]), rows);
        const std::array<UndefinedRow, 2> sums{row(c[2 * h]), row(c[2 * h + 1])};
        for (u32 n = 0; n < 64; ++n) {
            const UndefinedRow& sum = sums[n % 2];
            UndefinedOrigin origin = rows[n / 8] != 0 ? rows[n / 8] : columns[n % 8];
            if (origin == 0 && sum.bits[n / 2] != 0) origin = sum.origin[n / 2] | is_computed;
            if (origin == 0) continue;
            results[2 * h + n % 2].bits[n / 2] = 0xFFFFFFFF;
            results[2 * h + n % 2].origin[n / 2] = origin;
        }
    }
    for (u32 n = 0; n < 2 * row_halves; ++n)
        if (d[n].offset != no_row) regs_->set_row(w, d[n].offset, 4, all_lanes, results[n]);
}

}  // namespace cugrade::emulator
