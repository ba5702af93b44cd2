// Registers that count a loop's rounds: they begin at a number, and each round changes them by one.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/ptx/module.hpp"

namespace cugrade::emulator {

struct Counter {
    std::int32_t reg = -1;
    std::int32_t next = -1;  ///< what it is in the next round; may be the same register
    std::uint32_t step = 0;  ///< the instruction that makes it
    bool scales = false;     ///< `d *= 2`, `d /= 2`; else `i += 4`
    bool falls = false;      ///< each round makes it smaller
};
/// Those of 32 and 64 bits whose step is a number in the code, as `-Xcicc -O1` leaves it.
[[nodiscard]] std::vector<Counter> counters_of(const ptx::Function&);

}  // namespace cugrade::emulator
