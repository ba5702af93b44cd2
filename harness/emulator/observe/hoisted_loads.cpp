#include "emulator/observe/hoisted_loads.hpp"

#include <algorithm>

#include "emulator/decode/opcodes.hpp"
#include "emulator/ptx/registers.hpp"

namespace cugrade::emulator {
namespace {

using u32 = std::uint32_t;
using s32 = std::int32_t;
using ptx::Function;
using ptx::Instruction;

using Registers = std::set<std::int32_t>;

bool has_any(const Registers& all, const std::vector<std::int32_t>& some) {
    return std::ranges::any_of(some, [&](std::int32_t one) { return all.contains(one); });
}

/// Computes a value from values, and does nothing else.
bool is_pure(const Instruction& i) {
    return i.guard < 0 && !i.paired &&
           is_any_of(i.opcode, {"add", "sub", "mul", "mad", "fma", "neg", "abs", "min", "max",
                                "mov", "cvt", "and", "or", "xor", "not", "shl", "shr"});
}

/// A comparison of two whole numbers of 32 bits that sets one predicate, and from nothing else.
bool is_comparison(const Instruction& i) {
    return i.opcode == "setp" && i.guard < 0 && !i.paired && i.operand_count == 3 &&
           i.modifier_count == 2 && (i.has("s32") || i.has("u32")) &&
           is_any_of(i.modifiers[0], {"eq", "ne", "lt", "le", "gt", "ge"});
}

/// The lanes for which such a comparison holds.
template <class T>
u32 lanes_where(const Warp& warp, const Ins* i, std::string_view relation) {
    const auto a = warp.a<T>(i), b = warp.b<T>(i);
    u32 holds = 0;
    for (u32 l = 0; l < lanes; ++l) {
        const T x = a.get(l), y = b.get(l);
        const bool here = relation == "eq"   ? x == y
                          : relation == "ne" ? x != y
                          : relation == "lt" ? x < y
                          : relation == "le" ? x <= y
                          : relation == "gt" ? x > y
                                             : x >= y;
        holds |= u32{here} << l;
    }
    return holds;
}

}  // namespace

void HoistedLoads::launch_started(const Program& program) {
    program_ = &program;
    known_.assign(program.code.size(), unknown);
    selected_.clear();
    targets_.clear();
}

u32 HoistedLoads::lanes_of(const Warp& warp, u32 code, u32 mask) {
    if (known_[code] == unknown) {
        const auto found = selected(code);
        known_[code] = found ? yes : no;
        if (!found) return mask;
        selected_.emplace(code, *found);
    }
    const Selected& by = selected_.at(code);
    const u32 holds = by.compares == nullptr ? warp.predicate(by.predicate)
                      : by.is_signed         ? lanes_where<s32>(warp, by.compares, by.relation)
                                             : lanes_where<u32>(warp, by.compares, by.relation);
    return mask & (by.if_true ? holds : ~holds);
}

u32 HoistedLoads::end_of_line(const Function& f, u32 at) {
    const auto [known, is_new] = targets_.try_emplace(&f);
    if (is_new)
        for (const ptx::Operand& one : f.operands)
            if (one.kind == ptx::OperandKind::label) known->second.insert(one.target);
    u32 n = at + 1;
    while (n < f.instructions.size() && !known->second.contains(n) &&
           opcode_of(f.instructions[n]).control != Control::branches)
        ++n;
    return n;
}

std::optional<HoistedLoads::Selected> HoistedLoads::selected(u32 code) {
    const auto& [number, at] = program_->origins[code];
    const Function& f = *program_->functions[number].source;
    const Instruction& load = f.instructions[at];
    if (load.opcode != "ld" || load.guard >= 0 || load.has("volatile")) return std::nullopt;
    const auto loaded = written_by(f, load);
    Registers values(loaded.begin(), loaded.end());
    const u32 end = end_of_line(f, at);
    std::int32_t predicate = -1;
    bool if_true = true;
    u32 last = at, last_select = at;
    for (u32 n = at + 1; n < end; ++n) {
        const Instruction& i = f.instructions[n];
        if (!has_any(values, read_by(f, i))) continue;
        last = n;
        if (i.opcode != "selp") {
            if (!is_pure(i)) return std::nullopt;
            for (const std::int32_t reg : written_by(f, i)) values.insert(reg);
            continue;
        }
        const auto operand = [&](u32 k) -> const ptx::Operand& {
            return f.operands[i.first_operand + k];
        };
        const bool first = values.contains(operand(1).reg),
                   second = values.contains(operand(2).reg);
        if (first == second || i.guard >= 0) return std::nullopt;
        const bool here = first != operand(3).negated;
        if (predicate >= 0 && (predicate != operand(3).reg || if_true != here)) return std::nullopt;
        predicate = operand(3).reg;
        if_true = here;
        last_select = n;
    }
    if (predicate < 0) return std::nullopt;
    u32 setter = at;  // none
    for (u32 n = 0; n < f.instructions.size(); ++n) {
        const Instruction& i = f.instructions[n];
        const bool is_between = n > at && n <= last;
        if (!is_between) {
            if (has_any(values, read_by(f, i))) return std::nullopt;
        } else if (std::ranges::count(written_by(f, i), predicate) > 0) {
            if (setter != at || !is_comparison(i)) return std::nullopt;
            setter = n;
        }
    }
    const auto compared_registers = read_by(f, f.instructions[setter]);
    const Registers compared(compared_registers.begin(), compared_registers.end());
    for (u32 n = at; n < setter; ++n)
        if (has_any(compared, written_by(f, f.instructions[n]))) return std::nullopt;
    const auto decoded = [&](u32 instruction) -> const Ins* {
        for (u32 k = code + 1; k < program_->code.size(); ++k)
            if (program_->origins[k].function == number &&
                program_->origins[k].instruction == instruction)
                return program_->at(k);
        return nullptr;
    };
    Selected by{.if_true = if_true};
    if (setter != at) {
        const Instruction& i = f.instructions[setter];
        by.compares = decoded(setter);
        by.relation = i.modifiers[0];
        by.is_signed = i.has("s32");
        return by.compares != nullptr ? std::optional(by) : std::nullopt;
    }
    // Its row, as the decoded select names it.
    const Ins* select = decoded(last_select);
    if (select == nullptr) return std::nullopt;
    by.predicate = select->c;
    return by;
}

}  // namespace cugrade::emulator
