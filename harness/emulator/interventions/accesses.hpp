// Which instructions of a function touch which memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/ptx/module.hpp"
#include "emulator/ptx/registers.hpp"

namespace cugrade::emulator {

struct Access {
    bool loads = false;
    bool stores = false;
    std::uint32_t address = 0;  ///< number of the operand
    ptx::Space space = ptx::Space::generic;
};
/// Loads, stores and atomics; not of parameters and constants.
[[nodiscard]] std::optional<Access> access_of(const ptx::Instruction&);

/// The accesses of one function: also a generic address may be one of shared memory.
class Accesses {
public:
    Accesses(const ptx::Module&, const ptx::Function&);

    /// Memory that other threads see.
    [[nodiscard]] bool is_common(const ptx::Instruction&) const;
    /// Shared memory, for all that the function tells.
    [[nodiscard]] bool is_shared(const ptx::Instruction&) const;

private:
    [[nodiscard]] bool is_shared_symbol(const ptx::Operand&) const;
    [[nodiscard]] bool makes_shared_address(const ptx::Instruction&) const;

    const ptx::Module& module_;
    const ptx::Function& function_;
    std::vector<bool> is_shared_address_;  ///< by register
};

}  // namespace cugrade::emulator
