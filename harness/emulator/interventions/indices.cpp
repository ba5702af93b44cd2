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

/// `i = i + step`, where i is an index of the thread.
struct Step {
    std::uint32_t step = 0;  ///< number of the operand
    std::int64_t value = 0;  ///< of the intervention
};

class Stride final : public CodeChange {
public:
    InterventionKind kind() const override { return InterventionKind::stride; }

    std::vector<Intervention> list(const ptx::Module& module) const override {
        std::vector<Intervention> all;
        for (const Function& f : module.functions) {
            if (f.is_declaration || f.instructions.size() > most_instructions) continue;
            const Origins origins(f);
            const std::vector<int> runs = runs_of(f);
            // The counter and the pointers of a loop go on together: one edit changes all of them.
            std::map<std::pair<int, std::int64_t>, Place> of_run;
            for (const bool adds_pointers : {false, true})
                for (std::uint32_t n = 0; n < f.instructions.size(); ++n) {
                    const auto step = step_of(f, origins, n);
                    if (!step) continue;
                    const auto own = own_place(module, f.instructions[n]);
                    if (!own) continue;
                    const std::pair key(runs[n], step->value);
                    if (!adds_pointers && is_compared(f, runs, n)) of_run.emplace(key, *own);
                    if (adds_pointers)
                        all.push_back(
                            {.kind = kind(),
                             .function = std::string(f.name),
                             .instruction = n,
                             .value = step->value,
                             .place = of_run.emplace(key, *own).first->second,
                             .text = step->value > 0
                                         ? "the step of the loop to that of the whole grid"
                                         : "the step of the loop to that of one block"});
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
        const Type type = type_of(i);
        const bool is_wide = bits(type) == 64;
        const Operand narrow = Rewriter::reg(rewriter.new_register(Type::b32));
        std::vector<Instruction> made{
            rewriter.make("mov.u32", {narrow, Rewriter::special("%nctaid.x")}, i)};
        Operand count = narrow;
        if (is_wide) {
            count = Rewriter::reg(rewriter.new_register(Type::b64));
            made.push_back(rewriter.make("cvt.u64.u32", {count, narrow}, i));
        }
        const Operand result =
            Rewriter::reg(rewriter.new_register(is_wide ? Type::b64 : Type::b32));
        const std::string suffix = is_wide ? "64" : "32";
        made.push_back(rewriter.make(step->value > 0 ? "mul.lo.s" + suffix : "div.s" + suffix,
                                     {result, operand(f, i, step->step), count}, i));
        operand(f, f.instructions[one.instruction], step->step) = result;
        rewriter.insert_before(one.instruction, made);
    }

private:
    static bool is_compared(const Function& f, const std::vector<int>& runs, std::uint32_t n) {
        const std::int32_t reg = operand(f, f.instructions[n], 0).reg;
        for (std::uint32_t k = n + 1; k < f.instructions.size() && runs[k] == runs[n]; ++k)
            if (f.instructions[k].opcode == "setp" &&
                std::ranges::count(read_by(f, f.instructions[k]), reg) > 0)
                return true;
        return false;
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
            if (!is_register(index) || !is_carried(f, to, index.reg)) continue;
            const std::uint8_t from = origins.of(operand(f, i, k));
            const bool is_number = is_immediate(operand(f, i, k));
            if ((is_number && (origins.of(to) & block) != 0 && operand(f, i, k).bits >= 32 &&
                 operand(f, i, k).bits <= most_threads * 16) ||
                (!is_number && from == threads))
                return Step{k, 1};
            if (!is_number && (from & blocks) != 0 && (from & (thread | block | other)) == 0)
                return Step{k, -1};
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

    static constexpr std::uint64_t most_threads = 1024;  ///< of a block; pointers have more bytes
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
