#include "emulator/observe/idioms.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace cugrade::emulator {
namespace {

using u32 = std::uint32_t;
using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;

/// What an address is before a kernel runs: a register or a variable, and a distance from it.
struct SymbolicAddress {
    std::int32_t reg = -1;
    std::string_view name;
    std::int64_t offset = 0;
    bool operator==(const SymbolicAddress&) const = default;
};

/// True if the first operand is not what the instruction sets.
bool only_reads(const Instruction& i) {
    return is_any_of(i.opcode, {"st", "red", "bra", "call", "bar", "barrier", "ret"});
}

/// Follows registers back through what is set once, to a sum of another one and a constant.
SymbolicAddress address_of(const Function& function, const Operand& operand) {
    SymbolicAddress a{operand.reg, operand.reg < 0 ? operand.name : std::string_view(),
                      operand.offset};
    for (int steps = 0; a.reg >= 0 && steps < 8; ++steps) {
        const Instruction* set = nullptr;
        int times = 0;
        for (const Instruction& i : function.instructions) {
            if (i.operand_count < 2 || function.operands[i.first_operand].reg != a.reg ||
                only_reads(i))
                continue;
            set = &i;
            ++times;
        }
        if (times != 1) break;
        const Operand* from = &function.operands[set->first_operand + 1];
        const bool sum = set->opcode == "add" && set->operand_count == 3 &&
                         from[1].kind == OperandKind::immediate;
        if (!sum && set->opcode != "mov" && set->opcode != "cvta") break;
        // The address of a variable.
        if (from->kind == OperandKind::symbol) {
            a.reg = -1;
            a.name = from->name;
            a.offset += from->offset;
            break;
        }
        if (from->kind != OperandKind::reg) break;
        a.reg = from->reg;
        if (sum) a.offset += static_cast<std::int64_t>(from[1].bits);
    }
    return a;
}

/// Of a load, a store or an atomic.
SymbolicAddress place_of(const Function& function, const Instruction& i) {
    const u32 at = i.opcode == "st" || i.opcode == "red" ? 0 : 1;
    if (i.operand_count <= at) return {};
    return address_of(function, function.operands[i.first_operand + at]);
}

/// The registers among operands, those of vectors too, without predicates.
void add_registers(const Function& function, u32 first, u32 count, std::vector<std::int32_t>& to) {
    for (u32 k = first; k < first + count; ++k) {
        const Operand& o = function.operands[k];
        if (o.kind == OperandKind::vector) {
            add_registers(function, o.first, o.count, to);
        } else if (o.kind == OperandKind::reg &&
                   function.registers[static_cast<std::size_t>(o.reg)].type != ptx::Type::pred) {
            to.push_back(o.reg);
        }
    }
}

std::pair<const Function*, u32> origin_of(const Program& program, u32 code) {
    const auto& [function, instruction] = program.origins[code];
    return {program.functions[function].source, instruction};
}

/// Follows what is stored back to a load from the same place.
Update find_update(const Function& function, const Instruction& store) {
    if (store.opcode != "st") return Update::none;
    const SymbolicAddress place = place_of(function, store);
    Update found = Update::none;
    std::set<std::pair<std::int32_t, bool>> seen;
    std::vector<std::pair<std::int32_t, bool>> open;
    const auto follow = [&](u32 first, u32 count, bool changes) {
        std::vector<std::int32_t> registers;
        add_registers(function, first, count, registers);
        for (const std::int32_t reg : registers)
            if (seen.emplace(reg, changes).second) open.emplace_back(reg, changes);
    };
    follow(store.first_operand + 1, store.operand_count - 1u, false);
    while (!open.empty()) {
        const auto [reg, changes] = open.back();
        open.pop_back();
        for (const Instruction& i : function.instructions) {
            if (i.operand_count < 2 || only_reads(i)) continue;
            std::vector<std::int32_t> sets;
            add_registers(function, i.first_operand, i.paired ? 2 : 1, sets);
            if (std::find(sets.begin(), sets.end(), reg) == sets.end()) continue;
            if (i.opcode == "ld") {
                if (place_of(function, i) == place)
                    found = std::max(found, changes ? Update::changing : Update::idempotent);
            } else if (i.opcode != "atom") {
                const bool keeps = is_any_of(
                    i.opcode, {"mov", "cvt", "cvta", "selp", "slct", "and", "or", "min", "max"});
                follow(i.first_operand + 1, i.operand_count - 1u, changes || !keeps);
            }
        }
        if (found == Update::changing) break;
    }
    return found;
}

/// A load in a loop that writes nothing: all that it can do is wait.
bool waits_in_loop(const Function& function, u32 load) {
    for (u32 end = load + 1; end < function.instructions.size(); ++end) {
        const Instruction& branch = function.instructions[end];
        if (is_any_of(branch.opcode, {"st", "red", "atom", "call", "bar", "barrier"})) return false;
        if (branch.opcode != "bra") continue;
        const Operand& to = function.operands[branch.first_operand];
        if (to.kind != OperandKind::label || to.target > load) continue;
        return std::none_of(
            function.instructions.begin() + to.target, function.instructions.begin() + load,
            [](const Instruction& i) {
                return is_any_of(i.opcode, {"st", "red", "atom", "call", "bar", "barrier"});
            });
    }
    return false;
}

}  // namespace

void Idioms::launch_started(const Program& program) {
    program_ = &program;
    for_cas_.clear();
    polls_.clear();
    updates_.clear();
}

bool Idioms::is_for_cas(u32 code) {
    const auto [known, is_new] = for_cas_.try_emplace(code, false);
    if (!is_new) return known->second;
    const auto [function, instruction] = origin_of(*program_, code);
    const SymbolicAddress mine = place_of(*function, function->instructions[instruction]);
    for (const Instruction& i : function->instructions)
        if (i.opcode == "atom" && i.has("cas")) known->second |= place_of(*function, i) == mine;
    return known->second;
}

bool Idioms::polls(u32 code) {
    const auto [known, is_new] = polls_.try_emplace(code, false);
    if (!is_new) return known->second;
    const auto [function, instruction] = origin_of(*program_, code);
    const SymbolicAddress mine = place_of(*function, function->instructions[instruction]);
    // The compiler may have put the first round before the loop.
    for (u32 k = 0; k < function->instructions.size() && !known->second; ++k) {
        const Instruction& i = function->instructions[k];
        known->second = i.opcode == "ld" && waits_in_loop(*function, k) &&
                        (k == instruction || place_of(*function, i) == mine);
    }
    return known->second;
}

Update Idioms::update_of(u32 code) {
    const auto [known, is_new] = updates_.try_emplace(code, Update::none);
    if (!is_new) return known->second;
    const auto [function, instruction] = origin_of(*program_, code);
    known->second = find_update(*function, function->instructions[instruction]);
    return known->second;
}

}  // namespace cugrade::emulator
