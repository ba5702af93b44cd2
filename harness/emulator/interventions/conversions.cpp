// Bytes read without their sign, conversions between integers and floats that keep the bits, and
// numbers that keep their sign and all of their bits on the way to 64.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/interventions/accesses.hpp"
#include "emulator/interventions/code.hpp"
#include "emulator/interventions/instruction_change.hpp"
#include "emulator/interventions/rewriter.hpp"
#include "emulator/interventions/values.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Type;

constexpr std::uint64_t upper_half = 0xFFFFFFFF00000000;  ///< of 64 bits

/// `ld.s8` and `cvt.s32.s8` take a byte's highest bit for its sign, and so do `bfe.s32` of 8 bits
/// and `shr.s32` by 24.
class UnsignedByte final : public InstructionChange {
public:
    InterventionKind kind() const override { return InterventionKind::unsigned_byte; }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Instruction& i = body_of(module, one.function)->instructions[one.instruction];
        const Type type = type_of(i);
        i.modifiers[i.modifier_count - 1U] = type == Type::s8    ? "u8"
                                             : type == Type::s16 ? "u16"
                                                                 : "u32";
    }

protected:
    std::vector<Choice> choices(const Function& f, std::uint32_t n) const override {
        const int width = signed_width(f, f.instructions[n]);
        if (width == 0) return {};
        return {{width, fmt::format("numbers of {} bits without a sign", width), n}};
    }

private:
    static bool is_number(const Function& f, const Instruction& i, unsigned at,
                          std::uint64_t number) {
        return i.operand_count > at && is_immediate(operand(f, i, at)) &&
               operand(f, i, at).bits == number;
    }

    /// Of the number whose sign is kept; 0: of none.
    static int signed_width(const Function& f, const Instruction& i) {
        const Type type = type_of(i);
        if (i.opcode == "ld" || i.opcode == "cvt")
            return type == Type::s8 || type == Type::s16 ? bits(type) : 0;
        if (type != Type::s32) return 0;
        if (i.opcode == "shr") return is_number(f, i, 2, 24) ? 8 : 0;
        if (i.opcode != "bfe") return 0;
        return is_number(f, i, 3, 8) ? 8 : is_number(f, i, 3, 16) ? 16 : 0;
    }
};

/// `cvt` between numbers of one width, where the program may have meant `__float_as_int`.
class Reinterpretation final : public InstructionChange {
public:
    InterventionKind kind() const override { return InterventionKind::reinterpret; }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const Instruction i = f.instructions[one.instruction];
        Rewriter rewriter(module, f);
        rewriter.replace(one.instruction, rewriter.make(fmt::format("mov.b{}", bits(type_of(i))),
                                                        {operand(f, i, 0), operand(f, i, 1)}, i));
    }

protected:
    std::vector<Choice> choices(const Function& f, std::uint32_t n) const override {
        const Instruction& i = f.instructions[n];
        if (i.opcode != "cvt" || i.modifier_count < 2 || i.operand_count != 2) return {};
        const Type from = type_of(i), to = ptx::type_from_name(i.modifiers[i.modifier_count - 2U]);
        const bool fits = bits(from) == bits(to) && bits(from) >= 32 &&
                          is_float(from) != is_float(to) && is_register(operand(f, i, 1));
        if (!fits) return {};
        return {{0,
                 is_float(from) ? "the bits of the float instead of its value"
                                : "the bits of the integer instead of its value",
                 n}};
    }
};

/// `cvt.u64.u32` fills up with zeros, `cvt.s64.s32` with the sign; so do the products of 64 bits.
class WidenedSign final : public InstructionChange {
public:
    InterventionKind kind() const override { return InterventionKind::widened_sign; }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        if (makes_narrow(f, f.instructions[one.instruction])) {
            const Instruction made = f.instructions[one.instruction];
            Rewriter rewriter(module, f);
            const ptx::Operand low = Rewriter::reg(rewriter.new_register(Type::b32)),
                               result = operand(f, made, 0);
            rewriter.insert_after(one.instruction,
                                  {rewriter.make("cvt.u32.u64", {low, result}, made),
                                   rewriter.make("cvt.s64.s32", {result, low}, made)});
            return;
        }
        Instruction& i = f.instructions[one.instruction];
        if (const auto at = lost_sign(f, i)) {
            operand(f, i, *at).bits |= upper_half;
            return;
        }
        const bool was_signed = is_signed(type_of(i));
        if (i.opcode == "ld") {
            i.modifiers[i.modifier_count - 1U] = was_signed ? "u32" : "s32";
            return;
        }
        if (i.opcode == "cvt") i.modifiers[0] = was_signed ? "u64" : "s64";
        i.modifiers[1] = was_signed ? "u32" : "s32";
    }

protected:
    std::vector<Choice> choices(const Function& f, std::uint32_t n) const override {
        const Instruction& i = f.instructions[n];
        if (lost_sign(f, i) || makes_narrow(f, i))
            return {{1, "the number of 32 bits with its sign", n}};
        if (!widens(i) && !loads_wide(f, i) && !multiplies_wide(f, i)) return {};
        const std::string_view to = is_signed(type_of(i)) ? "without a sign" : "with its sign";
        return {{is_signed(type_of(i)) ? -1 : 1, fmt::format("the number of 32 bits {}", to), n}};
    }

private:
    /// The upper half is zeros, whatever the values are: the number has been one of 32 bits.
    static bool is_narrow(const Function& f, const Values& values, const ptx::Operand& o,
                          int depth = 0) {
        constexpr int deepest = 4;
        if (is_immediate(o)) return (o.bits & upper_half) == 0;
        const std::uint32_t at = is_register(o) ? values.written_at(o.reg) : Values::none;
        if (at == Values::none || depth > deepest) return false;
        const Instruction& i = f.instructions[at];
        if (i.opcode == "shr")
            return !is_signed(type_of(i)) && is_immediate(operand(f, i, 2)) &&
                   operand(f, i, 2).bits >= 32;
        if (i.opcode == "cvt")
            return i.modifier_count == 2 && i.modifiers[0] == "u64" && i.modifiers[1] == "u32";
        if (loads_wide(f, i)) return !is_signed(type_of(i));
        if (!ptx::is_any_of(i.opcode, {"and", "or", "xor"}) || i.operand_count != 3) return false;
        const bool first = is_narrow(f, values, operand(f, i, 1), depth + 1),
                   second = is_narrow(f, values, operand(f, i, 2), depth + 1);
        return i.opcode == "and" ? first || second : first && second;
    }

    /// `xor.b64` of such numbers: computed with 32 bits in the source, and widened afterwards.
    static bool makes_narrow(const Function& f, const Instruction& i) {
        if (i.opcode != "xor" || i.operand_count != 3 || bits(type_of(i)) != 64 ||
            !is_register(operand(f, i, 0)))
            return false;
        const Values values(f);
        return is_narrow(f, values, operand(f, i, 1)) && is_narrow(f, values, operand(f, i, 2));
    }

    /// 4294967295, where 64 bits are computed: -1 that the compiler has widened without its sign.
    /// The number of the operand.
    static std::optional<std::uint32_t> lost_sign(const Function& f, const Instruction& i) {
        constexpr std::uint64_t smallest =
            0xFFFF0000;  // chosen: what is less is large, not negative
        // (What is set to all ones may be the first value of a bitwise operation.)
        if (bits(type_of(i)) != 64 || !ptx::is_any_of(i.opcode, {"add", "sub", "mul", "mad"}))
            return {};
        for (std::uint32_t n = 1; n < i.operand_count; ++n)
            if (const ptx::Operand& o = operand(f, i, n);
                is_immediate(o) && (o.bits & upper_half) == 0 && o.bits >= smallest)
                return n;
        return {};
    }

    /// `ld.u32` into a register of 64 bits.
    static bool loads_wide(const Function& f, const Instruction& i) {
        return i.opcode == "ld" && (type_of(i) == Type::u32 || type_of(i) == Type::s32) &&
               is_register(operand(f, i, 0)) &&
               bits(f.registers[static_cast<std::size_t>(operand(f, i, 0).reg)].type) == 64;
    }

    /// `mul.wide.u32` of two numbers that are not known; others compute addresses.
    static bool multiplies_wide(const Function& f, const Instruction& i) {
        return i.opcode == "mul" && i.modifier_count == 2 && i.modifiers[0] == "wide" &&
               ptx::is_any_of(i.modifiers[1], {"s32", "u32"}) && is_register(operand(f, i, 1)) &&
               is_register(operand(f, i, 2));
    }

    static bool widens(const Instruction& i) {
        return i.opcode == "cvt" && i.modifier_count == 2 && i.operand_count == 2 &&
               ptx::is_any_of(i.modifiers[0], {"s64", "u64"}) &&
               ptx::is_any_of(i.modifiers[1], {"s32", "u32"});
    }
};

/// `div`, `rem`, `shr`, `min` and `max` of numbers with a sign, or without one.
class OtherSign final : public InstructionChange {
public:
    InterventionKind kind() const override { return InterventionKind::other_sign; }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Instruction& i = body_of(module, one.function)->instructions[one.instruction];
        i.modifiers[i.modifier_count - 1U] = ptx::name(of_other_sign(type_of(i)));
    }

protected:
    std::vector<Choice> choices(const Function& f, std::uint32_t n) const override {
        const Instruction& i = f.instructions[n];
        const std::string_view what = i.opcode == "div"   ? "a division"
                                      : i.opcode == "rem" ? "a remainder"
                                      : i.opcode == "shr" ? "a shift to the right"
                                      : i.opcode == "min" ? "a minimum"
                                      : i.opcode == "max" ? "a maximum"
                                                          : "";
        const Type type = type_of(i);
        if (what.empty() || of_other_sign(type) == Type::none || bits(type) < 32) return {};
        return {{is_signed(type) ? -1 : 1,
                 fmt::format("{} of numbers {}", what,
                             is_signed(type) ? "without a sign" : "with a sign"),
                 n}};
    }
};

/// A number of 64 bits that has only 32 of them, or a float's digits, for a moment.
class Untruncated final : public InstructionChange {
public:
    InterventionKind kind() const override { return InterventionKind::untruncated; }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const Instruction i = f.instructions[one.instruction];
        if (i.opcode == "and") {
            operand(f, i, 2).bits |= upper_half;
            return;
        }
        Rewriter rewriter(module, f);
        const Instruction& cut = f.instructions[cut_before(f, i)];
        rewriter.replace(one.instruction, rewriter.make(fmt::format("mov.b{}", 64),
                                                        {operand(f, i, 0), operand(f, cut, 1)}, i));
    }

protected:
    std::vector<Choice> choices(const Function& f, std::uint32_t n) const override {
        const Instruction& i = f.instructions[n];
        const bool masks = i.opcode == "and" && i.operand_count == 3 && bits(type_of(i)) == 64 &&
                           is_immediate(operand(f, i, 2)) &&
                           (operand(f, i, 2).bits & ~std::uint64_t{1}) == 0xFFFFFFFE;
        if (masks) return {{0, "all 64 bits of the number", n}};
        const std::uint32_t cut = cut_before(f, i);
        if (cut == none) return {};
        return {{0,
                 is_float(type_of(i)) ? "the digits of a `double` instead of those of a `float`"
                                      : "all 64 bits of the number",
                 cut}};
    }

private:
    static constexpr std::uint32_t none = 0xFFFFFFFF;

    static bool is_conversion(const Instruction& i, std::initializer_list<std::string_view> to,
                              std::initializer_list<std::string_view> from) {
        return i.opcode == "cvt" && i.modifier_count >= 2 && i.operand_count == 2 &&
               ptx::is_any_of(i.modifiers[i.modifier_count - 2U], to) &&
               ptx::is_any_of(i.modifiers[i.modifier_count - 1U], from);
    }

    /// Of what widens a number again, the one conversion that has cut it. The number is still in
    /// its register: that, too, is written once.
    static std::uint32_t cut_before(const Function& f, const Instruction& i) {
        const bool floats = is_conversion(i, {"f64"}, {"f32"});
        if (!floats && !is_conversion(i, {"s64", "u64"}, {"s32", "u32"})) return none;
        if (!is_register(operand(f, i, 1))) return none;
        const std::uint32_t cut = only_writer(f, operand(f, i, 1).reg);
        if (cut == none) return none;
        const Instruction& c = f.instructions[cut];
        const bool cuts = floats ? is_conversion(c, {"f32"}, {"f64"})
                                 : is_conversion(c, {"s32", "u32"}, {"s64", "u64"});
        if (!cuts || c.guard >= 0 || !is_register(operand(f, c, 1))) return none;
        return only_writer(f, operand(f, c, 1).reg) == none ? none : cut;
    }

    static std::uint32_t only_writer(const Function& f, std::int32_t reg) {
        std::uint32_t found = none;
        for (std::uint32_t n = 0; n < f.instructions.size(); ++n) {
            if (std::ranges::count(written_by(f, f.instructions[n]), reg) == 0) continue;
            if (found != none) return none;
            found = n;
        }
        return found;
    }
};

}  // namespace

std::unique_ptr<CodeChange> make_other_sign_change() { return std::make_unique<OtherSign>(); }
std::unique_ptr<CodeChange> make_widened_sign_change() { return std::make_unique<WidenedSign>(); }
std::unique_ptr<CodeChange> make_untruncated_change() { return std::make_unique<Untruncated>(); }
std::unique_ptr<CodeChange> make_unsigned_byte_change() { return std::make_unique<UnsignedByte>(); }
std::unique_ptr<CodeChange> make_reinterpret_change() {
    return std::make_unique<Reinterpretation>();
}

}  // namespace cugrade::emulator
