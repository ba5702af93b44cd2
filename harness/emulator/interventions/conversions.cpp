// Bytes read without their sign, and conversions between integers and floats that keep the bits.
#include <fmt/format.h>

#include "emulator/interventions/code.hpp"
#include "emulator/interventions/instruction_change.hpp"
#include "emulator/interventions/rewriter.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Type;

/// `ld.s8` and `cvt.s32.s8` take a byte's highest bit for its sign.
class UnsignedByte final : public InstructionChange {
public:
    InterventionKind kind() const override { return InterventionKind::unsigned_byte; }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Instruction& i = body_of(module, one.function)->instructions[one.instruction];
        i.modifiers[i.modifier_count - 1U] = type_of(i) == Type::s8 ? "u8" : "u16";
    }

protected:
    std::vector<Choice> choices(const Function& f, std::uint32_t n) const override {
        const Instruction& i = f.instructions[n];
        if (i.opcode != "ld" && i.opcode != "cvt") return {};
        const Type type = type_of(i);
        if (type != Type::s8 && type != Type::s16) return {};
        const int width = bits(type);
        return {{width, fmt::format("numbers of {} bits without a sign", width), n}};
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

}  // namespace

std::unique_ptr<CodeChange> make_unsigned_byte_change() { return std::make_unique<UnsignedByte>(); }
std::unique_ptr<CodeChange> make_reinterpret_change() {
    return std::make_unique<Reinterpretation>();
}

}  // namespace cugrade::emulator
