// Changes the code of one function and keeps its branches right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/ptx/module.hpp"

namespace cugrade::emulator {

class Rewriter {
public:
    Rewriter(ptx::Module& module, ptx::Function& function) : module_(module), function_(function) {}

    /// A new instruction, `form` as PTX writes it ("bar.sync"), in the line of another one. It
    /// belongs to no place yet.
    [[nodiscard]] ptx::Instruction make(const std::string& form,
                                        const std::vector<ptx::Operand>& operands,
                                        const ptx::Instruction& in_line_of);

    /// Whoever branches to `at` comes by the new instructions.
    void insert_before(std::uint32_t at, const std::vector<ptx::Instruction>&);
    /// Whoever branches to the instruction behind `at` does not come by the new ones.
    void insert_after(std::uint32_t at, const std::vector<ptx::Instruction>&);
    /// The new instruction takes the guard of the old one along.
    void replace(std::uint32_t at, ptx::Instruction);

    /// Whoever branches to it goes on behind it.
    void erase(std::uint32_t at);

    [[nodiscard]] std::int32_t new_register(ptx::Type);
    /// A name that the module owns.
    [[nodiscard]] std::string_view own(std::string name);

    [[nodiscard]] static ptx::Operand reg(std::int32_t number);
    [[nodiscard]] static ptx::Operand immediate(std::uint64_t bits);
    /// `name`: "%tid.x".
    [[nodiscard]] static ptx::Operand special(std::string_view name);

private:
    /// For the index of each instruction that is branched to.
    template <class Change>
    void change_targets(Change);
    void insert(std::uint32_t at, const std::vector<ptx::Instruction>&, bool branches_come_by);

    ptx::Module& module_;
    ptx::Function& function_;
};

}  // namespace cugrade::emulator
