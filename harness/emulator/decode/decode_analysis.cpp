// Decides where a function's registers live, before any code is emitted.
//
// PTX is in SSA form but for the copies at joins, with hundreds of registers of which few are live
// at once. Three steps keep a warp's frame in the first-level cache.
//
// 1. A register that holds a constant of the thread (an immediate, %tid, a kernel parameter, an
//    address) has no row: its readers read the constant's row. Two conditions: one instruction
//    without a guard writes the register, and it has run before anything reads the register.
// 2. The copy `mov d, s` is not executed: readers of d read the row of s. Besides the two
//    conditions there is a third: nothing writes s on any path from the copy to a reader of d.
//    Without it, a loop that keeps the best value so far would read the latest value instead,
//    because the next iteration writes s while d has to keep the old value of s. If s is itself a
//    copy of t, readers of d read the row of t, so nothing may write s or t on the path.
//    `hold_at_uses` (flow.cpp) checks all three conditions for all paths through the function.
// 3. Registers that are never live together share a row: linear scan over intervals. An interval
//    reaches from the first to the last instruction, in the order of the text, at which its
//    register is live or written, so a value that goes around a loop has its row in the whole loop.
//    A guarded write does not end the life of the old value.
//
// Why this is right: take the path of one thread through the code, and step n on it. Up to n every
// row has had the value that its register has in the program as written: only writes to the
// register itself write its row (step 3: no other register with that row is live or written in
// between). A reader of d at n reads the row of s (or t). When the thread last ran the copy, this
// row had the copied value, and nothing has written it since (step 2). So the reader gets the value
// of d, and its result is right at n + 1.
//
// The argument is about one thread. It also holds for a warp with diverged lanes. An instruction
// writes only the active lanes' parts of a row, and a lane's path does not depend on other lanes.
// Instructions that read rows of other lanes (shfl, vote, match) run while those lanes are at the
// same instruction. Frames of callees that lanes are in at once do not overlap, unless they belong
// to one call (frame_of_callee in control.cpp).
//
// MachineConfig::optimise turns all of it off. tests/unit/emulator/decode/decode_test.cpp compares.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/decode/decoder.hpp"
#include "emulator/decode/opcodes.hpp"

namespace cugrade::emulator {

using ptx::OperandKind;
using ptx::Space;
using ptx::SymbolKind;

namespace {

using Bits = std::vector<std::uint64_t>;

void set_bit(Bits& b, std::int32_t r) {
    b[static_cast<std::size_t>(r) / 64] |= std::uint64_t{1} << (r % 64);
}
bool has_bit(const Bits& b, std::int32_t r) {
    return (b[static_cast<std::size_t>(r) / 64] >> (r % 64) & 1) != 0;
}

/// The rows that are live at the begin and end of blocks, and each instruction's effects on rows.
struct Liveness {
    std::vector<Bits> in, out;  ///< by block
    std::vector<Effects> effects;
};

Liveness liveness_of(const ptx::Function& f, const Flow& flow,
                     const std::vector<std::int32_t>& canonical) {
    const std::size_t blocks = flow.blocks(), words = (f.registers.size() + 63) / 64;
    Liveness live{std::vector<Bits>(blocks + 1, Bits(words)),
                  std::vector<Bits>(blocks, Bits(words)), flow.effects};
    std::vector<Bits> kill(blocks, Bits(words));
    for (std::size_t b = 0; b < blocks; ++b) {
        for (std::uint32_t n = flow.first[b]; n < flow.first[b + 1]; ++n) {
            Effects& e = live.effects[n];
            for (auto& r : e.uses) r = canonical[static_cast<std::size_t>(r)];
            std::erase(e.uses, -1);
            // A definition of an alias writes nothing: its canonical register is defined elsewhere.
            std::erase_if(e.defs,
                          [&](auto r) { return canonical[static_cast<std::size_t>(r)] != r; });
            for (auto r : e.uses)
                if (!has_bit(kill[b], r)) set_bit(live.in[b], r);
            if (f.instructions[n].guard < 0)
                for (auto r : e.defs) set_bit(kill[b], r);
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t b = blocks; b-- > 0;) {
            for (std::size_t word = 0; word < words; ++word) {
                std::uint64_t bits = 0;
                for (auto s : flow.successors[b]) bits |= live.in[s][word];
                live.out[b][word] = bits;
                const std::uint64_t before = live.in[b][word] | (bits & ~kill[b][word]);
                changed |= before != live.in[b][word];
                live.in[b][word] = before;
            }
        }
    }
    return live;
}

/// The instructions from the first to the last at which a row is live or written.
struct Interval {
    std::int32_t reg;
    std::uint32_t from = UINT32_MAX, to = 0;
};

std::vector<Interval> intervals_of(const ptx::Function& f, const Flow& flow, const Liveness& live) {
    std::vector<Interval> intervals(f.registers.size());
    const auto extend = [&](std::int32_t r, std::uint32_t at) {
        auto& v = intervals[static_cast<std::size_t>(r)];
        v.from = std::min(v.from, at);
        v.to = std::max(v.to, at);
    };
    // Visits set bits only, because most registers live in few blocks.
    const auto extend_all = [&](const Bits& bits_of_all, std::uint32_t at) {
        for (std::size_t word = 0; word < bits_of_all.size(); ++word)
            for (std::uint64_t bits = bits_of_all[word]; bits != 0; bits &= bits - 1)
                extend(static_cast<std::int32_t>(64 * word) + std::countr_zero(bits), at);
    };
    for (std::size_t b = 0; b < flow.blocks(); ++b) {
        extend_all(live.in[b], flow.first[b]);
        extend_all(live.out[b], flow.first[b + 1]);
        for (std::uint32_t n = flow.first[b]; n < flow.first[b + 1]; ++n) {
            for (auto r : live.effects[n].uses) extend(r, n);
            for (auto r : live.effects[n].defs) extend(r, n);
        }
    }
    for (std::size_t r = 0; r < intervals.size(); ++r)
        intervals[r].reg = static_cast<std::int32_t>(r);
    return intervals;
}

/// Gives each interval a row that no other interval has at the same time, and the frame its size.
void place_rows(const ptx::Function& f, std::vector<Interval> order, std::uint32_t predicates,
                bool share, Allocation& result) {
    std::sort(order.begin(), order.end(), [](const Interval& a, const Interval& b) {
        return std::pair(a.from, a.reg) < std::pair(b.from, b.reg);
    });
    std::vector<std::uint32_t> slot(f.registers.size());
    std::array<std::uint32_t, 3> slots{};  // of 4, 8 and 16 bytes a lane
    std::array<std::vector<std::uint32_t>, 3> unused;
    std::vector<Interval> active;
    const auto wide = [&](std::int32_t r) {
        const ptx::Type type = f.registers[static_cast<std::size_t>(r)].type;
        return type == ptx::Type::b128 ? 2u : row_bytes(type) == 8 ? 1u : 0u;
    };
    for (const Interval& v : order) {
        std::erase_if(active, [&](const Interval& a) {
            // Strictly before: an operation in several steps must not overwrite its own operands.
            if (a.to >= v.from) return false;
            if (share) unused[wide(a.reg)].push_back(slot[static_cast<std::size_t>(a.reg)]);
            return true;
        });
        auto& pool = unused[wide(v.reg)];
        if (pool.empty()) {
            slot[static_cast<std::size_t>(v.reg)] = slots[wide(v.reg)]++;
        } else {
            slot[static_cast<std::size_t>(v.reg)] = pool.back();
            pool.pop_back();
        }
        active.push_back(v);
        result.rows = std::max(result.rows, static_cast<std::uint32_t>(active.size()));
    }
    const std::uint32_t widest_rows = (4 * (predicates + 1) + 63) / 64 * 64;
    const std::uint32_t wide_rows = widest_rows + slots[2] * lanes * 16;
    const std::uint32_t narrow_rows = wide_rows + slots[1] * lanes * 8;
    for (const Interval& v : order) {
        const auto r = static_cast<std::size_t>(v.reg);
        switch (wide(v.reg)) {
            case 2: result.offset[r] = widest_rows + slot[r] * lanes * 16; break;
            case 1: result.offset[r] = wide_rows + slot[r] * lanes * 8; break;
            default: result.offset[r] = narrow_rows + slot[r] * lanes * 4; break;
        }
    }
    result.bytes = narrow_rows + slots[0] * lanes * 4;
}

}  // namespace

Allocation allocate_registers(const ptx::Function& f, const Flow& flow,
                              const std::vector<std::int32_t>& canonical,
                              const std::vector<bool>& dead, bool share) {
    const Liveness live = liveness_of(f, flow, canonical);
    const std::vector<Interval> intervals = intervals_of(f, flow, live);
    Allocation result;
    result.offset.assign(f.registers.size(), no_row);
    // Predicates are words; word 0 is the condition code, the last one scratch.
    std::uint32_t predicates = 1;
    std::vector<Interval> order;
    for (std::size_t r = 0; r < f.registers.size(); ++r) {
        if (flow.blocks() != 0 && (!share || has_bit(live.in[0], static_cast<std::int32_t>(r))))
            result.live_in.push_back(static_cast<std::int32_t>(r));
        if (f.registers[r].type == ptx::Type::pred)
            result.offset[r] = 4 * predicates++;
        else if (intervals[r].from != UINT32_MAX && !dead[r])
            order.push_back(intervals[r]);
    }
    place_rows(f, std::move(order), predicates, share, result);
    return result;
}

const Alias& FunctionDecoder::resolved(std::int32_t reg) const {
    const Alias* a = &aliases_[static_cast<std::size_t>(reg)];
    while (a->kind == Alias::Kind::reg) {
        const Alias& next = aliases_[static_cast<std::size_t>(a->reg)];
        if (next.kind == Alias::Kind::none) break;
        a = &next;
    }
    return *a;
}

std::int32_t FunctionDecoder::end_of_copies(std::int32_t reg) const {
    while (aliases_[static_cast<std::size_t>(reg)].kind == Alias::Kind::reg)
        reg = aliases_[static_cast<std::size_t>(reg)].reg;
    return reg;
}

/// The address of a variable or function, if it is known when the module is decoded.
std::optional<std::uint64_t> FunctionDecoder::symbol_value(const ptx::Operand& o) const {
    const auto offset = static_cast<std::uint64_t>(o.offset);
    switch (o.symbol_kind) {
        case SymbolKind::variable: {
            const auto n = static_cast<std::size_t>(o.symbol);
            const ptx::Variable& v = source_.variables[n];
            if (v.space == Space::shared && !v.is_extern) return variable_offsets_[n] + offset;
            // The kernel's own local variables start at 0; a callee's depend on the caller.
            if (v.space == Space::local && source_.is_entry) return variable_offsets_[n] + offset;
            return std::nullopt;
        }
        case SymbolKind::parameter:
            if (source_.is_entry)
                return source_.params[static_cast<std::size_t>(o.symbol)].offset + offset;
            return std::nullopt;
        case SymbolKind::result: return std::nullopt;
        case SymbolKind::module: break;
    }
    if (const auto s = program_.symbols.find(o.name); s != program_.symbols.end())
        return s->second.address + offset;
    if (const auto s = module_.shared_offsets_.find(o.name); s != module_.shared_offsets_.end())
        return s->second + offset;
    if (const auto s = module_.functions_.find(o.name); s != module_.functions_.end())
        return code_window + std::uint64_t{s->second} * 16 + offset;
    return std::nullopt;
}

/// The row that holds a symbol's address, unless it depends on the call frame.
std::optional<FunctionDecoder::Ref> FunctionDecoder::symbol_row(const ptx::Operand& o,
                                                                std::uint32_t bytes) {
    if (const auto value = symbol_value(o)) return module_.constant(*value, bytes);
    const ptx::Variable* v = nullptr;
    if (o.symbol_kind == SymbolKind::variable)
        v = &source_.variables[static_cast<std::size_t>(o.symbol)];
    else if (const auto s = module_.variables_.find(o.name); s != module_.variables_.end())
        v = s->second;
    if (v != nullptr && v->space == Space::shared && v->is_extern) {
        LaunchRow row;
        row.kind = LaunchRow::Kind::dynamic_shared;
        row.bytes = static_cast<std::uint8_t>(bytes);
        row.value = static_cast<std::uint64_t>(o.offset);
        return module_.launch_row(row);
    }
    return std::nullopt;
}

/// Finds the registers that a row or another register may stand for: see the top.
void FunctionDecoder::find_replaceable() {
    const std::size_t count = source_.registers.size();
    written_at_.assign(count, not_replaceable);
    std::vector<bool> seen(count, false), candidate(count, false);
    for (std::uint32_t n = 0; n < source_.instructions.size(); ++n) {
        const ptx::Instruction& i = source_.instructions[n];
        const bool may = i.guard < 0 && opcode_of(i).may_be_folded;
        for (auto r : flow_.effects[n].defs) {
            const auto at = static_cast<std::size_t>(r);
            const ptx::Type type = source_.registers[at].type;
            candidate[at] = may && !seen[at] && type != ptx::Type::pred && type != ptx::Type::b128;
            seen[at] = true;
            written_at_[at] = n;
        }
    }
    std::vector<Fact> facts;
    for (std::size_t r = 0; r < count; ++r)
        if (candidate[r]) facts.push_back({static_cast<std::int32_t>(r), written_at_[r], {}});
    const std::vector<bool> holds = hold_at_uses(flow_, count, facts);
    for (std::size_t n = 0; n < facts.size(); ++n)
        candidate[static_cast<std::size_t>(facts[n].reg)] = holds[n];
    for (std::size_t r = 0; r < count; ++r)
        if (!candidate[r]) written_at_[r] = not_replaceable;
}

void FunctionDecoder::find_aliases() {
    const std::size_t count = source_.registers.size();
    aliases_.assign(count, {});
    used_.assign(count, !module_.optimise_);
    if (!module_.optimise_) return;
    for (const Effects& e : flow_.effects)
        for (auto r : e.uses) used_[static_cast<std::size_t>(r)] = true;
    find_replaceable();
    for (const auto& i : source_.instructions)
        if (i.guard < 0) alias_one(i);
    drop_stale_copies();
}

/// Keeps only the copies with a source that nothing writes before a reader of the copy.
void FunctionDecoder::drop_stale_copies() {
    constexpr std::size_t longest_chain = 8;  // chosen; compilers hardly ever copy copies
    std::vector<Fact> facts;
    for (std::size_t r = 0; r < aliases_.size(); ++r) {
        if (aliases_[r].kind != Alias::Kind::reg) continue;
        Fact fact{static_cast<std::int32_t>(r), written_at_[r], {}};
        for (const Alias* a = &aliases_[r]; a->kind == Alias::Kind::reg;
             a = &aliases_[static_cast<std::size_t>(a->reg)]) {
            fact.sources.push_back(a->reg);
            if (fact.sources.size() > longest_chain) break;
        }
        if (fact.sources.size() > longest_chain)
            aliases_[r] = {};
        else
            facts.push_back(std::move(fact));
    }
    const std::vector<bool> holds = hold_at_uses(flow_, aliases_.size(), facts);
    for (std::size_t n = 0; n < facts.size(); ++n)
        if (!holds[n]) aliases_[static_cast<std::size_t>(facts[n].reg)] = {};
}

/// Notes that `to` is a copy of `source`, until drop_stale_copies finds that it is not.
void FunctionDecoder::alias_register(const ptx::Operand& to, std::int32_t source) {
    const ptx::Type type = source_.registers[static_cast<std::size_t>(source)].type;
    if (source == to.reg || ptx::bits(type) == 1 || row_bytes(type) != bytes_of(to)) return;
    const std::int32_t end = end_of_copies(source);
    if (end == to.reg) return;  // code that nothing reaches copies in a circle
    const Alias& what = aliases_[static_cast<std::size_t>(end)];
    if (what.kind == Alias::Kind::row)
        aliases_[static_cast<std::size_t>(to.reg)] = what;
    else
        aliases_[static_cast<std::size_t>(to.reg)] = {Alias::Kind::reg, {}, source, {}};
}

/// A kernel's parameters are rows that the launch fills.
void FunctionDecoder::alias_parameter(const ptx::Instruction& i) {
    const ptx::Operand& to = operand(i, 0);
    const ptx::Operand& from = operand(i, 1);
    if (from.kind != OperandKind::address || from.reg >= 0 ||
        from.symbol_kind != SymbolKind::parameter)
        return;
    const auto type = type_named(i.modifiers[i.modifier_count - 1u]);
    if (!type || ptx::bits(*type) > 64 || ptx::bits(*type) < 8) return;
    const std::uint32_t elements = to.kind == OperandKind::vector ? to.count : 1;
    for (std::uint32_t n = 0; n < elements; ++n) {
        const ptx::Operand& o =
            to.kind == OperandKind::vector ? source_.operands[to.first + n] : to;
        if (!is_replaceable(o)) continue;
        LaunchRow row;
        row.kind = LaunchRow::Kind::param;
        row.bytes = static_cast<std::uint8_t>(bytes_of(o));
        if (static_cast<int>(row.bytes) * 8 < ptx::bits(*type)) continue;
        row.type = *type;
        row.function = index_;
        const auto& parameter = source_.params[static_cast<std::size_t>(from.symbol)];
        const auto element = static_cast<std::uint64_t>(ptx::bits(*type)) / 8;
        const Checked at =
            Checked(parameter.offset) + static_cast<std::uint64_t>(from.offset) + n * element;
        if (!(at + element).at_most(source_.param_bytes)) continue;
        row.value = at.or_largest();
        aliases_[static_cast<std::size_t>(o.reg)] = {
            Alias::Kind::row, module_.launch_row(row), -1, {}};
    }
}

void FunctionDecoder::alias_one(const ptx::Instruction& i) {
    if (i.operand_count < 2 || i.modifier_count == 0) return;
    if (i.opcode == "ld") {
        if (i.has("param") && source_.is_entry) alias_parameter(i);
        return;
    }
    const ptx::Operand& to = operand(i, 0);
    const ptx::Operand& from = operand(i, 1);
    if (!is_replaceable(to)) return;
    const std::uint32_t bytes = bytes_of(to);
    const auto type = type_named(i.modifiers[i.modifier_count - 1u]);
    const auto set_row = [&](const Ref& row, std::optional<std::uint64_t> value = {}) {
        aliases_[static_cast<std::size_t>(to.reg)] = {Alias::Kind::row, row, -1, value};
    };
    const auto set_value = [&](std::uint64_t value) {
        set_row(module_.constant(value, bytes), value);
    };
    if (i.opcode == "mov") {
        if (!type || row_bytes(*type) != bytes) return;
        if (from.kind == OperandKind::reg) {
            alias_register(to, from.reg);
        } else if (from.kind == OperandKind::immediate) {
            if (!from.is_float_literal || from.float_bits == 8 * bytes) set_value(from.bits);
        } else if (from.kind == OperandKind::special) {
            if (const auto row = module_.special_row(from.name); row && row->bytes == bytes)
                set_row(*row);
        } else if (from.kind == OperandKind::symbol) {
            if (const auto row = symbol_row(from, bytes)) set_row(*row, symbol_value(from));
        }
        return;
    }
    if (from.kind != OperandKind::reg || bytes != 8) return;
    const Alias& source = resolved(from.reg);
    const bool is_known = source.kind == Alias::Kind::row && source.value && source.row.bytes == 8;
    if (i.opcode == "cvta") {
        // The generic address of global and constant memory is the address itself.
        if (i.has("global") || i.has("const")) {
            alias_register(to, from.reg);
        } else if (const auto window = window_of_cvta(i); window && is_known) {
            set_value(i.has("to") ? *source.value - *window : *source.value + *window);
        }
        return;
    }
    // add %SPL, n: how the compiler names places in the local stack.
    if (i.opcode == "add" && i.modifier_count == 1 && i.operand_count == 3 && type &&
        (*type == ptx::Type::s64 || *type == ptx::Type::u64) && is_known &&
        operand(i, 2).kind == OperandKind::immediate)
        set_value(*source.value + operand(i, 2).bits);
}

/// Offsets of this function's variables.
Status FunctionDecoder::place_areas() {
    variable_offsets_.assign(source_.variables.size(), 0);
    variable_areas_.assign(source_.variables.size(), {});
    std::uint64_t shared = source_.is_entry ? program_.common_shared_bytes : 0;
    std::uint64_t local = 0;
    for (std::size_t n = 0; n < source_.variables.size(); ++n) {
        const ptx::Variable& v = source_.variables[n];
        if (v.space == Space::shared && !v.is_extern && !source_.is_entry) {
            // Shared variables of device functions were placed with the module's.
            variable_offsets_[n] = module_.shared_offsets_.at(fmt::format("{}/{}", index_, n));
        } else if (v.space == Space::shared && !v.is_extern) {
            const auto at = place(shared, v.bytes, v.align, max_shared_bytes);
            if (!at) return too_large(v, "shared", shared, max_shared_bytes, source_.name);
            variable_offsets_[n] = *at;
        } else if (v.space == Space::local) {
            const auto at = place(local, v.bytes, v.align, max_local_bytes);
            if (!at) return too_large(v, "local", local, max_local_bytes, source_.name);
            variable_offsets_[n] = *at;
        }
    }
    out_.shared_bytes = shared;
    out_.local_bytes =
        static_cast<std::uint32_t>(Checked(local).rounded_up(local_piece).or_largest());
    return Done{};
}

}  // namespace cugrade::emulator
