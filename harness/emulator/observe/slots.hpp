// How many machine instructions a PTX instruction becomes, about.
#pragma once

#include <cstdint>

#include "emulator/ptx/module.hpp"

namespace cugrade::emulator {

/// As ptxas emits for Volta and later, read off disassembled kernels (cuobjdump -sass): integers of
/// 64 bits take two instructions for one of 32, moves and address conversions mostly none, and
/// divisions are sequences.
[[nodiscard]] std::uint32_t issue_slots(const ptx::Function&, const ptx::Instruction&);

}  // namespace cugrade::emulator
