// What happens to a result: it is cut off at a limit, or stored over another one.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "emulator/interventions/accesses.hpp"
#include "emulator/interventions/code.hpp"
#include "emulator/interventions/instruction_change.hpp"
#include "emulator/interventions/rewriter.hpp"
#include "emulator/interventions/values.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

/// `min(x, 255)`, `x > 255 ? 255 : x` and conversions that saturate let every value pass.
class Unclamped final : public InstructionChange {
public:
    InterventionKind kind() const override { return InterventionKind::unclamped; }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const Instruction i = f.instructions[one.instruction];
        Rewriter rewriter(module, f);
        if (i.opcode == "cvt") {
            Instruction made = i;
            made.modifier_count = 0;
            for (std::uint8_t n = 0; n < i.modifier_count; ++n)
                if (i.modifiers[n] != "sat") made.modifiers[made.modifier_count++] = i.modifiers[n];
            rewriter.replace(one.instruction, made);
            return;
        }
        rewriter.replace(
            one.instruction,
            rewriter.make(fmt::format("mov.b{}", bits(type_of(i))),
                          {operand(f, i, 0), operand(f, i, is_immediate(operand(f, i, 1)) ? 2 : 1)},
                          i));
    }

protected:
    bool takes_inlined() const override { return true; }

    std::vector<Choice> choices(const Function& f, std::uint32_t n) const override {
        const Instruction& i = f.instructions[n];
        const bool saturates = i.opcode == "cvt" && i.has("sat") && !is_float(type_of_result(i));
        if (saturates) return {{0, "the conversion without a limit", n}};
        const bool is_limit = ptx::is_any_of(i.opcode, {"min", "max"}) && i.operand_count == 3 &&
                              bits(type_of(i)) >= 32;
        const bool is_choice =
            i.opcode == "selp" && i.operand_count == 4 && bits(type_of(i)) >= 32 && chooses(f, n);
        if (!is_limit && !is_choice) return {};
        for (const std::uint32_t k : {1U, 2U})
            if (is_immediate(operand(f, i, k)) && is_register(operand(f, i, 3 - k)))
                return {{static_cast<std::int64_t>(operand(f, i, k).bits),
                         fmt::format("the value not limited to {}",
                                     as_text(operand(f, i, k).bits, type_of(i))),
                         n}};
        return {};
    }

private:
    static Type type_of_result(const Instruction& i) {
        return i.modifier_count < 2 ? Type::none
                                    : ptx::type_from_name(i.modifiers[i.modifier_count - 2U]);
    }

    static std::string as_text(std::uint64_t bits, Type type) {
        if (type == Type::f32)
            return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
        if (type == Type::f64) return fmt::format("{}", std::bit_cast<double>(bits));
        return fmt::format("{}", static_cast<std::int64_t>(bits));
    }

    /// Between a number and a register by a comparison of that register with that number, or with
    /// the one beside it.
    static bool chooses(const Function& f, std::uint32_t n) {
        const Instruction& i = f.instructions[n];
        const std::uint32_t k = is_immediate(operand(f, i, 1)) ? 1 : 2;
        const Operand &number = operand(f, i, k), &value = operand(f, i, 3 - k);
        if (!is_immediate(number) || !is_register(value) || !is_register(operand(f, i, 3)))
            return false;
        for (std::uint32_t at = n; at-- > 0;) {
            const Instruction& c = f.instructions[at];
            if (std::ranges::count(written_by(f, c), operand(f, i, 3).reg) == 0) continue;
            if (c.opcode != "setp" || c.paired || c.operand_count != 3) return false;
            const Operand &a = operand(f, c, 1), &b = operand(f, c, 2);
            return is_register(a) && a.reg == value.reg && is_immediate(b) &&
                   b.bits + 1 - number.bits <= 2;
        }
        return false;
    }
};

/// A store into global memory adds to what is there, in one step.
class AddingStore final : public InstructionChange {
public:
    InterventionKind kind() const override { return InterventionKind::adding_store; }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const Instruction i = f.instructions[one.instruction];
        Rewriter rewriter(module, f);
        rewriter.replace(one.instruction,
                         rewriter.make(fmt::format("red{}.add.{}", i.has("global") ? ".global" : "",
                                                   name(type_of_sum(i))),
                                       {operand(f, i, 0), operand(f, i, 1)}, i));
    }

protected:
    std::vector<Choice> choices(const Function& f, std::uint32_t n) const override {
        const Instruction& i = f.instructions[n];
        const auto a = access_of(i);
        if (!a || !a->stores || a->loads || i.opcode != "st" || i.operand_count != 2 ||
            i.has("v2") || i.has("v4") || i.has("volatile") || i.has("release") ||
            i.has("relaxed") || (a->space != ptx::Space::global && a->space != ptx::Space::generic))
            return {};
        if (type_of_sum(i) == Type::none || !is_register(operand(f, i, 1))) return {};
        // What is stored is a number: the memory is set, nothing is combined.
        const Values values(f);
        const std::uint32_t at = values.written_at(operand(f, i, 1).reg);
        if (at != Values::none && f.instructions[at].opcode == "mov" &&
            is_immediate(operand(f, f.instructions[at], 1)))
            return {};
        return {{0, "`=` to an atomic addition", n}};
    }

private:
    static Type type_of_sum(const Instruction& i) {
        switch (type_of(i)) {
            case Type::u32:
            case Type::s32:
            case Type::b32: return Type::u32;
            case Type::u64:
            case Type::s64:
            case Type::b64: return Type::u64;
            case Type::f32: return Type::f32;
            case Type::f64: return Type::f64;
            default: return Type::none;
        }
    }
};

}  // namespace

std::unique_ptr<CodeChange> make_unclamped_change() { return std::make_unique<Unclamped>(); }
std::unique_ptr<CodeChange> make_adding_store_change() { return std::make_unique<AddingStore>(); }

}  // namespace cugrade::emulator
