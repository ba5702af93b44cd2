// A kind of intervention that looks at one instruction after the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/interventions/code_change.hpp"

namespace cugrade::emulator {

class InstructionChange : public CodeChange {
public:
    [[nodiscard]] std::vector<Intervention> list(const ptx::Module&) const final;

protected:
    struct Choice {
        std::int64_t value = 0;
        std::string text;
        std::uint32_t instruction = 0;  ///< in whose line the edit would be
    };
    /// Do instructions count that were inlined from the toolkit's headers, as those of warp-level
    /// calls are?
    [[nodiscard]] virtual bool takes_inlined() const { return false; }
    /// What the instruction allows. Not asked for functions that are longer than anybody's.
    [[nodiscard]] virtual std::vector<Choice> choices(const ptx::Function&,
                                                      std::uint32_t instruction) const = 0;
};

/// Longer functions are left alone, because some analyses take time with the square of their
/// length. Chosen: some times the longest kernels of the course.
inline constexpr std::size_t most_instructions = 10'000;

}  // namespace cugrade::emulator
