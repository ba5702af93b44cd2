#include "emulator/observe/value_sources.hpp"

#include <algorithm>

#include "emulator/decode/decoder.hpp"
#include "emulator/decode/opcodes.hpp"

namespace cugrade::emulator {
namespace {

using u32 = std::uint32_t;
using ptx::Instruction;
using ptx::is_any_of;
using ptx::OperandKind;

constexpr u32 nowhere = ~u32{0};

}  // namespace

void Sources::add(const Sources& o) {
    thread |= o.thread;
    block |= o.block;
    data |= o.data;
    changing |= o.changing;
    unknown |= o.unknown;
    folded |= o.folded;
    stride |= o.stride;
    roots.insert(o.roots.begin(), o.roots.end());
}

/// One question: the sources that are known so far, and the registers that have been followed.
struct ValueSources::Walk {
    Sources sources;
    std::set<std::int32_t> seen;   ///< registers that were followed or need not be
    std::set<std::int32_t> given;  ///< registers in which the threads asked about are equal
    u32 use = nowhere;             ///< the instruction that asks; nowhere: choices do not count
    bool is_address = false;
};

ValueSources::ValueSources(const ptx::Function& function)
    : function_(function), definitions_(function.registers.size()) {
    for (u32 n = 0; n < function.instructions.size(); ++n) {
        const Instruction& i = function.instructions[n];
        for (const std::int32_t r : effects_of(function, i).defs)
            definitions_[static_cast<std::size_t>(r)].push_back(n);
        if (opcode_of(i).control == Control::branches && i.guard >= 0) branches_.push_back(n);
    }
}

void ValueSources::follow_operand(Walk& walk, const ptx::Operand& o) {
    switch (o.kind) {
        case OperandKind::special:
            if (o.name.starts_with("%tid") || o.name.starts_with("%lane") ||
                o.name.starts_with("%warpid") || o.name.starts_with("%clock") ||
                o.name.starts_with("%globaltimer"))
                walk.sources.thread = true;
            else if (o.name.starts_with("%ctaid") || o.name.starts_with("%smid"))
                walk.sources.block = true;
            break;
        case OperandKind::vector:
            for (u32 k = o.first; k < o.first + o.count; ++k)
                follow_operand(walk, function_.operands[k]);
            break;
        case OperandKind::reg: follow(walk, o.reg); break;
        case OperandKind::address:
        case OperandKind::symbol:
            if (o.reg >= 0)
                follow(walk, o.reg);
            else if (walk.is_address)
                walk.sources.roots.insert(o.name);
            break;
        default: break;
    }
}

void ValueSources::follow(Walk& walk, std::int32_t reg) {
    if (!walk.seen.insert(reg).second) return;
    const auto& definitions = definitions_[static_cast<std::size_t>(reg)];
    if (definitions.empty()) walk.sources.unknown = true;
    if (definitions.size() > 1 && is_scaled(reg)) walk.sources.stride = true;
    for (const u32 n : definitions) {
        follow_definition(walk, n);
        if (definitions.size() > 1 && walk.use != nowhere) follow_choices(walk, n);
    }
}

void ValueSources::follow_definition(Walk& walk, u32 n) {
    const Instruction& i = function_.instructions[n];
    if (i.guard >= 0) follow(walk, i.guard);
    const Opcode& opcode = opcode_of(i);
    if (opcode.memory == MemoryUse::loads) return follow_load(walk, n);
    if (is_atomic(opcode)) {
        walk.sources.changing = true;
        return;
    }
    if (opcode.value != ValueFrom::operands) {
        walk.sources.unknown = true;
        return;
    }
    if (walk.is_address && !walk.sources.folded &&
        is_any_of(i.opcode, {"shr", "div", "rem", "and"})) {
        Walk divided;
        follow_operand(divided, operand(i, 1));
        walk.sources.folded = divided.sources.thread;
    }
    for (u32 k = i.paired ? 2 : 1; k < i.operand_count; ++k) follow_operand(walk, operand(i, k));
}

void ValueSources::follow_load(Walk& walk, u32 n) {
    const Instruction& i = function_.instructions[n];
    const ptx::Operand& from = operand(i, 1);
    if (i.has("param")) {
        if (!function_.is_entry || from.symbol_kind != ptx::SymbolKind::parameter)
            walk.sources.unknown = true;
        else if (from.reg >= 0)
            follow(walk, from.reg);
        else if (walk.is_address && i.has("u64"))
            walk.sources.roots.insert(from.name);
        return;
    }
    if (i.has("local")) {
        walk.sources.unknown = true;
        return;
    }
    if (i.has("volatile") || i.has("relaxed") || i.has("acquire")) walk.sources.changing = true;
    const Sources address = address_without(n, walk.given);
    walk.sources.data |= address.thread || address.data || address.changing;
    walk.sources.block |= address.block || i.has("shared");
    walk.sources.unknown |= address.unknown;
    // The roots of an address are the arrays into which it points, not those from which an index
    // was read.
    if (!walk.is_address) walk.sources.roots.insert(address.roots.begin(), address.roots.end());
}

/// Follows the branches that may skip or repeat the definition but not the use: they choose which
/// value the use gets.
void ValueSources::follow_choices(Walk& walk, u32 definition) {
    for (const u32 b : branches_) {
        const Instruction& branch = function_.instructions[b];
        const u32 target = operand(branch, 0).target;
        const auto inside = [&](u32 n) {
            return target > b ? n > b && n < target : n >= target && n < b;
        };
        if (inside(definition) && !inside(walk.use)) follow(walk, branch.guard);
    }
}

/// Is the register set to a multiple or a fraction of itself?
bool ValueSources::is_scaled(std::int32_t reg) const {
    std::set<std::pair<std::int32_t, bool>> seen;
    std::vector<std::pair<std::int32_t, bool>> open{{reg, false}};
    while (!open.empty()) {
        const auto [r, scaled] = open.back();
        open.pop_back();
        for (const u32 n : definitions_[static_cast<std::size_t>(r)]) {
            const Instruction& i = function_.instructions[n];
            if (!is_any_of(i.opcode,
                           {"mov", "add", "sub", "shl", "shr", "mul", "div", "cvt", "and"}))
                continue;
            const bool scales = scaled || is_any_of(i.opcode, {"shl", "shr", "mul", "div"});
            for (const std::int32_t used : effects_of(function_, i).uses) {
                if (used == reg && scales) return true;
                if (seen.emplace(used, scales).second) open.emplace_back(used, scales);
            }
        }
    }
    return false;
}

Sources ValueSources::of_address(u32 access) { return address_without(access, {}); }

Sources ValueSources::address_without(u32 access, const std::set<std::int32_t>& given) {
    std::map<u32, Sources>& known = given.empty() ? addresses_ : given_addresses_;
    if (const auto it = known.find(access); it != known.end()) return it->second;
    const Instruction& i = function_.instructions[access];
    const u32 at = address_operand(opcode_of(i));
    if (i.operand_count <= at) return {};
    Walk walk;
    walk.is_address = true;
    walk.seen = walk.given = given;
    // A loop along a linked list loads each address from the one before, so the search comes back
    // here.
    if (!open_.insert(static_cast<std::int32_t>(access)).second) {
        walk.sources.data = true;
        return walk.sources;
    }
    follow_operand(walk, operand(i, at));
    open_.erase(static_cast<std::int32_t>(access));
    return known[access] = walk.sources;
}

Sources ValueSources::value_without(u32 store, const std::set<std::int32_t>& given) {
    const Instruction& i = function_.instructions[store];
    given_addresses_.clear();
    Walk walk;
    walk.seen = walk.given = given;
    walk.use = store;
    for (u32 k = 1; k < i.operand_count; ++k) follow_operand(walk, operand(i, k));
    return walk.sources;
}

Sources ValueSources::of_value(u32 store) { return value_without(store, {}); }

bool ValueSources::varies(std::int32_t reg) {
    Walk walk;
    follow(walk, reg);
    const Sources& s = walk.sources;
    return s.thread || s.block || s.data || s.changing || s.unknown;
}

/// The address's register, and each register from which it is computed with nothing else but values
/// that all threads share. Threads that store to one place have equal values in all of them.
std::set<std::int32_t> ValueSources::whole_of_place(u32 store) {
    std::set<std::int32_t> whole;
    std::vector<std::int32_t> open{operand(function_.instructions[store], 0).reg};
    while (!open.empty()) {
        const std::int32_t reg = open.back();
        open.pop_back();
        if (reg < 0 || !whole.insert(reg).second) continue;
        const auto& definitions = definitions_[static_cast<std::size_t>(reg)];
        if (definitions.size() != 1) continue;
        const Instruction& i = function_.instructions[definitions.front()];
        if (!is_any_of(i.opcode, {"mov", "cvt", "cvta", "add", "sub", "shl", "mul", "mad"}))
            continue;
        std::vector<std::int32_t> varying;
        for (const std::int32_t used : effects_of(function_, i).uses)
            if (varies(used)) varying.push_back(used);
        if (varying.size() == 1) open.push_back(varying.front());
    }
    return whole;
}

bool ValueSources::may_differ(u32 store, bool other_block) {
    const auto differs = [&](const Sources& s) {
        return !s.unknown && (s.thread || s.data || s.changing || (s.block && other_block));
    };
    const Sources value = of_value(store);
    if (!differs(value) || !differs(value_without(store, whole_of_place(store)))) return false;
    const Sources place = of_address(store);
    return value.roots.empty() || !std::ranges::includes(place.roots, value.roots);
}

}  // namespace cugrade::emulator
