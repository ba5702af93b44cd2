// A probe, not a mend: a thread that halves an odd number ends the launch.
//
// Theory of operation. A tree adds the upper half of what is left to the lower one, and goes on
// with half of it. Where that is odd, one part is left over. Code that halves for another reason,
// such as a search, does so in right runs, too: it is for the experiments to look which cases are
// ended. What is halved is what a loop carries from round to round, or begins with.
#include <fmt/format.h>

#include "emulator/interventions/accesses.hpp"
#include "emulator/interventions/code.hpp"
#include "emulator/interventions/instruction_change.hpp"
#include "emulator/interventions/rewriter.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;

class OddHalving final : public InstructionChange {
public:
    InterventionKind kind() const override { return InterventionKind::odd_halving; }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const Instruction i = f.instructions[one.instruction];
        Rewriter rewriter(module, f);
        const std::string width = bits(type_of(i)) == 64 ? "64" : "32";
        const Operand number = operand(f, i, 1);
        const auto make = [&](ptx::Type type) {
            return Rewriter::reg(rewriter.new_register(type));
        };
        const Operand last = make(bits(type_of(i)) == 64 ? ptx::Type::b64 : ptx::Type::b32),
                      is_odd = make(ptx::Type::pred), is_more = make(ptx::Type::pred);
        Instruction end = rewriter.make("trap", {}, i);
        end.guard = is_more.reg;
        rewriter.insert_before(
            one.instruction,
            {rewriter.make("and.b" + width, {last, number, Rewriter::immediate(1)}, i),
             rewriter.make("setp.ne.s" + width, {is_odd, last, Rewriter::immediate(0)}, i),
             rewriter.make("setp.gt.and.s" + width,
                           {is_more, number, Rewriter::immediate(1), is_odd}, i),
             end});
    }

protected:
    std::vector<Choice> choices(const Function& f, std::uint32_t n) const override {
        const Instruction& i = f.instructions[n];
        const bool halves = i.opcode == "shr" && i.operand_count == 3 && i.guard < 0 &&
                            is_register(operand(f, i, 0)) && is_register(operand(f, i, 1)) &&
                            is_immediate(operand(f, i, 2)) && operand(f, i, 2).bits == 1;
        if (!halves || !is_carried(f, n)) return {};
        return {{0, "no odd number is halved", n}};
    }

private:
    /// Whether the half that the instruction makes is halved again: by way of moves, by itself in
    /// the next round, or by the loop that begins with it.
    static bool is_carried(const Function& f, std::uint32_t n) {
        std::vector<bool> seen(f.registers.size(), false);
        std::vector<std::int32_t> open{operand(f, f.instructions[n], 0).reg};
        // Chosen: a loop has few names for one number; hostile code has any number of them.
        constexpr int most_names = 16;
        for (int names = 0; !open.empty() && names < most_names; ++names) {
            const std::int32_t reg = open.back();
            open.pop_back();
            if (seen[static_cast<std::size_t>(reg)]) continue;
            seen[static_cast<std::size_t>(reg)] = true;
            for (std::uint32_t k = 0; k < f.instructions.size(); ++k) {
                const Instruction& i = f.instructions[k];
                if (!ptx::is_any_of(i.opcode, {"mov", "shr", "add"}) || i.operand_count < 2 ||
                    !is_register(operand(f, i, 0)) || !is_register(operand(f, i, 1)) ||
                    operand(f, i, 1).reg != reg)
                    continue;
                // A round halves what it has got: it, or the one in front of the loop, is halved.
                if (i.opcode == "shr" && is_immediate(operand(f, i, 2)) &&
                    operand(f, i, 2).bits == 1)
                    return true;
                // (x + its sign) / 2 of numbers with a sign
                if (i.opcode != "shr") open.push_back(operand(f, i, 0).reg);
            }
        }
        return false;
    }
};

}  // namespace

std::unique_ptr<CodeChange> make_odd_halving_change() { return std::make_unique<OddHalving>(); }

}  // namespace cugrade::emulator
