// Emission of cvt.
#include <tuple>

#include "emulator/decode/decoder.hpp"

namespace cugrade::emulator {

using ptx::Type;

bool FunctionDecoder::decode_cvt(const ptx::Instruction& i) {
    if (i.modifier_count < 2) return false;
    if (i.has("pack")) return decode_cvt_pack(i);
    const auto to = type_named(i.modifiers[i.modifier_count - 2u]);
    const auto from = type_named(i.modifiers[i.modifier_count - 1u]);
    std::uint32_t flags = 0;
    for (std::size_t n = 0; n + 2 < i.modifier_count; ++n) {
        const auto flag = float_flag(i.modifiers[n]);
        if (!flag) return false;
        flags |= *flag;
    }
    Ins ins;
    if (!to || !from) {
        // tf32 and the 8-bit floats have no registers of their own.
        const std::string_view to_name = i.modifiers[i.modifier_count - 2u];
        const std::string_view from_name = i.modifiers[i.modifier_count - 1u];
        const Handler handler = to_name == "tf32" && from_name == "f32"
                                    ? op::tf32
                                    : byte_float_handler(to_name, from_name);
        const bool is_pair = from_name == "f32" && to_name != "tf32";
        if (handler == nullptr || i.operand_count != (is_pair ? 3 : 2)) return false;
        set_a(ins, read(operand(i, 1), 4, Type::f32));
        if (is_pair) set_b(ins, read(operand(i, 2), 4, Type::f32));
        ins.aux = flags;
        ins.d = write(operand(i, 0), 4);
        emit(handler, Keep::row4, ins);
        return true;
    }
    if (*to == Type::f16x2 || *to == Type::bf16x2) {
        // cvt d, a, b packs two conversions, a in the upper half.
        if (i.operand_count != 3 || *from != Type::f32) return false;
        const Handler half =
            convert_handler(*to == Type::f16x2 ? Type::f16 : Type::bf16, *from, false);
        std::vector<Ref> halves;
        for (std::size_t n : {2, 1}) {
            Ins one;
            set_a(one, read(operand(i, n), 4, Type::f32));
            const Ref part = temporary(4);
            one.d = part.offset;
            one.aux = flags;
            emit(half, Keep::row4, one);
            halves.push_back(part);
        }
        ins.target = list(halves);
        ins.aux = 16;
        ins.imm = 2;
        ins.d = write(operand(i, 0), 4);
        emit(op::pack4, Keep::row4, ins);
        return true;
    }
    if (i.operand_count != 2) return false;
    const bool plain = flags == 0 && (ptx::is_float(*to) || !ptx::is_float(*from));
    const Handler handler = convert_handler(*to, *from, plain);
    if (handler == nullptr) return false;
    set_a(ins, read(operand(i, 1), row_bytes(*from), *from));
    ins.aux = flags;
    const std::uint32_t bytes = row_bytes(*to);
    // A narrow signed result is extended over a register of 64 bits, too.
    if (ptx::is_signed(*to) && bytes == 4 && bytes_of(operand(i, 0)) == 8 &&
        !is_dead(operand(i, 0))) {
        const Ref part = temporary(4);
        ins.d = part.offset;
        emit(handler, Keep::row4, ins);
        Ins extend;
        set_a(extend, part);
        extend.d = write(operand(i, 0), 8);
        emit(convert_handler(Type::s64, Type::s32, true), Keep::row8, extend);
        return true;
    }
    ins.d = write(operand(i, 0), bytes);
    emit(handler, bytes == 8 ? Keep::row8 : Keep::row4, ins);
    return true;
}

/// cvt.pack.sat.type.s32[.b32] d, a, b[, c].
bool FunctionDecoder::decode_cvt_pack(const ptx::Instruction& i) {
    static constexpr std::tuple<std::string_view, std::uint32_t, bool> types[] = {
        {"u16", 16, false}, {"s16", 16, true}, {"u8", 8, false}, {"s8", 8, true},
        {"u4", 4, false},   {"s4", 4, true},   {"u2", 2, false}, {"s2", 2, true}};
    if (i.modifier_count < 4 || i.modifiers[1] != "sat" || i.modifiers[3] != "s32") return false;
    for (const auto& [name, bits, is_signed] : types) {
        if (name != i.modifiers[2]) continue;
        if (i.operand_count != (i.modifier_count == 5 ? 4 : 3)) return false;
        Ins ins;
        set_a(ins, read(operand(i, 1), 4));
        set_b(ins, read(operand(i, 2), 4));
        if (i.operand_count == 4) set_c(ins, read(operand(i, 3), 4));
        ins.aux = bits;
        ins.imm = is_signed ? 1 : 0;
        ins.d = write(operand(i, 0), 4);
        emit(op::pack_clamped, Keep::row4, ins);
        return true;
    }
    return false;
}

}  // namespace cugrade::emulator
