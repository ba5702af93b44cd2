// A compare-and-swap that is tried again until it succeeds, and a comparison of floats that compares
// their bits, as the compare-and-swap does.
//
// `old = *p; atomicCAS(p, old, f(old))` has a load, what is computed from its value, and the atomic.
// Repeated, the atomic's result takes the place of the loaded value, and all that lies between runs
// again. That is the loop that a student would write, if nothing between is seen by other threads.
//
// Where there is a loop, but f(old) stands in front of it, f is computed again in front of the
// atomic, from the value that this one expects.
#include <fmt/format.h>

#include <algorithm>
#include <map>

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

/// A new value that was computed once, from what was loaded in front of a loop of swaps.
class NewValue {
public:
    explicit NewValue(const Function& f) : f_(f), values_(f) {}

    /// What computes it, in order; empty: it is no such value.
    [[nodiscard]] std::vector<std::uint32_t> steps_of(std::uint32_t cas) const {
        const Instruction& i = f_.instructions[cas];
        if (!is_compare_and_swap(i) || !is_register(operand(f_, i, 2)) ||
            !is_register(operand(f_, i, 3)))
            return {};
        const std::uint32_t round = begin_of_round(cas);
        std::vector<std::uint32_t> steps;
        bool is_from_load = false;
        std::vector<std::int32_t> left{operand(f_, i, 3).reg};
        while (!left.empty()) {
            const std::int32_t reg = left.back();
            left.pop_back();
            const std::uint32_t n = values_.written_at(reg);
            const bool is_old_value =
                reg == operand(f_, i, 2).reg || (n < round && is_old(f_.instructions[n], i));
            is_from_load |= is_old_value;
            if (is_old_value) continue;
            if (n == Values::none ? is_written_from(round, reg) : n >= round) return {};
            // What is loaded elsewhere is the same in each round.
            if (n == Values::none || access_of(f_.instructions[n]) ||
                f_.instructions[n].opcode == "ld" || std::ranges::count(steps, n) > 0)
                continue;
            const Instruction& writer = f_.instructions[n];
            if (writer.guard >= 0 || writer.opcode == "call" || steps.size() >= most_steps) return {};
            steps.push_back(n);
            for (const std::int32_t from : read_by(f_, writer)) left.push_back(from);
        }
        if (!is_from_load) return {};
        std::ranges::sort(steps);
        return steps;
    }

    /// Is it a load of the word that is swapped?
    [[nodiscard]] bool is_old(const Instruction& writer, const Instruction& cas) const {
        return ptx::is_any_of(writer.opcode, {"ld", "atom"}) && writer.operand_count > 1 &&
               is_register(operand(f_, writer, 0)) &&
               values_.are_same(operand(f_, writer, 1), operand(f_, cas, 1));
    }

private:
    static constexpr std::size_t most_steps = 16;

    /// Where the innermost loop around the swap begins; 0: it is in none.
    [[nodiscard]] std::uint32_t begin_of_round(std::uint32_t cas) const {
        std::uint32_t begin = 0;
        for (std::uint32_t n = cas; n < f_.instructions.size(); ++n) {
            const Instruction& i = f_.instructions[n];
            if (i.opcode == "bra" && operand(f_, i, 0).target <= cas)
                begin = std::max(begin, operand(f_, i, 0).target);
        }
        return begin;
    }

    [[nodiscard]] bool is_written_from(std::uint32_t begin, std::int32_t reg) const {
        for (std::uint32_t n = begin; n < f_.instructions.size(); ++n)
            if (std::ranges::count(written_by(f_, f_.instructions[n]), reg) > 0) return true;
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
            const NewValue new_value(f);
            for (std::uint32_t n = 0; n < f.instructions.size(); ++n) {
                const bool once = expected.loaded_at(n).has_value();
                const std::vector<std::uint32_t> steps = new_value.steps_of(n);
                if (!once && steps.empty()) continue;
                auto place = students_place(module, f.instructions[n]);
                if (!place) continue;
                place->column = 0;
                const auto add = [&](std::int64_t value, const Place& at, std::string text) {
                    all.push_back({.kind = kind(),
                                   .function = std::string(f.name),
                                   .instruction = n,
                                   .value = value,
                                   .place = at,
                                   .text = std::move(text)});
                };
                if (once)
                    add(0, *place,
                        fmt::format("the `atomicCAS` of line {} tried until it succeeds",
                                    place->line));
                if (steps.empty()) continue;
                auto computed = own_place(module, f.instructions[steps.back()]);
                if (computed) computed->column = 0;
                add(1, computed.value_or(*place),
                    fmt::format("the new value for the `atomicCAS` of line {} computed again in each "
                                "round",
                                place->line));
            }
        }
        return all;
    }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        if (one.value == 1) return compute_again(module, f, one.instruction);
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

private:
    static std::string form_of(const Instruction& i) {
        std::string form(i.opcode);
        for (std::size_t n = 0; n < i.modifier_count; ++n)
            form.append(".").append(i.modifiers[n]);
        return form;
    }

    /// The steps again, in front of the swap, with what it expects in place of what was loaded.
    static void compute_again(ptx::Module& module, Function& f, std::uint32_t at) {
        const NewValue new_value(f);
        const std::vector<std::uint32_t> steps = new_value.steps_of(at);
        if (steps.empty()) return;
        const Instruction cas = f.instructions[at];
        Rewriter rewriter(module, f);
        std::map<std::int32_t, Operand> instead;
        for (const Instruction& i : f.instructions)
            if (new_value.is_old(i, cas) && &i != &f.instructions[at])
                instead.emplace(operand(f, i, 0).reg, operand(f, cas, 2));
        std::vector<Instruction> made;
        const auto now = [&](const Operand& o) {
            const auto it = is_register(o) ? instead.find(o.reg) : instead.end();
            return it == instead.end() ? o : it->second;
        };
        for (const std::uint32_t n : steps) {
            const Instruction step = f.instructions[n];
            std::vector<Operand> operands;
            for (std::uint32_t k = 0; k < step.operand_count; ++k)
                operands.push_back(now(operand(f, step, k)));
            const std::int32_t old = operand(f, step, 0).reg;
            const Operand result =
                Rewriter::reg(rewriter.new_register(f.registers[static_cast<std::size_t>(old)].type));
            operands[0] = result;
            made.push_back(rewriter.make(form_of(step), operands, cas));
            instead[old] = result;
        }
        operand(f, f.instructions[at], 3) = now(operand(f, cas, 3));
        rewriter.insert_before(at, made);
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
