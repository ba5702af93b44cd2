// Registers whose values come from their own of the loop's round before.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/ptx/module.hpp"

namespace cugrade::emulator {

struct Accumulator {
    /// They pass one value on in a circle, by moves and by what is accumulated.
    std::vector<std::int32_t> registers;
    std::uint32_t first_written = 0;  ///< the first instruction that writes one of them
    std::uint32_t accumulates = 0;    ///< the first one that adds to it
    [[nodiscard]] bool has(std::int32_t reg) const;
};
/// In the order of their first instructions. `type`: of the numbers.
[[nodiscard]] std::vector<Accumulator> accumulators_of(const ptx::Function&, ptx::Type type);

}  // namespace cugrade::emulator
