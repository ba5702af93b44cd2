#include "emulator/interventions/accesses.hpp"

#include <algorithm>

#include "emulator/interventions/code.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;

Space space_named(const Instruction& i) {
    for (std::size_t n = 0; n < i.modifier_count; ++n) {
        const std::string_view m = i.modifiers[n];
        if (m.starts_with("shared")) return Space::shared;
        if (m == "global") return Space::global;
        if (m == "local") return Space::local;
        if (m.starts_with("param")) return Space::param;
        if (m == "const") return Space::constant;
    }
    return Space::generic;
}

}  // namespace

std::optional<Access> access_of(const Instruction& i) {
    Access a{.space = space_named(i)};
    if (a.space == Space::param || a.space == Space::constant) return std::nullopt;
    if (ptx::is_any_of(i.opcode, {"ld", "ldu"}))
        a.loads = true, a.address = 1;
    else if (i.opcode == "st")
        a.stores = true;
    else if (i.opcode == "atom")
        a.loads = a.stores = true, a.address = 1;
    else if (i.opcode == "red")
        a.loads = a.stores = true;
    else
        return std::nullopt;
    if (i.operand_count <= a.address) return std::nullopt;
    return a;
}

Accesses::Accesses(const ptx::Module& module, const Function& f)
    : module_(module), function_(f), is_shared_address_(f.registers.size(), false) {
    // A pointer that walks through a loop comes from its own value of the round before.
    for (bool changed = true; changed;) {
        changed = false;
        for (const Instruction& i : f.instructions) {
            if (!makes_shared_address(i)) continue;
            for (const std::int32_t r : written_by(f, i)) {
                changed |= !is_shared_address_[static_cast<std::size_t>(r)];
                is_shared_address_[static_cast<std::size_t>(r)] = true;
            }
        }
    }
}

bool Accesses::is_shared_symbol(const Operand& o) const {
    if (o.kind != OperandKind::symbol && o.kind != OperandKind::address) return false;
    if (o.symbol_kind == ptx::SymbolKind::variable)
        return o.symbol >= 0 &&
               function_.variables[static_cast<std::size_t>(o.symbol)].space == Space::shared;
    return o.symbol_kind == ptx::SymbolKind::module && !o.name.empty() &&
           std::ranges::any_of(module_.variables, [&](const ptx::Variable& v) {
               return v.space == Space::shared && v.name == o.name;
           });
}

bool Accesses::makes_shared_address(const Instruction& i) const {
    if (!ptx::is_any_of(i.opcode, {"mov", "add", "sub", "mad", "cvt", "cvta", "selp", "or"}))
        return false;
    if (i.opcode == "cvta" && i.has("shared")) return true;
    for (std::uint32_t n = ptx::results_of(i); n < i.operand_count; ++n) {
        const Operand& o = operand(function_, i, n);
        if (is_shared_symbol(o)) return true;
        if (is_register(o) && is_shared_address_[static_cast<std::size_t>(o.reg)]) return true;
    }
    return false;
}

bool Accesses::is_common(const Instruction& i) const {
    const auto a = access_of(i);
    return a && a->space != Space::local;
}

bool Accesses::is_shared(const Instruction& i) const {
    const auto a = access_of(i);
    if (!a) return false;
    if (a->space != Space::generic) return a->space == Space::shared;
    const Operand& address = operand(function_, i, a->address);
    if (is_shared_symbol(address)) return true;
    // A function that is called may be given any pointer.
    return address.reg < 0 || is_shared_address_[static_cast<std::size_t>(address.reg)] ||
           !function_.is_entry;
}

}  // namespace cugrade::emulator
