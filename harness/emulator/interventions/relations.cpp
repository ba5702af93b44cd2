#include "emulator/interventions/relations.hpp"

#include "emulator/interventions/code.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;

constexpr Relation relations[] = {
    {"lt", "<", "le", "gt", "ge", true, true},
    {"le", "<=", "lt", "ge", "gt", false, true},
    {"gt", ">", "ge", "lt", "le", true, false},
    {"ge", ">=", "gt", "le", "lt", false, false},
    {"ltu", "<", "leu", "gtu", "ge", true, true},
    {"leu", "<=", "ltu", "geu", "gt", false, true},
    {"gtu", ">", "geu", "ltu", "le", true, false},
    {"geu", ">=", "gtu", "leu", "lt", false, false},
    {"eq", "==", "", "", "ne"},
    {"ne", "!=", "", "", "eq"},
    {"equ", "==", "", "", "neu"},
    {"neu", "!=", "", "", "equ"},
};

}  // namespace

const Relation* relation_named(std::string_view name) {
    for (const Relation& r : relations)
        if (r.name == name) return &r;
    return nullptr;
}

std::optional<Comparison> comparison_of(const Instruction& i) {
    if (i.opcode != "setp" || i.modifier_count < 2) return std::nullopt;
    const std::uint32_t limit = i.paired ? 3 : 2;
    const Relation* relation = relation_named(i.modifiers[0]);
    if (relation == nullptr || i.operand_count <= limit) return std::nullopt;
    return Comparison{relation, type_of(i), limit};
}

std::vector<bool> opposites(const Function& f) {
    std::vector<bool> opposite(f.registers.size(), false);
    for (std::size_t n = f.instructions.size(); n-- > 0;) {
        const Instruction& i = f.instructions[n];
        if (i.opcode == "bra" && i.guard >= 0) {
            const bool forwards = operand(f, i, 0).target > n;
            opposite[static_cast<std::size_t>(i.guard)] = forwards != i.guard_negated;
        }
        // `a && b` that is branched past: neither a nor b may fail.
        if (ptx::is_any_of(i.opcode, {"or", "and"}) && i.operand_count == 3 &&
            type_of(i) == ptx::Type::pred && is_register(operand(f, i, 0)) &&
            opposite[static_cast<std::size_t>(operand(f, i, 0).reg)])
            for (const std::uint32_t k : {1U, 2U})
                if (const ptx::Operand& o = operand(f, i, k); is_register(o))
                    opposite[static_cast<std::size_t>(o.reg)] = true;
        if (i.opcode != "not" || i.operand_count != 2) continue;
        const ptx::Operand &to = operand(f, i, 0), &from = operand(f, i, 1);
        if (is_register(to) && is_register(from) && type_of(i) == ptx::Type::pred)
            opposite[static_cast<std::size_t>(from.reg)] =
                !opposite[static_cast<std::size_t>(to.reg)];
    }
    return opposite;
}

const Relation& in_source(const Comparison& c, const Function& f, const Instruction& i,
                          const std::vector<bool>& opposite) {
    const ptx::Operand& to = operand(f, i, 0);
    const bool is_opposite = is_register(to) && opposite[static_cast<std::size_t>(to.reg)];
    return is_opposite ? *relation_named(c.relation->opposite) : *c.relation;
}

}  // namespace cugrade::emulator
