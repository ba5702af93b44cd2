// Which registers of a function hold the same value.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/ptx/module.hpp"

namespace cugrade::emulator {

class Values {
public:
    explicit Values(const ptx::Function&);

    /// The one instruction that writes the register, without a guard; `none`: there are several, or
    /// none.
    [[nodiscard]] std::uint32_t written_at(std::int32_t reg) const {
        return written_at_[static_cast<std::size_t>(reg)];
    }
    static constexpr std::uint32_t none = 0xFFFFFFFF;

    /// Are both computed in the same way from the same registers, symbols and numbers? Then they
    /// are equal, if memory that they come from has not changed meanwhile. Without optimisation,
    /// `a[i] = a[i] + 1` computes the address twice.
    [[nodiscard]] bool are_same(const ptx::Operand& a, const ptx::Operand& b) const {
        int left = most_steps;
        return are_same(a, b, left);
    }

private:
    /// Chosen: an index of three dimensions is made in some ten steps. A value of hostile code may
    /// be made in any number.
    static constexpr int most_steps = 100;
    [[nodiscard]] bool are_same(const ptx::Operand&, const ptx::Operand&, int& left) const;

    const ptx::Function& function_;
    std::vector<std::uint32_t> written_at_;
};

}  // namespace cugrade::emulator
