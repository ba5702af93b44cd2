// The flow of control of a PTX function, instruction by instruction.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/ptx/module.hpp"

namespace cugrade::emulator {

/// Does control not simply go on to the next instruction?
[[nodiscard]] bool leaves(const ptx::Instruction&);

/// By instruction. The number of instructions stands for the function's end.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> successors_of(const ptx::Function&);

/// By instruction: true if a straight line of code begins there.
[[nodiscard]] std::vector<bool> first_of_lines(
    const ptx::Function&, const std::vector<std::vector<std::uint32_t>>& successors);

/// What runs between a point where threads may part and the one where they meet again.
struct Region {
    std::uint32_t branch = 0;
    std::uint32_t meeting = 0;
    std::vector<std::uint32_t> inside;  ///< instructions, in order
    bool is_loop = false;               ///< the branch leads back to itself
};
/// For each instruction, where the paths from it meet; the number of instructions: nowhere before
/// the function's end.
[[nodiscard]] std::vector<std::uint32_t> meetings_of(
    const std::vector<std::vector<std::uint32_t>>& successors);
[[nodiscard]] Region region_of(const std::vector<std::vector<std::uint32_t>>& successors,
                               std::uint32_t branch, std::uint32_t meeting);

}  // namespace cugrade::emulator
