#include "emulator/observe/undefined_flow.hpp"

#include <algorithm>

#include "emulator/observe/undefined_rules.hpp"
#include "emulator/ops/lane_loops.hpp"
#include "emulator/state/observer.hpp"

namespace cugrade::emulator {
namespace {

using Way = FlowRule::Way;

/// All bits from the lowest set one up: where carries go.
u64 carried(u64 bits) { return bits | (0 - bits); }

const UndefinedRow defined;

/// Takes over the origin of a value, if it is undefined.
void inherit(UndefinedRow& to, u32 lane, const UndefinedRow& from, u64 used = ~u64{0}) {
    if (to.origin[lane] == 0 && (from.bits[lane] & used) != 0) to.origin[lane] = from.origin[lane];
}

}  // namespace

void UndefinedFlow::launch_started(const Launch& launch) {
    launch_ = &launch;
    rules_.clear();
}

const FlowRule& UndefinedFlow::rule(const Ins* i) {
    if (rules_.empty()) rules_.resize(launch_->program->code.size());
    const std::size_t n = launch_->program->index_of(i);
    FlowRule& r = rules_[n];
    if (r.way == Way::unknown)
        r = flow_rule_of(*launch_->program, i,
                         i->guard != no_row ? i->inner : launch_->watched[n].slow);
    return r;
}

u64 UndefinedFlow::value_of(const Warp& w, u8 base, u32 offset, u32 bytes, u32 lane) {
    const std::byte* p = w.bases[base] + offset;
    u64 value = 0;
    std::memcpy(&value, p + std::size_t{lane} * bytes, bytes);
    return value;
}

UndefinedRow UndefinedFlow::operand(const Warp& w, u8 base, u32 offset, u32 bytes) const {
    if (base != in_frame || bytes == 0 || offset == no_row) return {};
    return regs_->row(w, offset, bytes);
}

// --- uses ---------------------------------------------------------------------------------------

void UndefinedFlow::use_row(const Warp& w, const Ins* i, u32 mask, const UndefinedRow& r,
                            ValueUse use) {
    for_lanes(mask, [&](u32 l) {
        if (r.bits[l] != 0) uses_.used(w, i, l, r.origin[l], use);
        return true;
    });
}

void UndefinedFlow::use_operand(const Warp& w, const Ins* i, u32 mask, Operand o, ValueUse use) {
    if (o.base == in_frame && o.bytes != 0 && o.offset != no_row && regs_->is_tainted(w, o.offset))
        use_row(w, i, mask, regs_->row(w, o.offset, o.bytes), use);
}

void UndefinedFlow::use_predicate(const Warp& w, const Ins* i, u32 mask, u32 offset, ValueUse use) {
    if (offset == no_row) return;
    const UndefinedPredicate p = regs_->predicate(w, offset);
    for_lanes(p.bits & mask, [&](u32 l) { return uses_.used(w, i, l, p.origin[l], use), true; });
}

void UndefinedFlow::use_astray(const Warp& w, const Ins* i, u32 mask, ValueUse use) {
    for_lanes(mask & astray_->mask(),
              [&](u32 l) { return uses_.used(w, i, l, astray_->origin(l), use), true; });
}

void UndefinedFlow::use_arguments(const Warp& w, const Ins* i, u32 mask) {
    const CallSite& site = w.launch->program->calls[i->aux];
    for (const Area& area : site.arguments)
        for (u32 at = 0; at < area.bytes; at += 4)
            use_row(w, i, mask, regs_->area(w, w.bases[in_frame], area, at, 4), ValueUse::argument);
    for (const Area& area : site.results)
        for (u32 at = 0; at < area.bytes; at += 8)
            regs_->set_area(w, w.bases[in_frame], area, at, 8, mask, {});
    if ((mask & astray_->mask()) == 0) return;
    const Program& program = *launch_->program;
    const ptx::Function& caller = *program.functions[site.caller].source;
    if (caller.operands[program.source_of(i).first_operand + 1].name == "vprintf")
        use_astray(w, i, mask, ValueUse::argument);
}

// --- results ------------------------------------------------------------------------------------

bool UndefinedFlow::touches_undefined(const Warp& w, const Ins* i, const FlowRule& r) const {
    const auto is_tainted = [&](u32 base, u32 offset) {
        return base == in_frame && offset != no_row && regs_->is_tainted(w, offset);
    };
    if (r.way == Way::packs) {
        const u32 count = 8 * r.d / i->aux;
        for (u32 n = 0; n < count; ++n) {
            const Operand& o = launch_->program->lists[i->target + n];
            if (is_tainted(o.base, o.offset)) return true;
        }
    }
    const bool has_predicate = r.way == Way::selects || r.way == Way::sets;
    return is_tainted(in_frame, i->d) || (r.a != 0 && is_tainted(i->ka, i->a)) ||
           (r.b != 0 && is_tainted(i->kb, i->b)) || (r.c != 0 && is_tainted(i->kc, i->c)) ||
           (has_predicate && is_tainted(in_frame, i->c)) ||
           (i->guard != no_row && is_tainted(in_frame, i->guard));
}

/// Runs the operation itself on the undefined bits of the operands that it moves, and on the values
/// of the other operands.
UndefinedRow UndefinedFlow::moved(const Warp& w, const Ins* i, const FlowRule& r) {
    struct Slot {
        u32 offset;
        u8 base, bytes;
    };
    const std::array<Slot, 3> slots{Slot{i->a, i->ka, r.a}, {i->b, i->kb, r.b}, {i->c, i->kc, r.c}};
    std::array<std::array<u64, lanes>, 3> scratch{};
    std::array<UndefinedRow, 3> undefined;
    Ins j = *i;
    const std::array<std::pair<u32*, u8*>, 3> places{
        std::pair{&j.a, &j.ka}, {&j.b, &j.kb}, {&j.c, &j.kc}};
    for (u32 n = 0; n < 3; ++n) {
        const Slot& s = slots[n];
        if (s.bytes == 0 || s.offset == no_row) continue;
        undefined[n] = operand(w, s.base, s.offset, s.bytes);
        auto* row = reinterpret_cast<std::byte*>(scratch[n].data());
        if ((r.data >> n & 1) != 0)
            for (u32 l = 0; l < lanes; ++l) {
                undefined[n].bits[l] &= r.used_bits;
                std::memcpy(row + std::size_t{l} * s.bytes, &undefined[n].bits[l], s.bytes);
            }
        else
            std::memcpy(row, w.bases[s.base] + s.offset, std::size_t{lanes} * s.bytes);
        *places[n].first = n * static_cast<u32>(sizeof scratch[0]);
        *places[n].second = in_block;
    }
    mirror_.bases = w.bases;
    mirror_.bases[in_block] = reinterpret_cast<std::byte*>(scratch.data());
    mirror_.launch = w.launch;
    mirror_.block = w.block;
    mirror_.current.mask = mirror_.alive = all_lanes;
    std::array<std::byte, 8 * lanes> before;
    std::byte* d = w.bases[in_frame] + i->d;
    const std::size_t size = std::size_t{lanes} * r.d;
    std::memcpy(before.data(), d, size);
    j.op(mirror_, &j);
    UndefinedRow result;
    for (u32 l = 0; l < lanes; ++l) {
        std::memcpy(&result.bits[l], d + std::size_t{l} * r.d, r.d);
        for (u32 n = 0; n < 3; ++n) {
            const u64 bits = undefined[n].bits[l];
            const bool obeyed = (r.data >> n & 1) == 0;
            if (obeyed && bits != 0) result.bits[l] = all_bits(r.d);
        }
        if (result.bits[l] == 0) continue;
        bool computes = false;
        for (u32 n = 0; n < 3; ++n) {
            const bool all = r.is_shift && undefined[n].bits[l] == (r.used_bits & all_bits(r.a));
            computes |= undefined[n].bits[l] != 0 && (all || (r.data >> n & 1) == 0);
            inherit(result, l, undefined[n]);
        }
        if (computes) result.origin[l] |= is_computed;
    }
    std::memcpy(d, before.data(), size);
    return result;
}

/// and, or, xor, not, lop3: bits that the defined operands decide are defined.
UndefinedRow UndefinedFlow::combined(const Warp& w, const Ins* i, const FlowRule& r) const {
    const UndefinedRow a = operand(w, i->ka, i->a, r.a), b = operand(w, i->kb, i->b, r.b),
                       c = operand(w, i->kc, i->c, r.c);
    UndefinedRow result;
    for (u32 l = 0; l < lanes; ++l) {
        const u64 ua = a.bits[l], ub = b.bits[l], uc = c.bits[l];
        if ((ua | ub | uc) == 0) continue;
        const u64 x = value_of(w, i->ka, i->a, r.a, l);
        const u64 y = r.b == 0 ? 0 : value_of(w, i->kb, i->b, r.b, l);
        switch (r.way) {
            case Way::bit_and: result.bits[l] = (ua & ub) | (ua & y) | (ub & x); break;
            case Way::bit_or: result.bits[l] = (ua & ub) | (ua & ~y) | (ub & ~x); break;
            case Way::bit_xor: result.bits[l] = ua | ub; break;
            default: {
                // Undefined where some value of the undefined bits gives 0 and another one 1.
                const u64 z = value_of(w, i->kc, i->c, r.c, l);
                u64 zero = 0, one = 0;
                for (u32 n = 0; n < 8; ++n) {
                    const u64 here = (ua | ((n & 4) != 0 ? x : ~x)) &
                                     (ub | ((n & 2) != 0 ? y : ~y)) &
                                     (uc | ((n & 1) != 0 ? z : ~z));
                    ((static_cast<u64>(i->imm) >> n & 1) != 0 ? one : zero) |= here;
                }
                result.bits[l] = zero & one & 0xFFFFFFFF;
                break;
            }
        }
        result.bits[l] &= r.used_bits;
        for (const UndefinedRow* from : {&a, &b, &c}) inherit(result, l, *from);
        if (result.bits[l] == 0) result.origin[l] = 0;
    }
    return result;
}

UndefinedRow UndefinedFlow::selected(const Warp& w, const Ins* i, const FlowRule& r) const {
    const UndefinedRow a = operand(w, i->ka, i->a, r.a), b = operand(w, i->kb, i->b, r.b);
    const UndefinedPredicate c = regs_->predicate(w, i->c);
    const u32 p = i->negated ? ~w.predicate(i->c) : w.predicate(i->c);
    UndefinedRow result;
    for (u32 l = 0; l < lanes; ++l) {
        const UndefinedRow& chosen = (p >> l & 1) != 0 ? a : b;
        result.bits[l] = chosen.bits[l] & r.used_bits;
        result.origin[l] = chosen.origin[l];
        if ((c.bits >> l & 1) == 0) continue;
        const u64 x = value_of(w, i->ka, i->a, r.a, l), y = value_of(w, i->kb, i->b, r.b, l);
        result.bits[l] = ((x ^ y) | a.bits[l] | b.bits[l]) & r.used_bits;
        result.origin[l] = c.origin[l] | is_computed;
    }
    return result;
}

UndefinedRow UndefinedFlow::packed(const Warp& w, const Ins* i, const FlowRule& r) const {
    const u32 width = i->aux, count = 8 * r.d / width;
    const u64 mask = width == 32 ? 0xFFFFFFFF : (u64{1} << width) - 1;
    UndefinedRow result;
    for (u32 n = 0; n < count; ++n) {
        const Operand& o = launch_->program->lists[i->target + n];
        const UndefinedRow element = operand(w, o.base, o.offset, 4);
        for (u32 l = 0; l < lanes; ++l) {
            result.bits[l] |= (element.bits[l] & mask) << (n * width);
            inherit(result, l, element, mask);
        }
    }
    return result;
}

UndefinedRow UndefinedFlow::computed(const Warp& w, const Ins* i, const FlowRule& r) const {
    const std::array<UndefinedRow, 3> operands{
        operand(w, i->ka, i->a, r.a), operand(w, i->kb, i->b, r.b), operand(w, i->kc, i->c, r.c)};
    UndefinedRow result;
    for (u32 l = 0; l < lanes; ++l) {
        u64 any = 0;
        for (const UndefinedRow& o : operands) {
            any |= o.bits[l] & r.used_bits;
            inherit(result, l, o, r.used_bits);
        }
        if (any == 0) continue;
        result.bits[l] = (r.way == Way::sums ? carried(any) : ~u64{0}) & all_bits(r.d);
        result.origin[l] |= is_computed;
    }
    return result;
}

UndefinedRow UndefinedFlow::result_of(const Warp& w, const Ins* i, const FlowRule& r) {
    switch (r.way) {
        case Way::moves: return moved(w, i, r);
        case Way::bit_and:
        case Way::bit_or:
        case Way::bit_xor:
        case Way::bit_table: return combined(w, i, r);
        case Way::selects: return selected(w, i, r);
        case Way::packs: return packed(w, i, r);
        case Way::sums:
        case Way::computes: return computed(w, i, r);
        default: return {};
    }
}

/// A comparison is undefined if the undefined bits of its operands can change its result.
void UndefinedFlow::compare(const Warp& w, const Ins* i, const FlowRule& r, u32 mask) {
    const UndefinedRow a = operand(w, i->ka, i->a, r.a), b = operand(w, i->kb, i->b, r.b);
    UndefinedPredicate result;
    const u64 top = r.used_bits ^ (r.used_bits >> 1);
    const u32 combination = i->aux & 3;
    u32 holds_for = 0, fails_for = 0;  // integers only, by the values as they are
    for (u32 l = 0; l < lanes; ++l) {
        const u64 ua = a.bits[l] & r.used_bits, ub = b.bits[l] & r.used_bits;
        if ((ua | ub) == 0 && combination == 0) continue;
        bool is_open = (ua | ub) != 0;
        if (r.is_integer && r.compare != Compare::num) {
            u64 x = value_of(w, i->ka, i->a, r.a, l) & r.used_bits;
            u64 y = value_of(w, i->kb, i->b, r.b, l) & r.used_bits;
            if (r.is_signed) x ^= top, y ^= top;
            const bool less = x < y, same = x == y;
            const bool holds = r.compare == Compare::eq   ? same
                               : r.compare == Compare::ne ? !same
                               : r.compare == Compare::lt ? less
                               : r.compare == Compare::ge ? !less
                               : r.compare == Compare::le ? less || same
                                                          : !less && !same;
            (holds ? holds_for : fails_for) |= 1u << l;
            if (!is_open) continue;
            const u64 least_x = x & ~ua, most_x = x | ua, least_y = y & ~ub, most_y = y | ub;
            switch (r.compare) {
                case Compare::eq:
                case Compare::ne: is_open = ((x ^ y) & ~(ua | ub)) == 0; break;
                case Compare::lt:
                case Compare::ge: is_open = most_x >= least_y && least_x < most_y; break;
                default: is_open = most_x > least_y && least_x <= most_y; break;
            }
        }
        if (!is_open) continue;
        result.bits |= 1u << l;
        result.origin[l] = (ua != 0 ? a.origin[l] : b.origin[l]) | is_computed;
    }
    UndefinedPredicate second = result;
    if (combination != 0) {
        const UndefinedPredicate c = regs_->predicate(w, i->c);
        const u32 p = i->negated ? ~w.predicate(i->c) : w.predicate(i->c);
        const u32 u = result.bits, both = u & c.bits, only_c = ~u & c.bits;
        for_lanes(only_c,
                  [&](u32 l) { return result.origin[l] = c.origin[l] | is_computed, true; });
        second.origin = result.origin;
        // A side that is defined may decide alone: by false for an `and`, by true for an `or`.
        const auto open = [&](u32 yes, u32 no) {
            return combination == 1   ? both | (u & p) | (only_c & ~no)
                   : combination == 2 ? both | (u & ~p) | (only_c & ~yes)
                                      : u | c.bits;
        };
        result.bits = open(holds_for, fails_for);
        second.bits = open(fails_for, holds_for);
    }
    if (r.way == Way::sets) {
        UndefinedRow row;
        for (u32 l = 0; l < lanes; ++l)
            if ((result.bits >> l & 1) != 0) {
                row.bits[l] = 0xFFFFFFFF;
                row.origin[l] = result.origin[l];
            }
        regs_->set_row(w, i->d, 4, mask, row);
        return;
    }
    if (i->d != no_row) regs_->set_predicate(w, i->d, mask, result);
    if (has_second_predicate(i)) regs_->set_predicate(w, i->target, mask, second);
}

void UndefinedFlow::combine_predicates(const Warp& w, const Ins* i, const FlowRule& r, u32 mask) {
    const UndefinedPredicate a = regs_->predicate(w, i->a);
    if (r.way == Way::copies_predicate) return regs_->set_predicate(w, i->d, mask, a);
    const UndefinedPredicate b = regs_->predicate(w, i->b);
    const u32 x = w.predicate(i->a), y = w.predicate(i->b), both = a.bits & b.bits;
    UndefinedPredicate result;
    result.bits = r.way == Way::ands_predicates  ? both | (a.bits & y) | (b.bits & x)
                  : r.way == Way::ors_predicates ? both | (a.bits & ~y) | (b.bits & ~x)
                                                 : a.bits | b.bits;
    for (u32 l = 0; l < lanes; ++l) result.origin[l] = ((a.bits >> l & 1) != 0 ? a : b).origin[l];
    regs_->set_predicate(w, i->d, mask, result);
}

void UndefinedFlow::pass_parameter(const Warp& w, const Ins* i, const FlowRule& r, u32 mask) {
    const Operand& row = launch_->program->lists[i->target];
    const Area area{i->c, i->range};
    const auto at = static_cast<u32>(i->imm);
    if (r.way == Way::stores_parameter)
        return regs_->set_area(w, w.bases[in_frame], area, at, r.element, mask,
                               operand(w, row.base, row.offset, row.bytes));
    if (row.offset == no_row) return;
    UndefinedRow value = regs_->area(w, w.bases[in_frame], area, at, r.element);
    for (u64& bits : value.bits) bits = extended(i, bits);
    regs_->set_row(w, row.offset, row.bytes, mask, value);
}

// --- an instruction -----------------------------------------------------------------------------

void UndefinedFlow::touch_memory(const Warp& w, const Ins* i, const FlowRule& r, u32 mask) {
    use_operand(w, i, mask, {i->a, i->ka, r.a}, ValueUse::address);
    if (r.way == Way::changes) {
        use_operand(w, i, mask, {i->b, i->kb, r.b}, ValueUse::atomic_operand);
        use_operand(w, i, mask, {i->c, i->kc, r.c}, ValueUse::atomic_operand);
    }
    if (r.way == Way::loads && i->aux <= 1)
        regs_->set_row(w, i->d, r.d, mask, defined);
    else if (r.way != Way::stores)
        for (const Operand& d : destinations(i))
            if (d.offset != no_row) regs_->set_row(w, d.offset, d.bytes, mask, {});
}

void UndefinedFlow::wait(const Warp& w, const Ins* i, u32 mask) {
    use_operand(w, i, mask, {i->a, i->ka, 4}, ValueUse::barrier);
    use_operand(w, i, mask, {i->b, i->kb, 4}, ValueUse::barrier);
    use_predicate(w, i, mask, i->c, ValueUse::barrier);
    if (i->d == no_row) return;
    if (i->aux == 3) return regs_->set_row(w, i->d, 4, mask, {});
    regs_->set_predicate(w, i->d, mask, {});
}

/// The low 32 bits of an address do not change in which window it lies.
void UndefinedFlow::test_space(const Warp& w, const Ins* i, u32 mask) {
    const UndefinedRow a = operand(w, i->ka, i->a, 8);
    UndefinedPredicate result;
    result.origin = a.origin;
    for (u32 l = 0; l < lanes; ++l)
        if (a.bits[l] >> 32 != 0) result.bits |= 1u << l;
    regs_->set_predicate(w, i->d, mask, result);
}

void UndefinedFlow::follow(const Warp& w, const Ins* i, const FlowRule& r, u32 mask) {
    switch (r.way) {
        case Way::unknown:
        case Way::nothing:
        case Way::exchanges: return;
        case Way::branches: {
            const UndefinedPredicate p = regs_->predicate(w, i->guard);
            return branch(w, i, p.bits & w.current.mask, p.origin);
        }
        case Way::jumps: {
            const UndefinedRow index = operand(w, i->ka, i->a, 4);
            u32 open = 0;
            for_lanes(mask, [&](u32 l) { return open |= u32{index.bits[l] != 0} << l, true; });
            return branch(w, i, open, index.origin);
        }
        case Way::calls_indirect:
            return use_operand(w, i, mask, {i->a, i->ka, 8}, ValueUse::callee);
        case Way::calls_builtin: return use_arguments(w, i, mask);
        case Way::waits: return wait(w, i, mask);
        case Way::compares:
        case Way::sets: return compare(w, i, r, mask);
        case Way::defines_predicate: return regs_->set_predicate(w, i->d, mask, {});
        case Way::copies_predicate:
        case Way::ands_predicates:
        case Way::ors_predicates:
        case Way::xors_predicates: return combine_predicates(w, i, r, mask);
        case Way::tests_space: return test_space(w, i, mask);
        case Way::stores_parameter:
        case Way::loads_parameter: return pass_parameter(w, i, r, mask);
        case Way::loads:
        case Way::stores:
        case Way::changes: return touch_memory(w, i, r, mask);
        case Way::copies_async:
            use_operand(w, i, mask, {i->a, i->ka, r.a}, ValueUse::address);
            use_operand(w, i, mask, {i->b, i->kb, r.b}, ValueUse::address);
            use_operand(w, i, mask, {i->c, i->kc, r.c}, ValueUse::address);
            return;
        default:
            if (i->d != no_row && touches_undefined(w, i, r))
                regs_->set_row(w, i->d, r.d, mask, result_of(w, i, r));
            return;
    }
}

void UndefinedFlow::step(UndefinedWarp& of, const Warp& w, const Ins* i, u32 mask) {
    regs_ = &of.registers;
    astray_ = &of.astray;
    if (astray_->mask() != 0) astray_->bring_back(w, i);
    const FlowRule& r = rule(i);
    follow(w, i, r, mask);
    if (i->guard != no_row && r.way != Way::branches) obey_guard(w, i, r);
    if (const u32 astray = astray_->mask() & mask; astray != 0 && r.way != Way::exchanges)
        set_astray(w, i, r, astray);
}

// --- the operands of loads and stores -----------------------------------------------------------

std::vector<Operand> UndefinedFlow::destinations(const Ins* i) {
    const FlowRule& r = rule(i);
    if (r.way == Way::changes) {
        // A vector of atomics is one instruction for each element.
        if (i->d == no_row) return {};
        return {Operand{i->d, in_frame, r.d}};
    }
    if (r.way != Way::loads) return {};
    if (i->touch == Touch::fixed || i->aux <= 1) return {Operand{i->d, in_frame, r.d}};
    const auto& lists = launch_->program->lists;
    const auto first = lists.begin() + static_cast<std::ptrdiff_t>(i->target);
    return {first, first + static_cast<std::ptrdiff_t>(i->aux)};
}

std::vector<Operand> UndefinedFlow::sources(const Ins* i) {
    const FlowRule& r = rule(i);
    if (r.way != Way::stores) return {};
    if (i->aux <= 1) return {Operand{i->b, i->kb, static_cast<u8>(i->bytes == 8 ? 8 : 4)}};
    const auto& lists = launch_->program->lists;
    const auto first = lists.begin() + static_cast<std::ptrdiff_t>(i->target);
    return {first, first + static_cast<std::ptrdiff_t>(i->aux)};
}

bool UndefinedFlow::is_store(const Ins* i) { return rule(i).way == Way::stores; }

u64 UndefinedFlow::extended(const Ins* i, u64 bits) {
    const FlowRule& r = rule(i);
    if (!r.is_signed || r.element == 0 || r.element >= 8) return bits;
    const u32 width = 8u * r.element;
    return (bits >> (width - 1) & 1) != 0 ? bits | ~u64{0} << width : bits;
}

}  // namespace cugrade::emulator
