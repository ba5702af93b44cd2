// Follows branches and guards that depend on an undefined value.
//
// If the value comes from memory that nobody has written, the branch uses it. If a shuffle got it
// from a lane that takes no part, the reader goes astray until both ways meet again: see
// undefined_flow.hpp.
#include "emulator/observe/undefined_flow.hpp"
#include "emulator/observe/undefined_rules.hpp"
#include "emulator/ops/lane_loops.hpp"
#include "emulator/state/observer.hpp"

namespace cugrade::emulator {
namespace {

using Way = FlowRule::Way;

/// Does a branch or a guard use the value by depending on it? See undefined_flow.hpp.
bool is_used_by_deciding(UndefinedOrigin origin) {
    return kind_of(origin) == UndefinedKind::unwritten;
}

/// Does the instruction do anything but set registers?
bool acts(Way way) {
    return way == Way::stores || way == Way::changes || way == Way::copies_async ||
           way == Way::calls_builtin || way == Way::calls_indirect || way == Way::waits;
}

}  // namespace

void AstrayLanes::go_astray(const Warp& w, const Ins* branch, u32 lane, UndefinedOrigin origin) {
    if ((mask_ >> lane & 1) != 0) return;
    const Program& program = *w.launch->program;
    mask_ |= 1u << lane;
    lanes_[lane] = {origin, program.reconvergence[program.index_of(branch)],
                    w.current.frames.size()};
}

void AstrayLanes::bring_back(const Warp& w, const Ins* i) {
    const u32 here = w.launch->program->index_of(i);
    const std::size_t depth = w.current.frames.size();
    for_lanes(mask_ & w.current.mask, [&](u32 l) {
        const Lane& lane = lanes_[l];
        if ((lane.until == here && lane.depth == depth) || depth < lane.depth) mask_ &= ~(1u << l);
        return true;
    });
}

/// The way of the lanes in `mask` depends on undefined values.
void UndefinedFlow::branch(const Warp& w, const Ins* i, u32 mask, const LaneOrigins& origins) {
    for_lanes(mask, [&](u32 l) {
        if (is_used_by_deciding(origins[l]))
            uses_.used(w, i, l, origins[l], ValueUse::branch);
        else
            astray_->go_astray(w, i, l, origins[l]);
        return true;
    });
}

void UndefinedFlow::set_row(const Warp& w, Operand o, u32 mask, const LaneOrigins& origins) {
    if (o.bytes == 0 || o.offset == no_row) return;
    UndefinedRow row;
    row.bits.fill(all_bits(o.bytes));
    row.origin = origins;
    regs_->set_row(w, o.offset, o.bytes, mask, row);
}

void UndefinedFlow::set_predicate(const Warp& w, u32 offset, u32 mask, const LaneOrigins& origins) {
    if (offset != no_row) regs_->set_predicate(w, offset, mask, {mask, origins});
}

/// Makes everything that the instruction sets undefined for the lanes in `mask`.
void UndefinedFlow::set_results(const Warp& w, const Ins* i, const FlowRule& r, u32 mask,
                                const LaneOrigins& origins) {
    switch (r.way) {
        case Way::unknown:
        case Way::nothing:
        case Way::branches:
        case Way::jumps:
        case Way::calls_indirect:
        case Way::calls_builtin:
        case Way::stores:
        case Way::copies_async: return;
        case Way::loads:
        case Way::changes:
            for (const Operand& d : destinations(i)) set_row(w, d, mask, origins);
            return;
        case Way::loads_parameter:
            return set_row(w, launch_->program->lists[i->target], mask, origins);
        case Way::stores_parameter: {
            UndefinedRow row;
            row.bits.fill(r.element >= 8 ? ~u64{0} : (u64{1} << 8 * r.element) - 1);
            row.origin = origins;
            return regs_->set_area(w, w.bases[in_frame], {i->c, i->range}, static_cast<u32>(i->imm),
                                   r.element, mask, row);
        }
        case Way::waits:
            if (i->aux == 3) return set_row(w, {i->d, in_frame, 4}, mask, origins);
            return set_predicate(w, i->d, mask, origins);
        case Way::compares:
            if (has_second_predicate(i)) set_predicate(w, i->target, mask, origins);
            return set_predicate(w, i->d, mask, origins);
        case Way::defines_predicate:
        case Way::copies_predicate:
        case Way::ands_predicates:
        case Way::ors_predicates:
        case Way::xors_predicates:
        case Way::tests_space: return set_predicate(w, i->d, mask, origins);
        case Way::exchanges:
            if (i->op == op::mma) return;
            if (i->op == op::vote && i->aux != 3) return set_predicate(w, i->d, mask, origins);
            return set_row(w, {i->d, in_frame, 4}, mask, origins);
        default: return set_row(w, {i->d, in_frame, r.d}, mask, origins);
    }
}

/// For some lanes it may be undefined whether the instruction has an effect.
void UndefinedFlow::obey_guard(const Warp& w, const Ins* i, const FlowRule& r) {
    const UndefinedPredicate guard = regs_->predicate(w, i->guard);
    const u32 open = guard.bits & w.current.mask;
    if (open == 0 || r.way == Way::nothing) return;
    const bool writes_row = r.d != 0 && i->d != no_row && r.way != Way::loads &&
                            r.way != Way::changes && r.way != Way::stores;
    LaneOrigins origins = guard.origin;
    u32 is_set = 0;
    for_lanes(open, [&](u32 l) {
        if (!writes_row && (is_used_by_deciding(origins[l]) || acts(r.way)))
            uses_.used(w, i, l, origins[l], ValueUse::guard);
        if (writes_row || !is_used_by_deciding(origins[l])) is_set |= 1u << l;
        origins[l] |= is_computed;
        return true;
    });
    if (is_set != 0) set_results(w, i, r, is_set, origins);
}

/// A lane that is astray sets undefined values, and an atomic that it executes there is a use. A
/// value that has an origin of its own keeps it.
void UndefinedFlow::set_astray(const Warp& w, const Ins* i, const FlowRule& r, u32 mask) {
    if (r.way == Way::changes) use_astray(w, i, mask, ValueUse::atomic_operand);
    LaneOrigins origins{};
    u32 bare = mask;
    const bool sets_row = r.d != 0 && i->d != no_row && r.way != Way::loads &&
                          r.way != Way::changes && r.way != Way::stores;
    const UndefinedRow row = sets_row ? regs_->row(w, i->d, r.d) : UndefinedRow{};
    for_lanes(mask, [&](u32 l) {
        origins[l] = astray_->origin(l) | is_computed;
        if (row.bits[l] != 0) bare &= ~(1u << l);
        return true;
    });
    if (bare != 0) set_results(w, i, r, bare, origins);
}

}  // namespace cugrade::emulator
