// Emission of comparisons: setp, set, and lop3 with the test of its result.
#include <algorithm>

#include "emulator/decode/decoder.hpp"

namespace cugrade::emulator {

using ptx::OperandKind;
using ptx::Type;

/// lop3.and and lop3.or d|p, a, b, c, table, q: p is (d != 0) combined with q.
bool FunctionDecoder::decode_lop3(const ptx::Instruction& i) {
    if (!i.paired) return decode_table(i);
    if (i.operand_count != 7 || operand(i, 5).kind != OperandKind::immediate) return false;
    Ins ins;
    set_a(ins, read(operand(i, 2), 4));
    set_b(ins, read(operand(i, 3), 4));
    set_c(ins, read(operand(i, 4), 4));
    ins.imm = static_cast<std::int64_t>(operand(i, 5).bits);
    const Ref result{write(operand(i, 0), 4), in_frame, 4};
    ins.d = result.offset;
    emit(form_named("lop3.b32")->fast, Keep::row4, ins);
    Ins test;
    set_a(test, result);
    set_b(test, module_.constant(0, 4));
    test.aux = i.has("and") ? 1 : 2;
    test.c = read_predicate(operand(i, 6));
    test.negated = operand(i, 6).negated;
    test.d = write_predicate(operand(i, 1));
    emit(compare_handler(Compare::ne, Type::u32, false), Keep::self, test);
    return true;
}

/// setp.cmp[.bool][.ftz].type p[|q], a, b[, c] and set.cmp[.bool][.ftz].to.type d, a, b[, c].
bool FunctionDecoder::decode_compare(const ptx::Instruction& i) {
    const bool is_set = i.opcode == "set";
    if (i.modifier_count < 2) return false;
    static constexpr std::pair<std::string_view, Compare> names[] = {
        {"eq", Compare::eq},   {"ne", Compare::ne},   {"lt", Compare::lt},   {"le", Compare::le},
        {"gt", Compare::gt},   {"ge", Compare::ge},   {"lo", Compare::lt},   {"ls", Compare::le},
        {"hi", Compare::gt},   {"hs", Compare::ge},   {"equ", Compare::equ}, {"neu", Compare::neu},
        {"ltu", Compare::ltu}, {"leu", Compare::leu}, {"gtu", Compare::gtu}, {"geu", Compare::geu},
        {"num", Compare::num}, {"nan", Compare::nan}};
    const auto name = std::find_if(std::begin(names), std::end(names),
                                   [&](const auto& n) { return n.first == i.modifiers[0]; });
    const auto type = type_named(i.modifiers[i.modifier_count - 1u]);
    if (name == std::end(names) || !type) return false;
    const Handler handler = compare_handler(name->second, *type, is_set);
    if (handler == nullptr) return false;
    Ins ins;
    const std::size_t types = is_set ? 2 : 1;
    for (std::size_t n = 1; n + types < i.modifier_count; ++n) {
        const std::string_view m = i.modifiers[n];
        if (m == "and")
            ins.aux |= 1;
        else if (m == "or")
            ins.aux |= 2;
        else if (m == "xor")
            ins.aux |= 3;
        else if (m == "ftz")
            ins.aux |= 4;
        else
            return false;
    }
    const std::size_t first = i.paired ? 2 : 1;
    const std::size_t wanted = first + ((ins.aux & 3) != 0 ? 3 : 2);
    if (i.operand_count != wanted) return false;
    const std::uint32_t bytes = row_bytes(*type);
    set_a(ins, read(operand(i, first), bytes, *type));
    set_b(ins, read(operand(i, first + 1), bytes, *type));
    if ((ins.aux & 3) != 0) {
        ins.c = read_predicate(operand(i, first + 2));
        ins.negated = operand(i, first + 2).negated;
    } else {
        ins.c = 0;  // any word: `combined` reads it and drops it
    }
    if (is_set) {
        const auto to = type_named(i.modifiers[i.modifier_count - 2u]);
        if (!to || i.paired) return false;
        const bool pair = *type == Type::f16x2 || *type == Type::bf16x2;
        // The value that a lane, or a half of a pair, gets if the comparison holds.
        switch (*to) {
            case Type::u32:
            case Type::s32: ins.imm = pair ? 0xFFFF : 0xFFFFFFFF; break;
            case Type::u16:
            case Type::s16: ins.imm = 0xFFFF; break;
            case Type::f32: ins.imm = 0x3F800000; break;
            case Type::f16:
            case Type::f16x2: ins.imm = 0x3C00; break;
            case Type::bf16:
            case Type::bf16x2: ins.imm = 0x3F80; break;
            default: return false;
        }
        ins.d = write(operand(i, 0), 4);
        emit(handler, Keep::row4, ins);
        return true;
    }
    ins.d = write_predicate(operand(i, 0));
    if (i.paired) {
        ins.aux |= 32;
        ins.target = write_predicate(operand(i, 1));
    }
    emit(handler, Keep::self, ins);
    return true;
}

}  // namespace cugrade::emulator
