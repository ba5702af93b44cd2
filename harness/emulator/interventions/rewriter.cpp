#include "emulator/interventions/rewriter.hpp"

#include <utility>

namespace cugrade::emulator {

using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;

std::string_view Rewriter::own(std::string name) {
    return module_.renamed.emplace_back(std::move(name));
}

Instruction Rewriter::make(const std::string& form, const std::vector<Operand>& operands,
                           const Instruction& in_line_of) {
    Instruction made;
    made.text = own(form);
    std::string_view rest = made.text;
    const auto word = [&rest] {
        const std::size_t end = std::min(rest.find('.'), rest.size());
        const std::string_view first = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        return first;
    };
    made.opcode = word();
    while (!rest.empty()) made.modifiers[made.modifier_count++] = word();
    made.first_operand = static_cast<std::uint32_t>(function_.operands.size());
    made.operand_count = static_cast<std::uint8_t>(operands.size());
    function_.operands.insert(function_.operands.end(), operands.begin(), operands.end());
    made.source = in_line_of.source;
    made.inlined_at = in_line_of.inlined_at;
    made.call = in_line_of.call;
    made.ptx_line = in_line_of.ptx_line;
    return made;
}

template <class Change>
void Rewriter::change_targets(Change change) {
    for (const Instruction& i : function_.instructions)
        for (std::uint32_t n = 0; n < i.operand_count; ++n) {
            Operand& o = function_.operands[i.first_operand + n];
            // The label of a table is a number of branch_tables.
            if (o.kind == OperandKind::label && i.opcode != "brx") change(o.target);
        }
    for (auto& table : function_.branch_tables)
        for (std::uint32_t& target : table) change(target);
}

void Rewriter::insert(std::uint32_t at, const std::vector<Instruction>& made,
                      bool branches_come_by) {
    const auto count = static_cast<std::uint32_t>(made.size());
    change_targets([&](std::uint32_t& target) {
        if (target > at || (target == at && !branches_come_by)) target += count;
    });
    function_.instructions.insert(function_.instructions.begin() + at, made.begin(), made.end());
}

void Rewriter::erase(std::uint32_t at) {
    change_targets([&](std::uint32_t& target) { target -= target > at ? 1 : 0; });
    function_.instructions.erase(function_.instructions.begin() + at);
}

void Rewriter::insert_before(std::uint32_t at, const std::vector<Instruction>& made) {
    insert(at, made, true);
}

void Rewriter::insert_after(std::uint32_t at, const std::vector<Instruction>& made) {
    insert(at + 1, made, false);
}

void Rewriter::replace(std::uint32_t at, Instruction made) {
    const Instruction& old = function_.instructions[at];
    made.guard = old.guard;
    made.guard_negated = old.guard_negated;
    function_.instructions[at] = made;
}

std::int32_t Rewriter::new_register(ptx::Type type) {
    const auto number = static_cast<std::int32_t>(function_.registers.size());
    function_.registers.push_back({"%changed", number, type});
    return number;
}

Operand Rewriter::reg(std::int32_t number) {
    Operand o;
    o.kind = OperandKind::reg;
    o.reg = number;
    return o;
}

Operand Rewriter::special(std::string_view name) {
    Operand o;
    o.kind = OperandKind::special;
    o.name = name;
    return o;
}

Operand Rewriter::immediate(std::uint64_t bits) {
    Operand o;
    o.kind = OperandKind::immediate;
    o.bits = bits;
    return o;
}

}  // namespace cugrade::emulator
