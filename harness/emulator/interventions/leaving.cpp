// Threads go another way, past a barrier to which others of their block come: they return early, or
// leave a loop after fewer rounds. As if they stayed: they go that way only together, and what they
// then access outside of all memory has no effect.
//
//   @%p1 bra $L_end;      bar.red.and.pred %p9, 0, %p1;  @%p9 bra $L_end;
//   @%p1 bra $L_loop;     bar.red.or.pred %p9, 0, %p1;   @%p9 bra $L_loop;
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/interventions/accesses.hpp"
#include "emulator/interventions/code.hpp"
#include "emulator/interventions/flow.hpp"
#include "emulator/interventions/instruction_change.hpp"
#include "emulator/interventions/rewriter.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;

/// A bit for each of the first 64 barriers of a function that may come after an instruction, which
/// is looked at, too.
std::vector<std::uint64_t> barriers_ahead(const Function& f) {
    const auto successors = successors_of(f);
    const auto count = static_cast<std::uint32_t>(f.instructions.size());
    std::vector<std::vector<std::uint32_t>> before(count + 1);
    for (std::uint32_t n = 0; n < count; ++n)
        for (const std::uint32_t to : successors[n]) before[to].push_back(n);
    std::vector<std::uint64_t> ahead(count + 1, 0);
    std::vector<std::uint32_t> changed;
    std::uint64_t next = 1;
    for (std::uint32_t n = 0; n < count && next != 0; ++n)
        if (is_block_barrier(f, f.instructions[n])) {
            ahead[n] = next;
            next <<= 1;
            changed.push_back(n);
        }
    while (!changed.empty()) {
        const std::uint32_t n = changed.back();
        changed.pop_back();
        for (const std::uint32_t from : before[n])
            if ((ahead[from] | ahead[n]) != ahead[from]) {
                ahead[from] |= ahead[n];
                changed.push_back(from);
            }
    }
    return ahead;
}

enum class Way { none, branch, on };

/// Which way from a branch leads past a barrier to which the other one leads.
Way way_past_barrier(const Function& f, const std::vector<std::uint64_t>& ahead, std::uint32_t n) {
    const Instruction& i = f.instructions[n];
    if (i.opcode != "bra" || i.guard < 0 || i.operand_count != 1) return Way::none;
    const std::uint64_t branch = ahead[operand(f, i, 0).target], on = ahead[n + 1];
    if ((on & ~branch) != 0 && (branch & ~on) == 0) return Way::branch;
    if ((branch & ~on) != 0 && (on & ~branch) == 0) return Way::on;
    return Way::none;
}

class Together final : public CodeChange {
    /// Each of them is looked at again when it is changed. Chosen: more than kernels have that are
    /// not made to have many.
    static constexpr std::size_t most_branches = 200;

public:
    InterventionKind kind() const override { return InterventionKind::together; }

    std::vector<Intervention> list(const ptx::Module& module) const override {
        std::vector<Intervention> all;
        for (const Function& f : module.functions) {
            if (f.is_declaration || f.instructions.size() > most_instructions) continue;
            const auto ahead = barriers_ahead(f);
            const std::size_t others = all.size();
            for (std::uint32_t n = 0; n < f.instructions.size(); ++n) {
                if (way_past_barrier(f, ahead, n) == Way::none) continue;
                const auto place = own_place(module, f.instructions[n]);
                if (!place) continue;
                all.push_back(
                    {.kind = kind(),
                     .function = std::string(f.name),
                     .instruction = n,
                     .place = *place,
                     .text = fmt::format("threads that leave in line {} only together (and touch "
                                         "nothing outside of the arrays)",
                                         place->line)});
            }
            if (all.size() - others > most_branches) all.resize(others);
        }
        return all;
    }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        for (Instruction& i : f.instructions)
            if (access_of(i)) i.ignores_outside = true;
        const Instruction branch = f.instructions[one.instruction];
        Rewriter rewriter(module, f);
        const std::int32_t agreed = rewriter.new_register(ptx::Type::pred);
        Operand wanted = Rewriter::reg(branch.guard);
        wanted.negated = branch.guard_negated;
        const Way way = way_past_barrier(f, barriers_ahead(f), one.instruction);
        const auto form = way == Way::branch ? "bar.red.and.pred" : "bar.red.or.pred";
        rewriter.insert_before(
            one.instruction,
            {rewriter.make(form, {Rewriter::reg(agreed), Rewriter::immediate(0), wanted}, branch)});
        Instruction& now = f.instructions[one.instruction + 1];
        now.guard = agreed;
        now.guard_negated = false;
    }
};

}  // namespace

std::unique_ptr<CodeChange> make_together_change() { return std::make_unique<Together>(); }

}  // namespace cugrade::emulator
