// Estimates how many machine instructions a PTX instruction becomes.
#pragma once

#include <cstdint>

#include "emulator/ptx/module.hpp"

namespace cugrade::emulator {

/// The numbers are read off kernels that ptxas compiled for Volta and later (cuobjdump -sass). An
/// operation on integers of 64 bits takes two instructions where one of 32 bits takes one. Moves
/// and address conversions mostly take none. Divisions are sequences.
[[nodiscard]] std::uint32_t issue_slots(const ptx::Function&, const ptx::Instruction&);

}  // namespace cugrade::emulator
