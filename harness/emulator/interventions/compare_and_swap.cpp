// A compare-and-swap that is tried again until it succeeds, and a comparison of floats that compares
// their bits, as the compare-and-swap does.
//
// `old = *p; atomicCAS(p, old, f(old))` has a load, what is computed from its value, and the atomic.
// Repeated, the atomic's result takes the place of the loaded value, and all that lies between runs
// again. That is the loop that a student would write, if nothing between is seen by other threads.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/interventions/accesses.hpp"
#include "emulator/interventions/code.hpp"
#include "emulator/interventions/code_change.hpp"
#include "emulator/interventions/instruction_change.hpp"
#include "emulator/interventions/relations.hpp"
#include "emulator/interventions/rewriter.hpp"
#include "emulator/interventions/values.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;

/// How far the load may be before its compare-and-swap. Chosen: some lines of source.
constexpr std::uint32_t most_apart = 100;

bool is_compare_and_swap(const Instruction& i) {
    return i.opcode == "atom" && i.has("cas") && i.operand_count == 4;
}

/// The load from which a compare-and-swap has the value that it expects.
class Expected {
public:
    explicit Expected(const Function& f) : f_(f), values_(f) {}

    [[nodiscard]] std::optional<std::uint32_t> loaded_at(std::uint32_t cas) const {
        const Instruction& i = f_.instructions[cas];
        if (!is_compare_and_swap(i) || i.guard >= 0 || !is_register(operand(f_, i, 0)))
            return std::nullopt;
        Operand from = operand(f_, i, 2);
        for (int steps = 0; steps < most_copies && is_register(from); ++steps) {
            const std::uint32_t n = values_.written_at(from.reg);
            if (n == Values::none || n >= cas || cas - n > most_apart) return std::nullopt;
            const Instruction& writer = f_.instructions[n];
            if (writer.opcode == "mov" && writer.operand_count == 2) {
                from = operand(f_, writer, 1);
                continue;
            }
            const bool loads = writer.opcode == "ld" || writer.opcode == "atom";
            if (!loads || writer.guard >= 0 ||
                !values_.are_same(operand(f_, writer, 1), operand(f_, i, 1)) ||
                bits(type_of(writer)) != bits(type_of(i)) || is_seen_between(n, cas))
                return std::nullopt;
            return n;
        }
        return std::nullopt;
    }

private:
    static constexpr int most_copies = 8;

    /// Would it be seen that what is between the two runs again?
    [[nodiscard]] bool is_seen_between(std::uint32_t load, std::uint32_t cas) const {
        for (std::uint32_t n = load + 1; n < cas; ++n) {
            const Instruction& i = f_.instructions[n];
            const auto access = access_of(i);
            if ((access && access->stores) ||
                ptx::is_any_of(i.opcode, {"call", "bar", "barrier", "red", "ret", "exit"}))
                return true;
        }
        return false;
    }

    const Function& f_;
    const Values values_;
};

class RetryChange final : public CodeChange {
public:
    InterventionKind kind() const override { return InterventionKind::retry; }

    std::vector<Intervention> list(const ptx::Module& module) const override {
        std::vector<Intervention> all;
        for (const Function& f : module.functions) {
            if (f.is_declaration || f.instructions.size() > most_instructions) continue;
            const Expected expected(f);
            for (std::uint32_t n = 0; n < f.instructions.size(); ++n) {
                if (!expected.loaded_at(n)) continue;
                auto place = students_place(module, f.instructions[n]);
                if (!place) continue;
                place->column = 0;
                all.push_back(
                    {.kind = kind(),
                     .function = std::string(f.name),
                     .instruction = n,
                     .place = *place,
                     .text = fmt::format("the `atomicCAS` of line {} tried until it succeeds",
                                         place->line)});
            }
        }
        return all;
    }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const auto load = Expected(f).loaded_at(one.instruction);
        if (!load) return;
        const Instruction cas = f.instructions[one.instruction];
        const Operand found = operand(f, cas, 0), wanted = operand(f, cas, 2),
                      old = operand(f, f.instructions[*load], 0);
        Rewriter rewriter(module, f);
        const int width = bits(type_of(cas));
        const std::int32_t failed = rewriter.new_register(ptx::Type::pred);
        std::vector made{rewriter.make(fmt::format("setp.ne.b{}", width),
                                       {Rewriter::reg(failed), found, wanted}, cas),
                         rewriter.make(fmt::format("mov.b{}", width), {old, found}, cas)};
        Operand again;
        again.kind = OperandKind::label;
        again.target = *load + 1;
        made.push_back(rewriter.make("bra", {again}, cas));
        for (std::size_t k = 1; k < made.size(); ++k) made[k].guard = failed;
        rewriter.insert_after(one.instruction, made);
    }
};

/// `seen != expected` of doubles: a NaN differs from itself, and 0 does not from -0.
class BitsChange final : public InstructionChange {
public:
    InterventionKind kind() const override { return InterventionKind::compare_bits; }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const Instruction i = f.instructions[one.instruction];
        Rewriter rewriter(module, f);
        rewriter.replace(
            one.instruction,
            rewriter.make(fmt::format("setp.{}.b{}", i.modifiers[0].starts_with("eq") ? "eq" : "ne",
                                      bits(type_of(i))),
                          {operand(f, i, 0), operand(f, i, 1), operand(f, i, 2)}, i));
    }

protected:
    std::vector<Choice> choices(const Function& f, std::uint32_t n) const override {
        const Instruction& i = f.instructions[n];
        const auto c = comparison_of(i);
        if (!c || i.opcode != "setp" || i.operand_count != 3 || !is_float(c->type) ||
            bits(c->type) < 32 || !ptx::is_any_of(i.modifiers[0], {"eq", "ne", "equ", "neu"}))
            return {};
        if (!is_register(operand(f, i, 1)) || !is_register(operand(f, i, 2))) return {};
        return {{0, "the bits compared, not the values", n}};
    }
};

}  // namespace

std::unique_ptr<CodeChange> make_retry_change() { return std::make_unique<RetryChange>(); }
std::unique_ptr<CodeChange> make_bits_change() { return std::make_unique<BitsChange>(); }

}  // namespace cugrade::emulator
