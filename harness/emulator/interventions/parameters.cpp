// A parameter of a kernel or a function is used in place of another one.
//
// Theory of operation. A parameter is loaded (`ld.param`) into a register that nothing else writes.
// Where that register is an operand of integer arithmetic or of a comparison, the operand becomes
// another integer parameter of the same width, loaded in front of the instruction. Which parameters
// hold numbers and not addresses, their uses tell: nobody divides or compares by size an address.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "emulator/interventions/accesses.hpp"
#include "emulator/interventions/code.hpp"
#include "emulator/interventions/instruction_change.hpp"
#include "emulator/interventions/rewriter.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;

constexpr std::int64_t operand_unit = 100;  ///< see InterventionKind::parameter

struct PassedNumber {
    std::int64_t parameter = 0;  ///< its place among the function's
    std::uint32_t load = 0;      ///< the first instruction that loads it
    std::int32_t reg = -1;
    int bits = 0;              ///< as it is declared
    std::string widened = {};  ///< "cvt.u64.u32" of a register that holds it with 64
    [[nodiscard]] int width() const { return widened.empty() ? bits : 64; }
};

/// Its last part: `scale_param_3` is the fourth.
std::optional<std::int64_t> place_of(std::string_view name) {
    const std::size_t at = name.rfind("_param_");
    if (at == std::string_view::npos) return std::nullopt;
    std::int64_t place = 0;
    for (const char c : name.substr(at + 7)) {
        if (c < '0' || c > '9' || place > operand_unit) return std::nullopt;
        place = 10 * place + (c - '0');
    }
    return place < operand_unit ? std::optional(place) : std::nullopt;
}

bool is_arithmetic(const Instruction& i) {
    return ptx::is_any_of(
               i.opcode, {"setp", "mul", "mad", "div", "rem", "min", "max", "sub", "shl", "shr"}) &&
           !is_float(type_of(i));
}

std::vector<PassedNumber> numbers_of(const Function& f) {
    std::vector<PassedNumber> all;
    for (std::uint32_t n = 0; n < f.instructions.size(); ++n) {
        const Instruction& i = f.instructions[n];
        if (i.opcode != "ld" || !i.has("param") || i.operand_count != 2 || is_float(type_of(i)) ||
            bits(type_of(i)) < 32 || !is_register(operand(f, i, 0)) || operand(f, i, 1).offset != 0)
            continue;
        const auto place = place_of(operand(f, i, 1).name);
        const std::int32_t reg = operand(f, i, 0).reg;
        if (!place) continue;
        int writers = 0;
        bool is_number = false, is_address = false;
        for (const Instruction& other : f.instructions) {
            writers += static_cast<int>(std::ranges::count(written_by(f, other), reg));
            if (std::ranges::count(read_by(f, other), reg) == 0) continue;
            is_number |= is_arithmetic(other);
            is_address |= other.opcode == "cvta" || other.opcode == "ld" || other.opcode == "st";
        }
        if (writers == 1 && is_number && !is_address)
            all.push_back({*place, n, reg, bits(type_of(i))});
    }
    const std::size_t declared = all.size();
    for (const Instruction& i : f.instructions)
        for (std::size_t k = 0; k < declared; ++k)
            if (i.opcode == "cvt" && i.operand_count == 2 && i.modifier_count == 2 &&
                all[k].bits == 32 && bits(ptx::type_from_name(i.modifiers[0])) == 64 &&
                is_register(operand(f, i, 0)) && is_register(operand(f, i, 1)) &&
                operand(f, i, 1).reg == all[k].reg) {
                PassedNumber wide = all[k];
                wide.reg = operand(f, i, 0).reg;
                wide.widened = fmt::format("cvt.{}.{}", i.modifiers[0], i.modifiers[1]);
                all.push_back(std::move(wide));
            }
    return all;
}

class Parameter final : public CodeChange {
public:
    InterventionKind kind() const override { return InterventionKind::parameter; }

    std::vector<Intervention> list(const ptx::Module& module) const override {
        std::vector<Intervention> all;
        for (const Function& f : module.functions) {
            if (f.is_declaration || f.instructions.size() > most_instructions) continue;
            const std::vector<PassedNumber> numbers = numbers_of(f);
            if (numbers.size() < 2) continue;
            for (std::uint32_t n = 0; n < f.instructions.size(); ++n)
                list_uses(module, f, n, numbers, all);
        }
        return all;
    }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const std::vector<PassedNumber> numbers = numbers_of(f);
        const auto other =
            std::ranges::find(numbers, one.value % operand_unit, &PassedNumber::parameter);
        const auto k = static_cast<std::uint32_t>(one.value / operand_unit);
        const auto used = std::ranges::find(
            numbers, operand(f, f.instructions[one.instruction], k).reg, &PassedNumber::reg);
        if (other == numbers.end() || used == numbers.end()) return;
        Rewriter rewriter(module, f);
        const Operand source = operand(f, f.instructions[other->load], 1);
        const Instruction& i = f.instructions[one.instruction];
        const auto number = [&](int width) {
            return Rewriter::reg(
                rewriter.new_register(width == 64 ? ptx::Type::b64 : ptx::Type::b32));
        };
        Operand taken = number(other->bits);
        std::vector<Instruction> made{
            rewriter.make(fmt::format("ld.param.u{}", other->bits), {taken, source}, i)};
        if (other->bits < used->width()) {
            made.push_back(rewriter.make(used->widened.empty() ? "cvt.u64.u32" : used->widened,
                                         {number(64), taken}, i));
            taken = operand(f, made.back(), 0);
        }
        operand(f, f.instructions[one.instruction], k) = taken;
        rewriter.insert_before(one.instruction, made);
    }

private:
    void list_uses(const ptx::Module& module, const Function& f, std::uint32_t n,
                   const std::vector<PassedNumber>& numbers, std::vector<Intervention>& all) const {
        const Instruction& i = f.instructions[n];
        if (!is_arithmetic(i) && i.opcode != "add") return;
        const auto place = own_place(module, i);
        if (!place) return;
        for (std::uint32_t k = 1; k < i.operand_count; ++k) {
            const Operand& o = operand(f, i, k);
            if (!is_register(o)) continue;
            const auto used = std::ranges::find(numbers, o.reg, &PassedNumber::reg);
            if (used == numbers.end()) continue;
            for (const PassedNumber& other : numbers)
                if (other.parameter != used->parameter && other.widened.empty() &&
                    other.bits <= used->width())
                    all.push_back({.kind = kind(),
                                   .function = std::string(f.name),
                                   .instruction = n,
                                   .value = operand_unit * k + other.parameter,
                                   .place = *place,
                                   .text = fmt::format("parameter {} to parameter {}",
                                                       used->parameter + 1, other.parameter + 1)});
        }
    }
};

}  // namespace

std::unique_ptr<CodeChange> make_parameter_change() { return std::make_unique<Parameter>(); }

}  // namespace cugrade::emulator
