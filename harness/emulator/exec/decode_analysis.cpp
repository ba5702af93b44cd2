// What a function's registers are, before any code is emitted.
//
// PTX is in SSA form but for the copies at joins, with hundreds of registers of which few are live
// at once. Two steps keep a warp's frame in the first-level cache. A register written once by a
// move of something constant for the thread (an immediate, %tid, a kernel parameter, an address) or
// of another such register is not stored at all: its readers read the source's row. The others
// share rows by linear scan over their live ranges. Where a definition dominates all uses, as in
// SSA, a copy never outlives the value that it copies, so the first step is safe.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/exec/decoder.hpp"

namespace cugrade::emulator {

using ptx::OperandKind;
using ptx::Space;
using ptx::SymbolKind;

namespace {

bool has_destination(const ptx::Instruction& i) {
    static constexpr std::string_view none[] = {
        "st",   "red",     "bra",           "brx",     "call",           "ret",        "exit",
        "trap", "brkpt",   "membar",        "fence",   "nanosleep",      "prefetch",   "prefetchu",
        "cp",   "discard", "applypriority", "pmevent", "griddepcontrol", "setmaxnreg", "stmatrix"};
    if (i.opcode == "bar" || i.opcode == "barrier") return i.has("red");
    return std::find(std::begin(none), std::end(none), i.opcode) == std::end(none);
}

void collect(const ptx::Function& f, const ptx::Operand& o, std::vector<std::int32_t>& into) {
    if (o.kind == OperandKind::vector) {
        for (std::uint32_t n = 0; n < o.count; ++n) collect(f, f.operands[o.first + n], into);
    } else if ((o.kind == OperandKind::reg || o.kind == OperandKind::address) && o.reg >= 0) {
        into.push_back(o.reg);
    }
}

bool ends_block(const ptx::Instruction& i) {
    return i.opcode == "bra" || i.opcode == "brx" || i.opcode == "ret" || i.opcode == "exit";
}

}  // namespace

Effects effects_of(const ptx::Function& f, const ptx::Instruction& i) {
    Effects e;
    const int destinations = has_destination(i) ? (i.paired ? 2 : 1) : 0;
    for (int n = 0; n < i.operand_count; ++n) {
        const ptx::Operand& o = f.operands[i.first_operand + static_cast<std::uint32_t>(n)];
        collect(f, o, n < destinations && o.kind != OperandKind::address ? e.defs : e.uses);
    }
    if (i.guard >= 0) e.uses.push_back(i.guard);
    return e;
}

std::vector<bool> first_of_blocks(const ptx::Function& f) {
    std::vector<bool> first(f.instructions.size() + 1, false);
    first[0] = true;
    for (std::size_t n = 0; n < f.instructions.size(); ++n) {
        const auto& i = f.instructions[n];
        for (std::uint32_t k = 0; k < i.operand_count; ++k) {
            const auto& o = f.operands[i.first_operand + k];
            if (o.kind != OperandKind::label) continue;
            if (i.opcode == "brx")
                for (auto t : f.branch_tables[o.target]) first[t] = true;
            else
                first[o.target] = true;
        }
        if (ends_block(i)) first[n + 1] = true;
    }
    return first;
}

Allocation allocate_registers(const ptx::Function& f, const std::vector<std::int32_t>& canonical,
                              const std::vector<bool>& dead) {
    const std::size_t count = f.instructions.size();
    const std::vector<bool> leader = first_of_blocks(f);
    std::vector<std::uint32_t> block_of(count + 1, 0), first;
    for (std::size_t n = 0; n < count; ++n) {
        if (leader[n]) first.push_back(static_cast<std::uint32_t>(n));
        block_of[n] = static_cast<std::uint32_t>(first.size() - 1);
    }
    const std::size_t blocks = first.size();
    first.push_back(static_cast<std::uint32_t>(count));
    block_of[count] = static_cast<std::uint32_t>(blocks);

    const std::size_t words = (f.registers.size() + 63) / 64;
    using Bits = std::vector<std::uint64_t>;
    std::vector<Bits> in(blocks + 1, Bits(words)), out(blocks, Bits(words)),
        kill(blocks, Bits(words));
    const auto set = [](Bits& b, std::int32_t r) {
        b[static_cast<std::size_t>(r) / 64] |= std::uint64_t{1} << (r % 64);
    };
    const auto get = [](const Bits& b, std::int32_t r) {
        return (b[static_cast<std::size_t>(r) / 64] >> (r % 64) & 1) != 0;
    };
    std::vector<Effects> effects(count);
    std::vector<std::vector<std::uint32_t>> successors(blocks);
    for (std::size_t b = 0; b < blocks; ++b) {
        for (std::uint32_t n = first[b]; n < first[b + 1]; ++n) {
            Effects e = effects_of(f, f.instructions[n]);
            const auto reduce = [&](std::vector<std::int32_t>& regs) {
                for (auto& r : regs) r = canonical[static_cast<std::size_t>(r)];
                std::erase(regs, -1);
            };
            reduce(e.uses);
            // A definition of an alias writes nothing; its canonical register is someone else's.
            std::erase_if(e.defs,
                          [&](auto r) { return canonical[static_cast<std::size_t>(r)] != r; });
            for (auto r : e.uses)
                if (!get(kill[b], r)) set(in[b], r);
            if (f.instructions[n].guard < 0)
                for (auto r : e.defs) set(kill[b], r);
            effects[n] = std::move(e);
        }
        const auto& last = f.instructions[first[b + 1] - 1];
        bool falls = true;
        for (int k = 0; k < last.operand_count; ++k) {
            const auto& o = f.operands[last.first_operand + static_cast<std::uint32_t>(k)];
            if (o.kind != OperandKind::label) continue;
            if (last.opcode == "brx")
                for (auto t : f.branch_tables[o.target]) successors[b].push_back(block_of[t]);
            else
                successors[b].push_back(block_of[o.target]);
        }
        if (ends_block(last) && last.guard < 0) falls = false;
        if (falls) successors[b].push_back(static_cast<std::uint32_t>(b + 1));
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t b = blocks; b-- > 0;) {
            for (std::size_t word = 0; word < words; ++word) {
                std::uint64_t bits = 0;
                for (auto s : successors[b]) bits |= in[s][word];
                out[b][word] = bits;
                const std::uint64_t live = in[b][word] | (bits & ~kill[b][word]);
                changed |= live != in[b][word];
                in[b][word] = live;
            }
        }
    }

    // Live ranges as one interval each, then linear scan.
    struct Interval {
        std::int32_t reg;
        std::uint32_t from = UINT32_MAX, to = 0;
    };
    std::vector<Interval> intervals(f.registers.size());
    const auto extend = [&](std::int32_t r, std::uint32_t at) {
        auto& v = intervals[static_cast<std::size_t>(r)];
        v.from = std::min(v.from, at);
        v.to = std::max(v.to, at);
    };
    for (std::size_t b = 0; b < blocks; ++b) {
        // Most registers live in few blocks.
        const auto extend_all = [&](const Bits& live, std::uint32_t at) {
            for (std::size_t word = 0; word < words; ++word)
                for (std::uint64_t bits = live[word]; bits != 0; bits &= bits - 1)
                    extend(static_cast<std::int32_t>(64 * word) + std::countr_zero(bits), at);
        };
        extend_all(in[b], first[b]);
        extend_all(out[b], first[b + 1]);
        for (std::uint32_t n = first[b]; n < first[b + 1]; ++n) {
            for (auto r : effects[n].uses) extend(r, n);
            for (auto r : effects[n].defs) extend(r, n);
        }
    }
    Allocation result;
    result.offset.assign(f.registers.size(), no_row);
    if (blocks != 0)
        for (std::size_t r = 0; r < f.registers.size(); ++r)
            if (get(in[0], static_cast<std::int32_t>(r)))
                result.live_in.push_back(static_cast<std::int32_t>(r));
    // Predicates are words; word 0 is the condition code, the last one scratch.
    std::uint32_t predicates = 1;
    std::vector<Interval> order;
    for (std::size_t r = 0; r < f.registers.size(); ++r) {
        intervals[r].reg = static_cast<std::int32_t>(r);
        if (f.registers[r].type == ptx::Type::pred)
            result.offset[r] = 4 * predicates++;
        else if (intervals[r].from != UINT32_MAX && !dead[r])
            order.push_back(intervals[r]);
    }
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
            // Strictly before: an operation in several steps must not overwrite what it reads.
            if (a.to >= v.from) return false;
            unused[wide(a.reg)].push_back(slot[static_cast<std::size_t>(a.reg)]);
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

/// The address of a variable or function, where it is known when the module is decoded.
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

void FunctionDecoder::find_aliases() {
    const std::size_t count = source_.registers.size();
    aliases_.assign(count, {});
    single_.assign(count, false);
    used_.assign(count, false);
    std::vector<std::uint32_t> writes(count, 0);
    for (const auto& i : source_.instructions) {
        const Effects e = effects_of(source_, i);
        for (auto r : e.defs) writes[static_cast<std::size_t>(r)] += i.guard >= 0 ? 2 : 1;
        for (auto r : e.uses) used_[static_cast<std::size_t>(r)] = true;
    }
    for (std::size_t r = 0; r < count; ++r) single_[r] = writes[r] == 1;
    for (const auto& i : source_.instructions)
        if (i.guard < 0) alias_one(i);
}

void FunctionDecoder::alias_one(const ptx::Instruction& i) {
    if (i.operand_count < 2) return;
    const ptx::Operand& to = operand(i, 0);
    const ptx::Operand& from = operand(i, 1);
    const auto candidate = [&](const ptx::Operand& o) {
        return o.kind == OperandKind::reg && single_[static_cast<std::size_t>(o.reg)] &&
               source_.registers[static_cast<std::size_t>(o.reg)].type != ptx::Type::pred &&
               source_.registers[static_cast<std::size_t>(o.reg)].type != ptx::Type::b128;
    };
    const auto set_row = [&](const ptx::Operand& o, const Ref& row,
                             std::optional<std::uint64_t> value = {}) {
        aliases_[static_cast<std::size_t>(o.reg)] = {Alias::Kind::row, row, -1, value};
    };
    if (i.opcode == "ld" && i.has("param") && source_.is_entry) {
        if (from.kind != OperandKind::address || from.reg >= 0 ||
            from.symbol_kind != SymbolKind::parameter)
            return;
        const auto type = type_named(i.modifiers[i.modifier_count - 1u]);
        if (!type || ptx::bits(*type) > 64 || ptx::bits(*type) < 8) return;
        const std::uint32_t elements = to.kind == OperandKind::vector ? to.count : 1;
        for (std::uint32_t n = 0; n < elements; ++n) {
            const ptx::Operand& o =
                to.kind == OperandKind::vector ? source_.operands[to.first + n] : to;
            if (!candidate(o)) continue;
            LaunchRow row;
            row.kind = LaunchRow::Kind::param;
            row.bytes = static_cast<std::uint8_t>(bytes_of(o));
            if (static_cast<int>(row.bytes) * 8 < ptx::bits(*type)) continue;
            row.type = *type;
            row.function = index_;
            const auto& parameter = source_.params[static_cast<std::size_t>(from.symbol)];
            row.value = parameter.offset + static_cast<std::uint64_t>(from.offset) +
                        n * static_cast<std::uint64_t>(ptx::bits(*type)) / 8;
            if (row.value + static_cast<std::uint64_t>(ptx::bits(*type)) / 8 > source_.param_bytes)
                continue;
            set_row(o, module_.launch_row(row));
        }
        return;
    }
    if (!candidate(to)) return;
    const std::uint32_t bytes = bytes_of(to);
    const auto alias_register = [&](std::int32_t reg) {
        if (!single_[static_cast<std::size_t>(reg)] || reg == to.reg) return;
        const auto& type = source_.registers[static_cast<std::size_t>(reg)].type;
        if (type == ptx::Type::pred || row_bytes(type) != bytes) return;
        // No cycles: a chain that leads back to this register is code that nobody can reach.
        for (std::int32_t r = reg;
             aliases_[static_cast<std::size_t>(r)].kind == Alias::Kind::reg;) {
            r = aliases_[static_cast<std::size_t>(r)].reg;
            if (r == to.reg) return;
        }
        aliases_[static_cast<std::size_t>(to.reg)] = {Alias::Kind::reg, {}, reg, {}};
    };
    if (i.opcode == "mov") {
        if (from.kind == OperandKind::reg) {
            alias_register(from.reg);
        } else if (from.kind == OperandKind::immediate) {
            if (!from.is_float_literal || from.float_bits == 8 * bytes)
                set_row(to, module_.constant(from.bits, bytes), from.bits);
        } else if (from.kind == OperandKind::special) {
            if (const auto row = module_.special_row(from.name); row && row->bytes == bytes)
                set_row(to, *row);
        } else if (from.kind == OperandKind::symbol) {
            if (const auto row = symbol_row(from, bytes)) set_row(to, *row, symbol_value(from));
        }
        return;
    }
    // The generic address of global and constant memory is the address itself.
    if (i.opcode == "cvta" && from.kind == OperandKind::reg && bytes == 8) {
        if (i.has("global") || i.has("const")) {
            alias_register(from.reg);
        } else if (const Alias& source = resolved(from.reg);
                   source.value && source.kind == Alias::Kind::row) {
            const std::uint64_t window = i.has("shared")  ? shared_window
                                         : i.has("local") ? local_window
                                                          : param_window;
            const std::uint64_t value =
                i.has("to") ? *source.value - window : *source.value + window;
            set_row(to, module_.constant(value, 8), value);
        }
        return;
    }
    // add %SPL, n: how the compiler names places in the local stack.
    if (i.opcode == "add" && bytes == 8 && i.operand_count == 3 && from.kind == OperandKind::reg &&
        operand(i, 2).kind == OperandKind::immediate) {
        const Alias& source = resolved(from.reg);
        if (source.kind == Alias::Kind::row && source.value) {
            const std::uint64_t value = *source.value + operand(i, 2).bits;
            set_row(to, module_.constant(value, 8), value);
        }
    }
}

/// Offsets of this function's variables and of the parameter areas behind its registers.
void FunctionDecoder::place_areas() {
    variable_offsets_.assign(source_.variables.size(), 0);
    variable_areas_.assign(source_.variables.size(), {});
    std::uint64_t shared = source_.is_entry ? program_.common_shared_bytes : 0;
    std::uint64_t local = 0;
    const auto place = [](std::uint64_t& end, const ptx::Variable& v) {
        const std::uint64_t align = std::max<std::uint32_t>(v.align, 1);
        const std::uint64_t at = (end + align - 1) / align * align;
        end = at + v.bytes;
        return at;
    };
    for (std::size_t n = 0; n < source_.variables.size(); ++n) {
        const ptx::Variable& v = source_.variables[n];
        if (v.space == Space::shared && !v.is_extern) {
            // Shared variables of device functions were placed with the module's.
            variable_offsets_[n] =
                source_.is_entry ? place(shared, v)
                                 : module_.shared_offsets_.at(fmt::format("{}/{}", index_, n));
        } else if (v.space == Space::local) {
            variable_offsets_[n] = place(local, v);
        }
    }
    out_.shared_bytes = shared;
    out_.local_bytes =
        static_cast<std::uint32_t>((local + local_piece - 1) / local_piece * local_piece);
}

}  // namespace cugrade::emulator
