#include "emulator/observe/idioms.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "emulator/decode/opcodes.hpp"

namespace cugrade::emulator {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;

/// An address as the code states it: a register or a variable, and a distance from it.
struct SymbolicAddress {
    std::int32_t reg = -1;
    std::string_view name;
    std::int64_t offset = 0;
    bool operator==(const SymbolicAddress&) const = default;
};

/// True if the instruction does not write its first operand.
bool only_reads(const Instruction& i) { return opcode_of(i).writes != Writes::first; }

/// Follows a register back as long as only one instruction sets it, to a copy of another register
/// or to the sum of another register and a constant.
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

/// The place that a load, a store or an atomic touches.
SymbolicAddress place_of(const Function& function, const Instruction& i) {
    const u32 at = address_operand(opcode_of(i));
    if (i.operand_count <= at) return {};
    return address_of(function, function.operands[i.first_operand + at]);
}

/// Adds the registers among the operands, also those inside of vectors.
void add_registers(const Function& function, u32 first, u32 count, std::vector<std::int32_t>& to,
                   bool with_predicates = false) {
    for (u32 k = first; k < first + count; ++k) {
        const Operand& o = function.operands[k];
        if (o.kind == OperandKind::vector) {
            add_registers(function, o.first, o.count, to, with_predicates);
        } else if (o.kind == OperandKind::reg &&
                   (with_predicates ||
                    function.registers[static_cast<std::size_t>(o.reg)].type != ptx::Type::pred)) {
            to.push_back(o.reg);
        }
    }
}

std::pair<const Function*, u32> origin_of(const Program& program, u32 code) {
    const auto& [function, instruction] = program.origins[code];
    return {program.functions[function].source, instruction};
}

/// Follows registers back to loads from the place. An instruction `keeps` if it gives the same when
/// it is done twice.
void follow_to_loads(const Function& function, const SymbolicAddress& place, u32 first, u32 count,
                     InPlace& found) {
    struct Step {
        std::int32_t reg;
        bool changes;
        std::string_view opcode;
    };
    std::set<std::pair<std::int32_t, bool>> seen;
    std::vector<Step> open;
    const auto follow = [&](u32 from, u32 n, bool changes, std::string_view opcode) {
        std::vector<std::int32_t> registers;
        add_registers(function, from, n, registers, found.by_choice);
        for (const std::int32_t reg : registers)
            if (seen.emplace(reg, changes).second) open.push_back({reg, changes, opcode});
    };
    follow(first, count, false, {});
    while (!open.empty()) {
        const Step step = open.back();
        open.pop_back();
        for (u32 n = 0; n < function.instructions.size(); ++n) {
            const Instruction& i = function.instructions[n];
            if (i.operand_count < 2 || only_reads(i)) continue;
            std::vector<std::int32_t> sets;
            add_registers(function, i.first_operand, i.paired ? 2 : 1, sets, found.by_choice);
            if (std::find(sets.begin(), sets.end(), step.reg) == sets.end()) continue;
            if (i.opcode == "ld") {
                if (place_of(function, i) != place) continue;
                const Update update = step.changes ? Update::changing : Update::idempotent;
                if (update >= found.update) found.opcode = step.opcode;
                found.update = std::max(found.update, update);
                found.loads.push_back(n);
            } else if (i.opcode != "atom") {
                const bool moves = is_any_of(i.opcode, {"mov", "cvt", "cvta"});
                const bool keeps =
                    moves || is_any_of(i.opcode, {"selp", "slct", "and", "or", "min", "max"});
                follow(i.first_operand + 1, i.operand_count - 1u, step.changes || !keeps,
                       moves || !step.opcode.empty() ? step.opcode : i.opcode);
            }
        }
    }
}

/// Follows the stored value back to loads from the same place.
InPlace find_update(const Function& function, const Instruction& store) {
    InPlace found;
    if (store.opcode == "st")
        follow_to_loads(function, place_of(function, store), store.first_operand + 1,
                        store.operand_count - 1u, found);
    return found;
}

/// Follows the predicates that decide about the store back to loads from the same place: `if (v >
/// *p) *p = v`. If the stored value comes from another place to which the function stores, this is
/// no choice: a program that swaps two elements lacks a barrier, not an atomic.
InPlace find_choice(const Function& function, u32 store) {
    const Instruction& i = function.instructions[store];
    InPlace found;
    if (i.opcode != "st") return found;
    const SymbolicAddress place = place_of(function, i);
    for (const Instruction& other : function.instructions) {
        if (other.opcode != "st" || place_of(function, other) == place) continue;
        InPlace from_other;
        follow_to_loads(function, place_of(function, other), i.first_operand + 1,
                        i.operand_count - 1u, from_other);
        if (from_other.update != Update::none) return found;
    }
    found.by_choice = true;
    const auto follow = [&](std::int32_t predicate) {
        for (const Instruction& set : function.instructions)
            if (set.opcode == "setp" && function.operands[set.first_operand].reg == predicate)
                follow_to_loads(function, place, set.first_operand + 1, set.operand_count - 1u,
                                found);
    };
    if (i.guard >= 0) follow(i.guard);
    for (u32 b = 0; b < store; ++b) {
        const Instruction& branch = function.instructions[b];
        if (branch.opcode == "bra" && branch.guard >= 0 &&
            function.operands[branch.first_operand].target > store)
            follow(branch.guard);
    }
    return found;
}

/// The atomic that does in one step what the statement does in three.
std::string atomic_for(const InPlace& update) {
    const auto is = [&](std::initializer_list<std::string_view> opcodes) {
        return is_any_of(update.opcode, opcodes);
    };
    if (update.by_choice) return "atomicMin(), atomicMax() or atomicCAS()";
    if (is({"add", "fma", "mad"})) return "atomicAdd()";
    if (is({"sub"})) return "atomicSub() or atomicAdd()";
    if (is({"min"})) return "atomicMin()";
    if (is({"max"})) return "atomicMax()";
    if (is({"and"})) return "atomicAnd()";
    if (is({"or"})) return "atomicOr()";
    if (is({"xor"})) return "atomicXor()";
    return "an atomic, or a loop around atomicCAS()";
}

/// The constant that an instruction moves to a register.
std::optional<u64> moved_constant(const Function& function, const Instruction& i) {
    const Operand& from = function.operands[i.first_operand + 1];
    if (i.opcode != "mov" || from.kind != OperandKind::immediate) return std::nullopt;
    return from.bits;
}

/// The value of a constant, or of a register that is a constant at an instruction: the last one
/// before it in a straight line sets it, or the only one in the function.
std::optional<u64> constant_of(const Function& function, const Operand& operand, u32 at) {
    if (operand.kind == OperandKind::immediate) return operand.bits;
    if (operand.kind != OperandKind::reg) return std::nullopt;
    const auto sets = [&](const Instruction& i) {
        return i.operand_count >= 2 && function.operands[i.first_operand].reg == operand.reg &&
               !only_reads(i);
    };
    std::set<u32> targets;
    for (const Operand& one : function.operands)
        if (one.kind == OperandKind::label) targets.insert(one.target);
    for (u32 n = at; n > 0 && !targets.contains(n);) {
        const Instruction& i = function.instructions[--n];
        if (opcode_of(i).control == Control::branches) break;
        if (!sets(i)) continue;
        if (i.guard >= 0) break;  // or it keeps the value that it had
        return moved_constant(function, i);
    }
    const auto only = std::ranges::find_if(function.instructions, sets);
    if (only == function.instructions.end() ||
        std::any_of(only + 1, function.instructions.end(), sets))
        return std::nullopt;
    return moved_constant(function, *only);
}

/// atomicCAS from one constant to another: the first one.
std::optional<u64> exchanged_by_cas(const Function& function, u32 at) {
    const Instruction& i = function.instructions[at];
    if (i.opcode != "atom" || !i.has("cas") || i.operand_count != 4) return std::nullopt;
    if (!constant_of(function, function.operands[i.first_operand + 3u], at)) return std::nullopt;
    return constant_of(function, function.operands[i.first_operand + 2u], at);
}

std::optional<LockTaking> find_lock_taking(const Function& function, u32 at) {
    if (const auto free = exchanged_by_cas(function, at)) return LockTaking{false, *free};
    const Instruction& i = function.instructions[at];
    if (i.opcode != "atom" || !i.has("exch") || i.operand_count != 3) return std::nullopt;
    const auto value = constant_of(function, function.operands[i.first_operand + 2u], at);
    if (!value || *value == 0) return std::nullopt;
    // Where atomicCAS takes a lock whose free word is that, the exchange gives it back.
    for (u32 n = 0; n < function.instructions.size(); ++n)
        if (exchanged_by_cas(function, n) == value) return std::nullopt;
    return LockTaking{true, *value};
}

/// May memory change here: does the instruction write, or may other threads get their turn?
bool may_write(const Instruction& i) {
    const Opcode& opcode = opcode_of(i);
    return may_store(opcode) || opcode.control == Control::calls || is_barrier(opcode);
}

/// Does a branch between the two instructions depend on what the load has read?
bool decides(const Function& function, u32 load, u32 first, u32 last) {
    std::set<std::int32_t> made;
    const auto add_results = [&](const Instruction& i) {
        std::vector<std::int32_t> sets;
        add_registers(function, i.first_operand, i.paired ? 2 : 1, sets, true);
        made.insert(sets.begin(), sets.end());
    };
    add_results(function.instructions[load]);
    // What comes before the load uses what the round before has read.
    for (std::size_t known = 0; known != made.size();) {
        known = made.size();
        for (u32 n = first; n <= last; ++n) {
            const Instruction& i = function.instructions[n];
            if (i.operand_count < 2 || only_reads(i)) continue;
            std::vector<std::int32_t> reads;
            add_registers(function, i.first_operand + 1, i.operand_count - 1u, reads, true);
            if (std::ranges::any_of(reads, [&](std::int32_t reg) { return made.contains(reg); }))
                add_results(i);
        }
    }
    for (u32 n = first; n <= last; ++n) {
        const Instruction& i = function.instructions[n];
        if (opcode_of(i).control == Control::branches && i.guard >= 0 && made.contains(i.guard))
            return true;
    }
    return false;
}

/// Is it the load of a loop that does nothing but wait for another value there?
bool waits_in_loop(const Function& function, u32 load) {
    for (u32 end = load + 1; end < function.instructions.size(); ++end) {
        const Instruction& branch = function.instructions[end];
        if (may_write(branch)) return false;
        if (opcode_of(branch).control != Control::branches) continue;
        const Operand& to = function.operands[branch.first_operand];
        if (to.kind != OperandKind::label || to.target > load) continue;
        return std::none_of(function.instructions.begin() + to.target,
                            function.instructions.begin() + load, may_write) &&
               decides(function, load, to.target, end);
    }
    return false;
}

}  // namespace

void Idioms::launch_started(const Program& program) {
    program_ = &program;
    for_cas_.clear();
    polls_.clear();
    updates_.clear();
    lock_takings_.clear();
    value_sources_.clear();
    in_place_.clear();
    missing_atomics_.clear();
    may_differ_.clear();
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
    known->second = find_update(*function, function->instructions[instruction]).update;
    return known->second;
}

ValueSources& Idioms::sources_in(const Function& function) {
    return value_sources_.try_emplace(&function, function).first->second;
}

const InPlace& Idioms::in_place(const Function& function, u32 store) {
    const auto [known, is_new] = in_place_.try_emplace({&function, store});
    if (is_new) {
        known->second = find_update(function, function.instructions[store]);
        if (known->second.update == Update::none) known->second = find_choice(function, store);
    }
    return known->second;
}

const std::string& Idioms::missing_atomic(u32 code, u32 other, bool exact) {
    const u64 key = u64{code} << 32 | u64{other} << 1 | static_cast<u64>(exact);
    const auto [known, is_new] = missing_atomics_.try_emplace(key);
    if (is_new) known->second = find_missing_atomic(code, other, exact);
    return known->second;
}

std::string Idioms::find_missing_atomic(u32 code, u32 other, bool exact) {
    const auto [function, a] = origin_of(*program_, code);
    const auto [other_function, b] = origin_of(*program_, other);
    if (function != other_function) return {};
    const auto is_store = [f = function](u32 n) { return f->instructions[n].opcode == "st"; };
    const u32 store = is_store(a) ? a : b, access = is_store(a) ? b : a;
    if (!is_store(store)) return {};
    const auto line_of = [f = function](u32 n) {
        const ptx::SourceLine& at = f->instructions[n].source;
        return std::pair(at.file, at.line);
    };
    const InPlace& update = in_place(*function, store);
    // The load and the store are one statement, or several that could be written as one.
    const auto belongs = [&](u32 load) {
        return load < store && (line_of(load) == line_of(store) || update.by_choice ||
                                update.update == Update::changing);
    };
    if (std::ranges::none_of(update.loads, belongs)) return {};
    // If each thread has a word of its own in each round of a loop, the rounds lack a barrier, not
    // an atomic.
    const Sources place = sources_in(*function).of_address(store);
    const bool is_common =
        place.data || place.changing || !place.thread || (place.folded && !place.stride);
    if (!is_common && (place.stride || !exact)) return {};
    if (access == store) return atomic_for(update);
    if (std::ranges::find(update.loads, access) != update.loads.end())
        return belongs(access) ? atomic_for(update) : std::string();
    // The compiler may have unrolled a loop, so one statement has several loads and stores.
    if (!is_common || line_of(a) != line_of(b)) return {};
    for (u32 n = 0; n < function->instructions.size(); ++n) {
        if (!is_store(n) || line_of(n) != line_of(store)) continue;
        const InPlace& round = in_place(*function, n);
        const bool is_of_it = is_store(access)
                                  ? n == access && !round.loads.empty()
                                  : std::ranges::find(round.loads, access) != round.loads.end();
        if (is_of_it) return atomic_for(update);
    }
    return {};
}

bool Idioms::may_differ(u32 store, bool other_block) {
    const auto [known, is_new] =
        may_differ_.try_emplace(u64{store} << 1 | static_cast<u64>(other_block), false);
    if (!is_new) return known->second;
    const auto [function, instruction] = origin_of(*program_, store);
    if (function->instructions[instruction].opcode != "st") return false;
    known->second = sources_in(*function).may_differ(instruction, other_block);
    return known->second;
}

const LockTaking* Idioms::lock_taking(u32 code) {
    const auto [known, is_new] = lock_takings_.try_emplace(code);
    if (is_new) {
        const auto [function, instruction] = origin_of(*program_, code);
        known->second = find_lock_taking(*function, instruction);
    }
    return known->second ? &*known->second : nullptr;
}

}  // namespace cugrade::emulator
