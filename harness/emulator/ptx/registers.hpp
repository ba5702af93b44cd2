// Which registers an instruction writes and reads.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/ptx/module.hpp"

namespace cugrade::ptx {

/// Does the instruction write its first operand? (With p|q, the second, too.)
[[nodiscard]] bool has_result(const Instruction&);
/// How many operands, from the first on, it writes.
[[nodiscard]] std::uint32_t results_of(const Instruction&);
/// The registers that an instruction writes, and those that it reads, its guard included.
[[nodiscard]] std::vector<std::int32_t> written_by(const Function&, const Instruction&);
[[nodiscard]] std::vector<std::int32_t> read_by(const Function&, const Instruction&);

}  // namespace cugrade::ptx
