// One row for each opcode has all facts about it. The decoder, the analysis of the flow of control,
// the observers, the counters and the time model ask this row.
//
// An opcode needs a row if anything in `Opcode` differs from its default: an opcode without a row
// computes a value of each lane from that lane's operands, and is counted by its type (popc,
// fma). Its forms are in the tables of ../ops (OpRow). An opcode with operands of its own names the
// function that decodes it, and its handler is in namespace `op` (../ops/table.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "emulator/counts/counts.hpp"
#include "emulator/ptx/module.hpp"

namespace cugrade::emulator {

class FunctionDecoder;

/// Emits an instruction. False: the form is not supported, and the emitted code is dropped.
using Decode = bool (*)(FunctionDecoder&, const ptx::Instruction&);

/// Which of its operands an instruction writes.
enum class Writes : std::uint8_t {
    first,         ///< the first; in a form with p|q the second, too
    of_reduction,  ///< the first if it is a reduction (bar.red), else none
    nothing,
};

/// How an instruction runs under a guard.
enum class Guarded : std::uint8_t {
    masked,      ///< for the lanes that the guard lets through
    in_a_split,  ///< it may wait or leave, so a branch makes those lanes a split of their own
    by_itself,   ///< its handler reads the guard
};

/// Where control goes from an instruction.
enum class Control : std::uint8_t {
    next,
    branches,           ///< to its label
    branches_by_table,  ///< to a label of its table
    calls,              ///< and comes back
    returns,
    exits,
    traps,
};

/// What an instruction does to memory. Its modifiers say in which space.
enum class MemoryUse : std::uint8_t {
    nothing,
    loads,
    stores,
    changes,  ///< an atomic that gives the old value
    reduces,  ///< an atomic that gives nothing
    copies,   ///< loads from one space and stores to another
};

/// Where the value of a result comes from.
enum class ValueFrom : std::uint8_t {
    operands,  ///< of the same lane; in mma of all lanes
    memory,
    other_lanes,
    elsewhere,  ///< a callee or a texture; the operands do not tell
};

/// The class that an instruction is counted in, and whether its form changes that.
struct Counted {
    enum class By : std::uint8_t {
        type,               ///< integers, and floats of each width, have classes of their own
        type_or_predicate,  ///< .pred: logic of predicates; else by type
        opcode,             ///< always `as`
        function_unit,      ///< `as`, but for exact f64
        scope,              ///< `as`, but for .warp
    };
    InstructionClass as = InstructionClass::integer;
    By by = By::type;
};

/// How many issue slots of a multiprocessor an instruction takes: observe/slots.cpp has the
/// numbers.
enum class Slots : std::uint8_t {
    one,
    none,
    none_of_parameters,
    of_move,
    of_conversion,
    of_division,
    of_root,
    of_product,
    two,
    two_if_wide,
};

struct Opcode {
    std::string_view name;
    Decode decode = nullptr;  ///< nullptr: its forms are in the tables of ../ops, or unsupported
    Writes writes = Writes::first;
    Guarded guarded = Guarded::masked;
    Control control = Control::next;
    MemoryUse memory = MemoryUse::nothing;
    ValueFrom value = ValueFrom::operands;
    Counted counted = {};  ///< class_of
    Slots slots = Slots::one;
    /// If the result is a constant or a copy, nothing is executed: decode_analysis.cpp.
    bool may_be_folded = false;
};

/// The rows, in no order.
[[nodiscard]] std::span<const Opcode> opcodes();
/// The opcode's row; the default row if it has none.
[[nodiscard]] const Opcode& opcode_of(const ptx::Instruction&);

/// Atomics, with a result or without.
[[nodiscard]] inline bool is_atomic(const Opcode& o) {
    return o.memory == MemoryUse::changes || o.memory == MemoryUse::reduces;
}
/// Does an instruction store, among other things?
[[nodiscard]] inline bool may_store(const Opcode& o) {
    return o.memory != MemoryUse::nothing && o.memory != MemoryUse::loads;
}
/// True for bar and barrier; bar.warp is a form of bar.
[[nodiscard]] inline bool is_barrier(const Opcode& o) {
    return o.counted.as == InstructionClass::barrier;
}
[[nodiscard]] inline bool is_fence(const Opcode& o) {
    return o.counted.as == InstructionClass::fence;
}
/// The number of the operand with the address of a load, store or atomic; of a copy, with the
/// address that it loads from.
[[nodiscard]] inline std::uint32_t address_operand(const Opcode& o) {
    return o.memory == MemoryUse::stores || o.memory == MemoryUse::reduces ? 0 : 1;
}
/// The next instruction is reached only through a label, or by lanes that the guard holds back.
[[nodiscard]] inline bool ends_block(const Opcode& o) {
    return o.control == Control::branches || o.control == Control::branches_by_table ||
           o.control == Control::returns || o.control == Control::exits;
}
[[nodiscard]] InstructionClass class_of(const ptx::Instruction&);

}  // namespace cugrade::emulator
