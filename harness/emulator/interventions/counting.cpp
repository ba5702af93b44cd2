#include "emulator/interventions/counting.hpp"

#include <algorithm>
#include <string_view>

#include "emulator/interventions/code.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;

bool is_move(const Function& f, const Instruction& i) {
    return i.opcode == "mov" && i.operand_count == 2 && is_register(operand(f, i, 0));
}

/// It takes one register, and a number of the code.
bool is_step(const Function& f, const Instruction& i) {
    return ptx::is_any_of(i.opcode, {"shl", "shr", "mul", "div", "add", "sub"}) &&
           i.operand_count == 3 && !i.has("wide") && bits(type_of(i)) >= 32 &&
           !is_float(type_of(i)) && is_register(operand(f, i, 0)) &&
           is_register(operand(f, i, 1)) && is_immediate(operand(f, i, 2));
}

}  // namespace

std::vector<Counter> counters_of(const Function& f) {
    std::vector<std::int32_t> begins;
    for (const Instruction& i : f.instructions)
        if (is_move(f, i) && is_immediate(operand(f, i, 1))) begins.push_back(operand(f, i, 0).reg);
    const auto becomes = [&](std::int32_t from, std::int32_t to) {
        return from == to || std::ranges::any_of(f.instructions, [&](const Instruction& i) {
                   return is_move(f, i) && operand(f, i, 0).reg == to &&
                          is_register(operand(f, i, 1)) && operand(f, i, 1).reg == from;
               });
    };
    std::vector<Counter> all;
    for (std::uint32_t n = 0; n < f.instructions.size(); ++n) {
        const Instruction& i = f.instructions[n];
        if (!is_step(f, i)) continue;
        const std::int32_t reg = operand(f, i, 1).reg, next = operand(f, i, 0).reg;
        if (std::ranges::count(begins, reg) == 0 || !becomes(next, reg)) continue;
        const std::uint64_t number = operand(f, i, 2).bits;
        const bool adds_less =
            i.opcode == "add" && (bits(type_of(i)) == 64 ? static_cast<std::int64_t>(number) < 0
                                                         : static_cast<std::int32_t>(number) < 0);
        all.push_back({.reg = reg,
                       .next = next,
                       .step = n,
                       .scales = !ptx::is_any_of(i.opcode, {"add", "sub"}),
                       .falls = adds_less || ptx::is_any_of(i.opcode, {"shr", "div", "sub"})});
    }
    return all;
}

}  // namespace cugrade::emulator
