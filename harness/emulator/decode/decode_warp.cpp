// Emission of warp-level instructions.
#include <algorithm>

#include "emulator/decode/decoder.hpp"

namespace cugrade::emulator {

using ptx::OperandKind;
using ptx::Type;

/// The list of a warp-level instruction: its member mask, then the destination predicate of a d|p
/// form.
std::uint32_t FunctionDecoder::member_list(const ptx::Instruction& i, std::size_t mask) {
    Ref p{no_row, in_frame, 4};
    if (i.paired && operand(i, 1).kind == OperandKind::reg)
        p.offset = write_predicate(operand(i, 1));
    return list({read(operand(i, mask), 4), p});
}

bool FunctionDecoder::decode_activemask(const ptx::Instruction& i) {
    Ins ins;
    ins.d = write(operand(i, 0), 4);
    emit(op::activemask, Keep::self, ins);
    return true;
}

bool FunctionDecoder::decode_elect(const ptx::Instruction& i) {
    const std::size_t first = i.paired ? 2 : 1;
    Ins ins;
    ins.target = member_list(i, first);
    if (!is_dead(operand(i, 0))) ins.d = write(operand(i, 0), 4);
    emit(op::elect, Keep::self, ins);
    return true;
}

bool FunctionDecoder::decode_shfl(const ptx::Instruction& i) {
    const std::size_t first = i.paired ? 2 : 1;
    Ins ins;
    static constexpr std::string_view modes[] = {"up", "down", "bfly", "idx"};
    const auto mode =
        std::find_if(std::begin(modes), std::end(modes), [&](auto m) { return i.has(m); });
    if (mode == std::end(modes) || !i.has("sync") || i.operand_count != first + 4) return false;
    ins.aux = static_cast<std::uint32_t>(mode - std::begin(modes));
    set_a(ins, read(operand(i, first), 4));
    set_b(ins, read(operand(i, first + 1), 4));
    set_c(ins, read(operand(i, first + 2), 4));
    ins.target = member_list(i, first + 3);
    if (!is_dead(operand(i, 0))) ins.d = write(operand(i, 0), 4);
    emit(op::shfl, Keep::self, ins);
    return true;
}

bool FunctionDecoder::decode_vote(const ptx::Instruction& i) {
    Ins ins;
    static constexpr std::string_view modes[] = {"all", "any", "uni", "ballot"};
    const auto mode =
        std::find_if(std::begin(modes), std::end(modes), [&](auto m) { return i.has(m); });
    if (mode == std::end(modes) || !i.has("sync") || i.operand_count != 3) return false;
    ins.aux = static_cast<std::uint32_t>(mode - std::begin(modes));
    ins.c = read_predicate(operand(i, 1));
    ins.negated = operand(i, 1).negated;
    ins.target = member_list(i, 2);
    ins.d = ins.aux == 3 ? write(operand(i, 0), 4) : write_predicate(operand(i, 0));
    emit(op::vote, Keep::self, ins);
    return true;
}

bool FunctionDecoder::decode_match(const ptx::Instruction& i) {
    const std::size_t first = i.paired ? 2 : 1;
    Ins ins;
    if (!i.has("sync") || i.operand_count != first + 2) return false;
    ins.aux = i.has("all") ? 1 : 0;
    ins.bytes = i.has("b64") ? 8 : 4;
    set_a(ins, read(operand(i, first), ins.bytes));
    ins.target = member_list(i, first + 1);
    if (!is_dead(operand(i, 0))) ins.d = write(operand(i, 0), 4);
    emit(op::match, Keep::self, ins);
    return true;
}

bool FunctionDecoder::decode_redux(const ptx::Instruction& i) {
    Ins ins;
    if (!i.has("sync") || i.operand_count != 3) return false;
    if (i.has("f32")) {
        if (!i.has("min") && !i.has("max")) return false;
        ins.aux =
            8u + (i.has("max") ? 1u : 0u) + (i.has("abs") ? 2u : 0u) + (i.has("NaN") ? 4u : 0u);
        set_a(ins, read(operand(i, 1), 4, Type::f32));
        ins.target = member_list(i, 2);
        ins.d = write(operand(i, 0), 4);
        emit(op::redux, Keep::self, ins);
        return true;
    }
    const bool is_signed = i.has("s32");
    ins.aux = i.has("add")   ? 0
              : i.has("and") ? 1
              : i.has("or")  ? 2
              : i.has("xor") ? 3
              : i.has("min") ? (is_signed ? 6 : 4)
                             : (is_signed ? 7 : 5);
    set_a(ins, read(operand(i, 1), 4));
    ins.target = member_list(i, 2);
    ins.d = write(operand(i, 0), 4);
    emit(op::redux, Keep::self, ins);
    return true;
}

/// mma of bytes: mma.sync.aligned.SHAPE.row.col.s32.A.B.s32 d, a, b, c.
bool FunctionDecoder::decode_mma(const ptx::Instruction& i) {
    static constexpr std::string_view shapes[] = {"m8n8k16", "m16n8k16", "", "m16n8k32"};
    const auto shape =
        std::find_if(std::begin(shapes), std::end(shapes), [&](auto s) { return i.has(s); });
    const auto word = [&](std::size_t n) { return i.modifiers[n]; };
    const auto is_byte = [](std::string_view type) { return type == "u8" || type == "s8"; };
    // sync aligned shape row col, and four types
    if (shape == std::end(shapes) || i.modifier_count != 9 || i.operand_count != 4 ||
        !i.has("sync") || word(3) != "row" || word(4) != "col" || word(5) != "s32" ||
        !is_byte(word(6)) || !is_byte(word(7)) || word(8) != "s32")
        return false;
    Ins ins;
    ins.aux = static_cast<std::uint32_t>(shape - std::begin(shapes)) | (word(6) == "s8" ? 4u : 0u) |
              (word(7) == "s8" ? 8u : 0u);
    const std::uint32_t rows = 1 + (ins.aux & 1), columns = 1 + (ins.aux >> 1 & 1);
    const std::uint32_t sizes[] = {2 * rows, rows * columns, columns, 2 * rows};
    std::vector<Ref> refs{module_.constant(0xFFFFFFFF, 4)}, to;
    for (const std::size_t n : {1, 2, 3, 0}) {
        const ptx::Operand& o = operand(i, n);
        const bool is_vector = o.kind == OperandKind::vector;
        if ((is_vector ? o.count : 1) != sizes[n]) return false;
        for (std::uint32_t k = 0; k < sizes[n]; ++k) {
            const ptx::Operand& element = is_vector ? source_.operands[o.first + k] : o;
            if (n != 0)
                refs.push_back(read(element, 4));
            else
                to.push_back({is_dead(element) ? no_row : write(element, 4), in_frame, 4});
        }
    }
    refs.insert(refs.begin() + 1, to.begin(), to.end());
    ins.target = list(refs);
    emit(op::mma, Keep::self, ins);
    return true;
}

}  // namespace cugrade::emulator
