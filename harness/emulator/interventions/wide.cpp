// Numbers of 32 bits where more are needed: an index or a sum that is computed with 64, and a sum
// of floats in a double.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "emulator/interventions/accesses.hpp"
#include "emulator/interventions/accumulators.hpp"
#include "emulator/interventions/code.hpp"
#include "emulator/interventions/counting.hpp"
#include "emulator/interventions/instruction_change.hpp"
#include "emulator/interventions/rewriter.hpp"
#include "emulator/interventions/values.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

/// An expression of more operations is left alone. Chosen: more than anybody writes into one line.
constexpr int most_operations = 24;

bool computes(const Instruction& i) {
    if (i.guard >= 0 || bits(type_of(i)) != 32 || is_float(type_of(i))) return false;
    if (ptx::is_any_of(i.opcode, {"mul", "mad"})) return i.has("lo");
    return ptx::is_any_of(i.opcode, {"add", "sub", "shl", "shr", "div", "rem"}) && !i.has("cc");
}

/// Computes an expression once more with 64 bits, from values of 32 that are extended.
class Widening {
public:
    Widening(Rewriter& rewriter, const Function& f, const Values& values, bool is_signed)
        : rewriter_(rewriter), f_(f), values_(values), sign_(is_signed ? "s" : "u") {}

    Operand wide(const Operand& narrow) {
        if (!is_register(narrow)) return narrow;
        const std::uint32_t at = values_.written_at(narrow.reg);
        const auto known = made_.find(narrow.reg);
        if (known != made_.end()) return known->second;
        const Operand result = Rewriter::reg(rewriter_.new_register(Type::b64));
        made_[narrow.reg] = result;
        const bool is_leaf =
            at == Values::none || !computes(f_.instructions[at]) || ++operations_ > most_operations;
        if (is_leaf) {
            code_.push_back(rewriter_.make(fmt::format("cvt.{0}64.{0}32", sign_), {result, narrow},
                                           f_.instructions[0]));
            return result;
        }
        const Instruction from = f_.instructions[at];
        std::vector<Operand> operands{result};
        for (std::uint32_t n = 1; n < from.operand_count; ++n) {
            const Operand source = operand(f_, from, n);
            // The count of a shift stays a number of 32 bits.
            const bool is_count = ptx::is_any_of(from.opcode, {"shl", "shr"}) && n == 2;
            operands.push_back(is_count ? source : wide(source));
        }
        const std::string form =
            from.opcode == "shl"   ? "shl.b64"
            : from.opcode == "shr" ? fmt::format("shr.{}64", is_signed(type_of(from)) ? "s" : "u")
            : from.opcode == "mul" ? fmt::format("mul.lo.{}64", sign_)
            : from.opcode == "mad" ? fmt::format("mad.lo.{}64", sign_)
                                   : fmt::format("{}.{}64", from.opcode, sign_);
        code_.push_back(rewriter_.make(form, operands, from));
        return result;
    }
    [[nodiscard]] const std::vector<Instruction>& code() const { return code_; }

private:
    Rewriter& rewriter_;
    const Function& f_;
    const Values& values_;
    const std::string sign_;
    std::map<std::int32_t, Operand> made_;
    std::vector<Instruction> code_;
    int operations_ = 0;
};

/// Where a result of 32 bits becomes one of 64.
class WideArithmetic final : public InstructionChange {
public:
    InterventionKind kind() const override { return InterventionKind::wide_arithmetic; }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const Values values(f);
        const Instruction widens = f.instructions[one.instruction];
        const bool is_product = widens.opcode != "cvt";
        Rewriter rewriter(module, f);
        const bool is_signed = ptx::is_signed(type_of(widens));
        Widening widening(rewriter, f, values, is_signed);
        const Operand narrow = operand(f, widens, 1);
        const Operand wide = widening.wide(narrow);
        std::vector<Operand> operands{operand(f, widens, 0), wide};
        for (std::uint32_t n = 2; n < widens.operand_count; ++n)
            operands.push_back(n == 2 ? widening.wide(operand(f, widens, n))
                                      : operand(f, widens, n));
        const std::string form =
            !is_product ? "mov.b64"
                        : fmt::format("{}.lo.{}64", widens.opcode, is_signed ? "s" : "u");
        Instruction last = rewriter.make(form, operands, widens);
        rewriter.replace(one.instruction, last);
        rewriter.insert_before(one.instruction, widening.code());
    }

protected:
    std::vector<Choice> choices(const Function& f, std::uint32_t n) const override {
        const Instruction& i = f.instructions[n];
        const bool is_product = ptx::is_any_of(i.opcode, {"mul", "mad"}) && i.has("wide");
        const bool is_widened = i.opcode == "cvt" && i.modifier_count == 2 &&
                                ptx::is_any_of(i.modifiers[0], {"s64", "u64"});
        if ((!is_product && !is_widened) || i.guard >= 0 || bits(type_of(i)) != 32 ||
            is_float(type_of(i)) || i.operand_count < 2 || !is_register(operand(f, i, 1)))
            return {};
        const std::int32_t reg = operand(f, i, 1).reg;
        const std::uint32_t at = only_writer(f, reg);
        if (at == Values::none || !computes(f.instructions[at])) return {};
        return {{64, "the arithmetic with 64 bits", at}};
    }

private:
    static std::uint32_t only_writer(const Function& f, std::int32_t reg) {
        std::uint32_t found = Values::none;
        for (std::uint32_t n = 0; n < f.instructions.size(); ++n) {
            const std::vector<std::int32_t> written = written_by(f, f.instructions[n]);
            if (std::ranges::count(written, reg) == 0) continue;
            if (found != Values::none) return Values::none;
            found = n;
        }
        return found;
    }
};

/// Beside each of the accumulator's registers goes one of 64 bits. After each write of a double's
/// float the register gets its rounded value; an integer is taken whole where it is widened.
class WideAccumulator final : public CodeChange {
public:
    InterventionKind kind() const override { return InterventionKind::wide_accumulator; }

    std::vector<Intervention> list(const ptx::Module& module) const override {
        std::vector<Intervention> all;
        for (const Function& f : module.functions) {
            if (f.instructions.size() > most_instructions) continue;
            // nvcc adds up unsigned numbers by `add.s32`, too.
            for (const Type type : {Type::f32, Type::s32})
                for (const Accumulator& a : accumulators_of(f, type)) {
                    const Instruction& sum = f.instructions[a.accumulates];
                    const auto place = students_place(module, sum);
                    if (!place || !is_sum(sum)) continue;
                    if (type != Type::f32 && !is_widened(f, a)) continue;
                    all.push_back({.kind = kind(),
                                   .function = std::string(f.name),
                                   .instruction = a.first_written,
                                   .value = type == Type::f32 ? 0 : 1,
                                   .place = *place,
                                   .text = type == Type::f32 ? "`float` to `double` for the sum"
                                                             : "`int` to `long long` for the sum"});
                }
        }
        return all;
    }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        Type type = one.value == 0 ? Type::f32 : Type::s32;
        const auto all = accumulators_of(f, type);
        const auto it = std::ranges::find(all, one.instruction, &Accumulator::first_written);
        if (it == all.end()) return;
        // What is added is widened as the sum is.
        if (type == Type::s32 && is_widened(f, *it, "u32")) type = Type::u32;
        Rewriter rewriter(module, f);
        std::map<std::int32_t, Operand> wide;
        for (const std::int32_t r : it->registers)
            wide[r] = Rewriter::reg(rewriter.new_register(is_float(type) ? Type::f64 : Type::b64));
        for (auto n = static_cast<std::uint32_t>(f.instructions.size()); n-- > 0;) {
            if (!is_float(type) && widens(f, f.instructions[n], *it)) {
                const Instruction i = f.instructions[n];
                rewriter.replace(
                    n,
                    rewriter.make("mov.b64", {operand(f, i, 0), wide.at(operand(f, i, 1).reg)}, i));
                continue;
            }
            for (const std::int32_t r : written_by(f, f.instructions[n]))
                if (it->has(r)) follow(rewriter, f, n, r, wide, type);
        }
    }

private:
    static bool is_sum(const Instruction& i) {
        return (ptx::is_any_of(i.opcode, {"add", "sub"}) && !i.has("cc")) || i.opcode == "fma" ||
               (i.opcode == "mad" && i.has("lo"));
    }

    /// A conversion of the sum to 64 bits.
    static bool widens(const Function& f, const Instruction& i, const Accumulator& a) {
        return i.opcode == "cvt" && i.modifier_count == 2 &&
               ptx::is_any_of(i.modifiers[0], {"s64", "u64"}) && bits(type_of(i)) == 32 &&
               is_register(operand(f, i, 1)) && a.has(operand(f, i, 1).reg);
    }
    /// `from`: only by conversions from that type.
    static bool is_widened(const Function& f, const Accumulator& a, std::string_view from = {}) {
        return std::ranges::any_of(f.instructions, [&](const Instruction& i) {
            return widens(f, i, a) && (from.empty() || i.modifiers[1] == from);
        });
    }

    static std::uint64_t bits_as_double(std::uint64_t bits_of_float) {
        const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits_of_float));
        return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    }

    static void follow(Rewriter& rewriter, const Function& f, std::uint32_t n, std::int32_t r,
                       const std::map<std::int32_t, Operand>& wide, Type type) {
        const Instruction i = f.instructions[n];
        const Operand narrow = Rewriter::reg(r), result = wide.at(r);
        const std::string to = is_float(type) ? "f64" : is_signed(type) ? "s64" : "u64";
        const std::string widen = fmt::format("cvt.{}.{}", to, name(type));
        std::vector<Instruction> before, after;
        const auto is_wide = [&](const Operand& o) {
            return is_register(o) && wide.contains(o.reg);
        };
        if (is_sum(i) || (i.opcode == "mov" && is_wide(operand(f, i, 1)))) {
            // From the values before: the register may be one of the operands.
            std::vector<Operand> operands{result};
            for (std::uint32_t k = 1; k < i.operand_count; ++k) {
                const Operand source = operand(f, i, k);
                if (is_wide(source)) {
                    operands.push_back(wide.at(source.reg));
                    continue;
                }
                if (is_immediate(source)) {
                    operands.push_back(
                        is_float(type) ? Rewriter::immediate(bits_as_double(source.bits)) : source);
                    continue;
                }
                operands.push_back(
                    Rewriter::reg(rewriter.new_register(is_float(type) ? Type::f64 : Type::b64)));
                before.push_back(rewriter.make(widen, {operands.back(), source}, i));
            }
            before.push_back(rewriter.make(i.opcode == "mov"   ? fmt::format("mov.{}", to)
                                           : i.opcode == "fma" ? "fma.rn.f64"
                                           : i.opcode == "mad" ? fmt::format("mad.lo.{}", to)
                                                               : fmt::format("{}.{}", i.opcode, to),
                                           operands, i));
            if (is_float(type))
                after.push_back(rewriter.make("cvt.rn.f32.f64", {narrow, result}, i));
        } else {
            after.push_back(rewriter.make(widen, {result, narrow}, i));
        }
        // A double's float is rounded from the whole sum; an integer's lower half is right anyway.
        for (std::vector<Instruction>* made : {&before, &after})
            for (Instruction& one : *made) {
                one.guard = i.guard;
                one.guard_negated = i.guard_negated;
            }
        rewriter.insert_after(n, after);
        rewriter.insert_before(n, before);
    }
};

/// The number with which an accumulator begins, or that stands in for an element that is not there.
class Identity final : public InstructionChange {
public:
    InterventionKind kind() const override { return InterventionKind::identity; }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const Instruction& i = f.instructions[one.instruction];
        const std::uint32_t used =
            i.opcode == "mov" ? first_use(f, operand(f, i, 0).reg) : one.instruction;
        if (used == none) return;
        for (std::uint32_t n = 1; n < i.operand_count; ++n)
            if (ptx::Operand& o = operand(f, i, n);
                is_immediate(o) && mark_of(i, o) == mark_in(one)) {
                o = Rewriter::immediate(bits_of(type_of_value(f, i, used), one.value % words_end));
                return;
            }
    }

protected:
    std::vector<Choice> choices(const Function& f, std::uint32_t n) const override {
        const Instruction& i = f.instructions[n];
        const bool may_begin = i.opcode == "mov" && i.operand_count == 2;
        const bool may_stand_in = i.opcode == "selp" && i.operand_count == 4;
        if ((!may_begin && !may_stand_in) || !is_register(operand(f, i, 0))) return {};
        // What counts rounds is no first value of what is computed.
        if (may_begin && is_immediate(operand(f, i, 1)) &&
            std::ranges::any_of(counters_of(f),
                                [&](const Counter& c) { return c.reg == operand(f, i, 0).reg; }))
            return {};
        // The compiler moves a first value to the start of the function, or repeats it in front of
        // a loop: the line is that where it is first used.
        const std::uint32_t at = may_begin ? first_use(f, operand(f, i, 0).reg) : n;
        if (at == none) return {};
        const Type type = type_of_value(f, i, at);
        static constexpr std::pair<std::int64_t, const char*> words[] = {
            {0, "0"},
            {1, "the lowest of its type"},
            {2, "the highest of its type"},
            {number_one, "1"},
            {all_ones, "all ones"}};
        std::vector<Choice> all;
        if (bits(type) != 32 && bits(type) != 64) return {};
        for (std::uint32_t k = 1; k < (may_begin ? 2U : 3U); ++k) {
            const Operand& now = operand(f, i, k);
            if (!is_immediate(now)) continue;
            for (const auto& [value, word] : words)
                if (bits_of(type, value) != now.bits && !(value == all_ones && is_float(type)))
                    all.push_back({value + words_end * mark_of(i, now),
                                   fmt::format("the first value to {}", word), at});
        }
        // A count that starts again with an element has counted that one.
        if (may_begin && is_set_again(f, n) && operand(f, i, 1).bits == 0 && !is_float(type))
            all.push_back({one_again + words_end * mark_of(i, operand(f, i, 1)),
                           "the value that is set again to 1", n});
        return all;
    }

private:
    /// A round of a loop sets the register, and something else does, too.
    static bool is_set_again(const Function& f, std::uint32_t n) {
        const std::int32_t reg = operand(f, f.instructions[n], 0).reg;
        int writers = 0;
        bool is_in_loop = false;
        for (std::uint32_t k = 0; k < f.instructions.size(); ++k) {
            const Instruction& i = f.instructions[k];
            writers += static_cast<int>(std::ranges::count(written_by(f, i), reg));
            if (k < n || i.opcode != "bra") continue;
            for (std::uint32_t o = 0; o < i.operand_count; ++o)
                is_in_loop |= operand(f, i, o).kind == ptx::OperandKind::label &&
                              operand(f, i, o).target <= n;
        }
        return writers > 1 && is_in_loop;
    }

    static constexpr std::uint32_t none = 0xFFFFFFFF;
    static constexpr std::int64_t number_one = 3, one_again = 5;
    static constexpr std::int64_t all_ones = 4;  ///< the highest number without a sign
    static constexpr std::int64_t words_end = 8;

    /// A line may have several numbers, of which an edit changes one: the value has a mark of it,
    /// and of its type's width.
    static std::int64_t mark_of(const Instruction& i, const Operand& number) {
        constexpr std::int64_t prime = 65'521;
        return static_cast<std::int64_t>(number.bits % prime) +
               (bits(type_of(i)) == 64 ? prime : 0);
    }
    static std::int64_t mark_in(const Intervention& one) { return one.value / words_end; }

    /// Of a first value: the first instruction that takes it, or stores it. `none`: it is a number
    /// like others.
    static std::uint32_t first_use(const Function& f, std::int32_t reg) {
        int writers = 0;
        std::uint32_t used = none, stored = none;
        bool is_moved = false;
        for (std::uint32_t n = 0; n < f.instructions.size(); ++n) {
            const Instruction& i = f.instructions[n];
            writers += static_cast<int>(std::ranges::count(written_by(f, i), reg));
            if (std::ranges::count(read_by(f, i), reg) == 0) continue;
            if (i.opcode == "mov" && i.operand_count == 2 && is_register(operand(f, i, 0))) {
                is_moved = true;
            } else if (i.opcode == "st") {
                if (stored == none) stored = n;
            } else if (used == none) {
                used = n;
            }
        }
        if (used == none) used = stored;
        if (writers > 1) return used;
        if (is_moved) {
            for (std::uint32_t n = 0; n < f.instructions.size(); ++n) {
                const Instruction& i = f.instructions[n];
                if (i.opcode == "mov" && i.operand_count == 2 && is_register(operand(f, i, 1)) &&
                    operand(f, i, 1).reg == reg && is_register(operand(f, i, 0)) &&
                    operand(f, i, 0).reg != reg)
                    return used != none ? used : n;
            }
        }
        return stored;
    }

    /// `mov.b32` does not tell a float from an integer; what takes the value does.
    static Type type_of_value(const Function& f, const Instruction& i, std::uint32_t used) {
        const Type own = type_of(i), other = type_of(f.instructions[used]);
        const bool says_nothing =
            ptx::is_any_of(name(own), {"b32", "b64", "u32", "u64", "s32", "s64"});
        return says_nothing && is_float(other) && bits(other) == bits(own) ? other : own;
    }

    static std::uint64_t bits_of(Type type, std::int64_t value) {
        const bool is_wide = bits(type) == 64;
        if (is_float(type)) {
            switch (value) {
                case 1: return is_wide ? 0xFFF0000000000000 : 0xFF800000;
                case 2: return is_wide ? 0x7FF0000000000000 : 0x7F800000;
                case number_one: return is_wide ? 0x3FF0000000000000 : 0x3F800000;
                default: return 0;
            }
        }
        switch (value) {
            case 1: return is_wide ? 0x8000000000000000 : 0xFFFFFFFF80000000;
            case 2: return is_wide ? 0x7FFFFFFFFFFFFFFF : 0x7FFFFFFF;
            case all_ones: return 0xFFFFFFFFFFFFFFFF;
            default: return value == number_one || value == one_again ? 1 : 0;
        }
    }
};

}  // namespace

std::unique_ptr<CodeChange> make_wide_arithmetic_change() {
    return std::make_unique<WideArithmetic>();
}
std::unique_ptr<CodeChange> make_wide_accumulator_change() {
    return std::make_unique<WideAccumulator>();
}
std::unique_ptr<CodeChange> make_identity_change() { return std::make_unique<Identity>(); }

}  // namespace cugrade::emulator
