// Questions about a module's code that several kinds of interventions ask.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "emulator/ptx/module.hpp"
#include "emulator/state/place.hpp"

namespace cugrade::emulator {

/// The line in a file of the student's from which the instruction comes. nullopt: it comes from the
/// toolkit's headers, or the module has no line information.
[[nodiscard]] std::optional<Place> own_place(const ptx::Module&, const ptx::Instruction&);

/// The same, or the line into which it was inlined from the toolkit's headers.
[[nodiscard]] std::optional<Place> students_place(const ptx::Module&, const ptx::Instruction&);

/// Precondition: the instruction has it.
[[nodiscard]] inline const ptx::Operand& operand(const ptx::Function& f, const ptx::Instruction& i,
                                                 std::uint32_t n) {
    return f.operands[i.first_operand + n];
}
[[nodiscard]] inline ptx::Operand& operand(ptx::Function& f, const ptx::Instruction& i,
                                           std::uint32_t n) {
    return f.operands[i.first_operand + n];
}

[[nodiscard]] inline bool is_register(const ptx::Operand& o) {
    return o.kind == ptx::OperandKind::reg;
}
[[nodiscard]] inline bool is_immediate(const ptx::Operand& o) {
    return o.kind == ptx::OperandKind::immediate;
}

/// `bar.sync 0`: __syncthreads().
[[nodiscard]] bool is_block_barrier(const ptx::Function&, const ptx::Instruction&);

/// The last modifier as a type; `none` if it is no type.
[[nodiscard]] ptx::Type type_of(const ptx::Instruction&);

/// Of integers of 16 bits and more; `none` of others.
[[nodiscard]] ptx::Type of_other_sign(ptx::Type);

/// The function of that name that has a body; nullptr: there is none.
[[nodiscard]] ptx::Function* body_of(ptx::Module&, std::string_view function);

}  // namespace cugrade::emulator
