// Which elements a thread takes: the step of its loop, and whether its index counts the blocks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "emulator/interventions/accesses.hpp"
#include "emulator/interventions/code.hpp"
#include "emulator/interventions/code_change.hpp"
#include "emulator/interventions/instruction_change.hpp"
#include "emulator/interventions/rewriter.hpp"
#include "emulator/interventions/values.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;

constexpr std::array<std::string_view, 4> place_names{"%tid.x", "%ctaid.x", "%ntid.x", "%nctaid.x"};
enum Origin : std::uint8_t { thread = 1, block = 2, threads = 4, blocks = 8, other = 16 };

std::uint8_t origin_of(std::string_view special) {
    const auto* it = std::ranges::find(place_names, special);
    return it == place_names.end()
               ? static_cast<std::uint8_t>(other)
               : static_cast<std::uint8_t>(1U << static_cast<unsigned>(it - place_names.begin()));
}

/// Of which numbers of its thread a register is made. What is loaded is something else.
class Origins {
public:
    explicit Origins(const Function& f) : f_(f), of_(f.registers.size(), 0) {
        bool changed = true;
        // Each round adds one bit at least.
        while (changed) {
            changed = false;
            for (const Instruction& i : f.instructions) {
                const std::uint8_t from = of(i);
                for (const std::int32_t r : written_by(f, i)) {
                    std::uint8_t& known = of_[static_cast<std::size_t>(r)];
                    changed |= (known | from) != known;
                    known |= from;
                }
            }
        }
    }
    [[nodiscard]] std::uint8_t of(std::int32_t reg) const {
        return of_[static_cast<std::size_t>(reg)];
    }
    [[nodiscard]] std::uint8_t of(const Operand& o) const {
        if (o.kind == OperandKind::special) return origin_of(o.name);
        return is_register(o) ? of(o.reg) : std::uint8_t{0};
    }

private:
    [[nodiscard]] std::uint8_t of(const Instruction& i) const {
        if (access_of(i) || ptx::is_any_of(i.opcode, {"call", "shfl", "vote", "match"}))
            return other;
        if (i.opcode == "ld") return 0;  // a parameter: the same in all threads
        std::uint8_t all = 0;
        for (std::uint32_t n = 1; n < i.operand_count; ++n) all |= of(operand(f_, i, n));
        return all;
    }

    const Function& f_;
    std::vector<std::uint8_t> of_;
};

/// By instruction, the number of its straight run: nothing branches into the middle or out of it.
std::vector<int> runs_of(const Function& f) {
    std::vector<bool> begins(f.instructions.size() + 1, false);
    for (std::uint32_t n = 0; n < f.instructions.size(); ++n) {
        const Instruction& i = f.instructions[n];
        if (!ptx::is_any_of(i.opcode, {"bra", "brx", "ret", "exit"})) continue;
        begins[n + 1] = true;
        for (std::uint32_t k = 0; k < i.operand_count; ++k)
            if (const Operand& o = operand(f, i, k);
                o.kind == OperandKind::label && o.target < begins.size() && i.opcode != "brx")
                begins[o.target] = true;
    }
    for (const auto& table : f.branch_tables)
        for (const std::uint32_t target : table)
            if (target < begins.size()) begins[target] = true;
    std::vector<int> runs;
    int run = 0;
    for (std::uint32_t n = 0; n < f.instructions.size(); ++n) runs.push_back(run += begins[n]);
    return runs;
}

/// `i = i + step`, where i is an index of the thread; or `k = i + distance`, beside it.
struct Step {
    std::uint32_t operand = 0;  ///< its number
    bool is_carried = false;    ///< the sum is the next round's index
    bool is_of_grid = false;    ///< it has gridDim.x in it
};

class Stride final : public CodeChange {
public:
    InterventionKind kind() const override { return InterventionKind::stride; }

    std::vector<Intervention> list(const ptx::Module& module) const override {
        std::vector<Intervention> all;
        for (const Function& f : module.functions) {
            if (f.is_declaration || f.instructions.size() > most_instructions) continue;
            const Origins origins(f);
            const Values values(f);
            const std::vector<int> runs = runs_of(f);
            // The counter and the pointers of a loop go on together: one edit changes all of them.
            struct Loop {
                Place place;
                std::int64_t threads = 0;  ///< a number that stands for those of a block
            };
            std::map<std::pair<int, bool>, Loop> of_run;
            for (const bool adds_pointers : {false, true})
                for (std::uint32_t n = 0; n < f.instructions.size(); ++n) {
                    const auto step = step_of(f, origins, n);
                    if (!step) continue;
                    const auto own = own_place(module, f.instructions[n]);
                    if (!own) continue;
                    Loop loop{*own};
                    if (step->is_carried) {
                        const std::pair key(runs[n], step->is_of_grid);
                        if (step->is_of_grid)
                            loop.threads =
                                factor_of(f, values, operand(f, f.instructions[n], step->operand));
                        if (!adds_pointers && is_compared(f, runs, n)) of_run.emplace(key, loop);
                        if (adds_pointers) loop = of_run.emplace(key, loop).first->second;
                    }
                    if (!adds_pointers) continue;
                    for (const std::int64_t value : values_of(*step, loop.threads))
                        all.push_back({.kind = kind(),
                                       .function = std::string(f.name),
                                       .instruction = n,
                                       .value = value,
                                       .place = loop.place,
                                       .text = text_of(value, *step)});
                }
        }
        return all;
    }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const auto step = step_of(f, Origins(f), one.instruction);
        if (!step) return;
        Rewriter rewriter(module, f);
        const Instruction i = f.instructions[one.instruction];
        const bool is_wide = bits(type_of(i)) == 64;
        const std::string suffix = is_wide ? "64" : "32";
        if (one.value > times_as_long) {
            const Operand by =
                Rewriter::reg(rewriter.new_register(is_wide ? Type::b64 : Type::b32));
            const Instruction multiplies = rewriter.make(
                "mul.lo.s" + suffix,
                {by, operand(f, i, step->operand),
                 Rewriter::immediate(static_cast<std::uint64_t>(one.value - times_as_long))},
                i);
            operand(f, f.instructions[one.instruction], step->operand) = by;
            rewriter.insert_before(one.instruction, {multiplies});
            return;
        }
        std::vector<Instruction> made;
        const auto number = [&](bool wide) {
            return Rewriter::reg(rewriter.new_register(wide ? Type::b64 : Type::b32));
        };
        const auto change = [&](const std::string& form, const Operand& from, const Operand& by) {
            made.push_back(rewriter.make(form + suffix, {number(is_wide), from, by}, i));
            return operand(f, made.back(), 0);
        };
        Operand count = number(false);
        made.push_back(rewriter.make(
            "mov.u32", {count, Rewriter::special(one.value > 1 ? "%ntid.x" : "%nctaid.x")}, i));
        if (is_wide) {
            made.push_back(rewriter.make("cvt.u64.u32", {number(true), count}, i));
            count = operand(f, made.back(), 0);
        }
        Operand to = operand(f, i, step->operand);
        if (one.value >= -1) to = change(one.value > 0 ? "mul.lo.s" : "div.s", to, count);
        if (const std::int64_t times = std::abs(one.value); times > 1)
            to = change("div.s", to, Rewriter::immediate(static_cast<std::uint64_t>(times)));
        operand(f, f.instructions[one.instruction], step->operand) = to;
        rewriter.insert_before(one.instruction, made);
    }

private:
    static std::vector<std::int64_t> values_of(const Step& step, std::int64_t threads) {
        std::vector<std::int64_t> all = shorter_or_longer(step, threads);
        // A round that takes several elements has to step over all of them.
        if (step.is_carried)
            for (const std::int64_t times : {4, 2, 8, 16}) all.push_back(times_as_long + times);
        return all;
    }

    static std::vector<std::int64_t> shorter_or_longer(const Step& step, std::int64_t threads) {
        if (!step.is_of_grid) return {1};
        if (threads < 2) return {-1};
        // So few are no threads of a block: the step is so many times that of the grid.
        if (threads < least_threads) return {-threads, -1};
        return {-1, threads};
    }

    static std::string text_of(std::int64_t value, const Step& step) {
        if (value > times_as_long)
            return fmt::format("the step of the loop to {} times as much", value - times_as_long);
        if (!step.is_carried) return "the distance of one block to that of the whole grid";
        if (value > 1) return fmt::format("the {} of the loop's step to blockDim.x", value);
        return value != -1 ? "the step of the loop to that of the whole grid"
                           : "the step of the loop to that of one block";
    }

    static bool is_compared(const Function& f, const std::vector<int>& runs, std::uint32_t n) {
        const std::int32_t reg = operand(f, f.instructions[n], 0).reg;
        for (std::uint32_t k = n + 1; k < f.instructions.size() && runs[k] == runs[n]; ++k)
            if (f.instructions[k].opcode == "setp" &&
                std::ranges::count(read_by(f, f.instructions[k]), reg) > 0)
                return true;
        return false;
    }

    /// The number by which a value is multiplied, where it is made of a register and numbers;
    /// else 1.
    static std::int64_t factor_of(const Function& f, const Values& values, Operand from) {
        std::int64_t factor = 1;
        for (int steps = 0; steps < most_steps && is_register(from); ++steps) {
            const std::uint32_t n = values.written_at(from.reg);
            if (n == Values::none) break;
            const Instruction& i = f.instructions[n];
            if (i.operand_count < 2) break;
            const bool has_number = i.operand_count == 3 && is_immediate(operand(f, i, 2)) &&
                                    operand(f, i, 2).bits <= most_threads;
            const auto by = has_number ? static_cast<std::int64_t>(operand(f, i, 2).bits) : 0;
            if (i.opcode == "mul" && has_number)
                factor *= by;
            else if (i.opcode == "shl" && has_number && by < 11)
                factor <<= by;
            else if (i.opcode != "mov" && i.opcode != "cvt")
                break;
            if (factor > static_cast<std::int64_t>(most_threads)) return 1;
            from = operand(f, i, 1);
        }
        return factor;
    }

    static std::optional<Step> step_of(const Function& f, const Origins& origins, std::uint32_t n) {
        const Instruction& i = f.instructions[n];
        if (i.opcode != "add" || i.operand_count != 3 || i.has("cc") || bits(type_of(i)) < 32 ||
            is_float(type_of(i)) || !is_register(operand(f, i, 0)))
            return std::nullopt;
        const std::int32_t to = operand(f, i, 0).reg;
        if ((origins.of(to) & thread) == 0) return std::nullopt;
        for (const std::uint32_t k : {2U, 1U}) {
            const Operand& index = operand(f, i, 3 - k);
            if (!is_register(index)) continue;
            const Operand& by = operand(f, i, k);
            const std::uint8_t from = origins.of(by);
            const bool is_number = is_immediate(by);
            if (!is_carried(f, to, index.reg)) {
                // Threads of all blocks, each with another element one block further.
                const bool is_global =
                    (origins.of(index.reg) & (thread | block)) == (thread | block);
                if (is_global && !is_number && from == threads) return Step{k};
                continue;
            }
            if ((is_number && (origins.of(to) & block) != 0 && by.bits >= 32 &&
                 by.bits <= most_threads * 16) ||
                (!is_number && from == threads))
                return Step{.operand = k, .is_carried = true};
            if (!is_number && (from & blocks) != 0 && (from & (thread | block | other)) == 0)
                return Step{.operand = k, .is_carried = true, .is_of_grid = true};
        }
        return std::nullopt;
    }

    /// Is the sum the next round's index? They are one register, or moves lead from the one to the
    /// other.
    static bool is_carried(const Function& f, std::int32_t sum, std::int32_t index) {
        if (sum == index) return true;
        return std::ranges::any_of(f.instructions, [&](const Instruction& i) {
            return i.opcode == "mov" && i.operand_count == 2 && is_register(operand(f, i, 0)) &&
                   is_register(operand(f, i, 1)) && operand(f, i, 0).reg == index &&
                   operand(f, i, 1).reg == sum;
        });
    }

    static constexpr std::int64_t times_as_long = 10'000;  ///< see InterventionKind::stride
    static constexpr std::uint64_t most_threads = 1024;    ///< of a block; pointers have more bytes
    static constexpr std::int64_t least_threads = 32;  ///< of a block, as a number in the source
    static constexpr int most_steps = 8;
};

/// `threadIdx.x` becomes the index in the grid.
class GlobalIndex final : public InstructionChange {
public:
    InterventionKind kind() const override { return InterventionKind::global_index; }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const Instruction i = f.instructions[one.instruction];
        Rewriter rewriter(module, f);
        const auto number = [&] { return Rewriter::reg(rewriter.new_register(Type::b32)); };
        const Operand thread = number(), block = number(), threads = number();
        rewriter.insert_before(
            one.instruction,
            {rewriter.make("mov.u32", {thread, Rewriter::special("%tid.x")}, i),
             rewriter.make("mov.u32", {block, Rewriter::special("%ctaid.x")}, i),
             rewriter.make("mov.u32", {threads, Rewriter::special("%ntid.x")}, i)});
        const std::uint32_t at = one.instruction + 3;
        rewriter.replace(
            at, rewriter.make("mad.lo.s32", {operand(f, i, 0), block, threads, thread}, i));
    }

protected:
    std::vector<Choice> choices(const Function& f, std::uint32_t n) const override {
        const Instruction& i = f.instructions[n];
        const bool is_thread =
            i.opcode == "mov" && i.operand_count == 2 && bits(type_of(i)) == 32 &&
            operand(f, i, 1).kind == OperandKind::special && operand(f, i, 1).name == "%tid.x";
        if (!is_thread || knows_block(f)) return {};
        return {{0, "`threadIdx.x` to `blockIdx.x * blockDim.x + threadIdx.x`", n}};
    }

private:
    static bool knows_block(const Function& f) {
        return std::ranges::any_of(f.instructions, [&](const Instruction& i) {
            for (std::uint32_t k = 1; k < i.operand_count; ++k)
                if (const Operand& o = operand(f, i, k);
                    o.kind == OperandKind::special && o.name == "%ctaid.x")
                    return true;
            return false;
        });
    }
};

}  // namespace

std::unique_ptr<CodeChange> make_stride_change() { return std::make_unique<Stride>(); }
std::unique_ptr<CodeChange> make_global_index_change() { return std::make_unique<GlobalIndex>(); }

}  // namespace cugrade::emulator
