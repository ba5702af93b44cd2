// Random PTX programs for tests of the decoder: loops, jumps, copies, guards and calls, in which
// registers are read long after they were written. The same seed gives the same program.
#pragma once

#include <cstdint>
#include <string>

namespace cugrade::emulator::test {

/// A module with one kernel, k(out, in, n, h, v): `out` has `words_per_thread` words for each
/// thread, `in` 64 words that are read, `n` is a .u32, `h` a .u16, `v` 16 bytes. It ends by itself.
struct GeneratedProgram {
    std::string ptx;
    std::uint32_t threads = 32;
    std::uint32_t words_per_thread = 0;
};
[[nodiscard]] GeneratedProgram generate_program(std::uint64_t seed);

}  // namespace cugrade::emulator::test
