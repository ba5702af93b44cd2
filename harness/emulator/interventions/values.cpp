#include "emulator/interventions/values.hpp"

#include <algorithm>

#include "emulator/interventions/accesses.hpp"
#include "emulator/interventions/code.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;

bool is_plain(const Instruction& i) {
    return i.guard < 0 && ptx::is_any_of(i.opcode, {"mov", "add", "sub", "mul", "mad", "shl", "shr",
                                                    "and", "or", "cvt", "cvta", "ld"});
}

bool same_form(const Instruction& a, const Instruction& b) {
    return a.opcode == b.opcode && a.modifier_count == b.modifier_count &&
           a.operand_count == b.operand_count && !a.paired && !b.paired &&
           std::equal(a.modifiers.begin(), a.modifiers.begin() + a.modifier_count,
                      b.modifiers.begin());
}

}  // namespace

Values::Values(const ptx::Function& f) : function_(f), written_at_(f.registers.size(), none) {
    std::vector<bool> is_written(f.registers.size(), false);
    for (std::uint32_t n = 0; n < f.instructions.size(); ++n)
        for (const std::int32_t r : written_by(f, f.instructions[n])) {
            const auto at = static_cast<std::size_t>(r);
            const bool is_only = !is_written[at] && f.instructions[n].guard < 0;
            written_at_[at] = is_only ? n : none;
            is_written[at] = true;
        }
}

bool Values::are_same(const Operand& a, const Operand& b, int& left) const {
    if (a.kind != b.kind || a.offset != b.offset) return false;
    switch (a.kind) {
        case OperandKind::immediate: return a.bits == b.bits;
        case OperandKind::special: return a.name == b.name;
        case OperandKind::reg:
        case OperandKind::address:
        case OperandKind::symbol: break;
        default: return false;
    }
    if (a.reg < 0 || b.reg < 0)
        return a.reg < 0 && b.reg < 0 && a.symbol_kind == b.symbol_kind && a.symbol == b.symbol &&
               a.name == b.name;
    if (a.reg == b.reg) return true;
    const std::uint32_t at_a = written_at(a.reg), at_b = written_at(b.reg);
    if (--left < 0 || at_a == none || at_b == none) return false;
    const Instruction &from_a = function_.instructions[at_a],
                      &from_b = function_.instructions[at_b];
    if (!is_plain(from_a) || !same_form(from_a, from_b)) return false;
    for (std::uint32_t n = 1; n < from_a.operand_count; ++n)
        if (!are_same(operand(function_, from_a, n), operand(function_, from_b, n), left))
            return false;
    return true;
}

}  // namespace cugrade::emulator
