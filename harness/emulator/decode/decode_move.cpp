// Emission of moves: mov, cvta, isspacep, createpolicy.
#include "emulator/decode/decoder.hpp"

namespace cugrade::emulator {

using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

bool FunctionDecoder::decode_mov(const ptx::Instruction& i) {
    if (i.operand_count != 2 || i.modifier_count != 1) return false;
    const auto type = type_named(i.modifiers[0]);
    if (!type) return false;
    const ptx::Operand& to = operand(i, 0);
    const ptx::Operand& from = operand(i, 1);
    if (*type == Type::b128) return decode_mov_wide(to, from);
    if (*type == Type::pred) {
        Ins ins;
        ins.a = read_predicate(from);
        ins.negated = from.kind == OperandKind::reg && from.negated;
        ins.d = write_predicate(to);
        emit(op::copy_predicate, Keep::self, ins);
        return true;
    }
    const std::uint32_t bytes = row_bytes(*type);
    const Keep keep = bytes == 8 ? Keep::row8 : Keep::row4;
    Ins ins;
    // One side may be a vector of two or four elements of whole bytes.
    for (const ptx::Operand* o : {&to, &from})
        if (o->kind == OperandKind::vector &&
            ((o->count != 2 && o->count != 4) || ptx::bits(*type) < 8 * static_cast<int>(o->count)))
            return false;
    if (from.kind == OperandKind::vector && to.kind == OperandKind::vector) return false;
    if (from.kind == OperandKind::vector) {
        std::vector<Ref> elements;
        for (std::uint32_t n = 0; n < from.count; ++n)
            elements.push_back(read(source_.operands[from.first + n], 4));
        ins.target = list(elements);
        ins.aux = static_cast<std::uint32_t>(ptx::bits(*type)) / from.count;
        ins.imm = from.count;
        ins.d = write(to, bytes);
        emit(bytes == 8 ? op::pack8 : op::pack4, keep, ins);
        return true;
    }
    if (to.kind == OperandKind::vector) {
        const Ref whole = read(from, bytes);
        const std::uint32_t width = static_cast<std::uint32_t>(ptx::bits(*type)) / to.count;
        for (std::uint32_t n = 0; n < to.count; ++n) {
            const ptx::Operand& element = source_.operands[to.first + n];
            if (is_dead(element)) continue;
            Ins part;
            set_a(part, whole);
            part.imm = n * width;
            part.aux = width;
            part.d = write(element, 4);
            emit(bytes == 8 ? op::extract4 : op::extract2, Keep::row4, part);
        }
        return true;
    }
    set_a(ins, read(from, bytes, *type));
    ins.d = write(to, bytes);
    emit(bytes == 8 ? op::copy8 : op::copy4, keep, ins);
    return true;
}

/// mov.b128 d, {a, b}; mov.b128 {d, e}, a; mov.b128 d, a.
bool FunctionDecoder::decode_mov_wide(const ptx::Operand& to, const ptx::Operand& from) {
    const bool packs = from.kind == OperandKind::vector, unpacks = to.kind == OperandKind::vector;
    if ((packs && from.count != 2) || (unpacks && to.count != 2) || (packs && unpacks))
        return false;
    if (!unpacks && is_dead(to)) return true;
    const auto source = halves_of(from), target = halves_of(to);
    if ((!packs && !source) || (!unpacks && !target)) return false;
    for (std::uint32_t n = 0; n < 2; ++n) {
        Ins ins;
        set_a(ins, packs ? read(source_.operands[from.first + n], 8) : (*source)[n]);
        if (unpacks) {
            const ptx::Operand& part = source_.operands[to.first + n];
            if (is_dead(part)) continue;
            ins.d = write(part, 8);
        } else {
            ins.d = (*target)[n].offset;
        }
        emit(op::copy8, Keep::row8, ins);
    }
    return true;
}

std::optional<std::uint64_t> window_of_cvta(const ptx::Instruction& i) {
    if (i.has("global") || i.has("const")) return 0;
    if (i.has("shared") || i.has("shared::cta")) return shared_window;
    if (i.has("local")) return local_window;
    if (i.has("param")) return param_window;
    return std::nullopt;
}

bool FunctionDecoder::decode_cvta(const ptx::Instruction& i) {
    if (i.operand_count != 2) return false;
    const auto window = window_of_cvta(i);
    if (!window) return false;
    Ins ins;
    set_a(ins, read(operand(i, 1), 8));
    ins.imm = static_cast<std::int64_t>(i.has("to") ? 0 - *window : *window);
    ins.d = write(operand(i, 0), 8);
    emit(op::add_imm8, Keep::row8, ins);
    return true;
}

bool FunctionDecoder::decode_isspacep(const ptx::Instruction& i) {
    static constexpr std::pair<std::string_view, Space> spaces[] = {
        {"global", Space::global},      {"shared", Space::shared},
        {"shared::cta", Space::shared}, {"local", Space::local},
        {"const", Space::constant},     {"param", Space::param},
        {"param::entry", Space::param}, {"shared::cluster", Space::shared}};
    for (const auto& [name, space] : spaces)
        if (i.has(name)) {
            Ins ins;
            set_a(ins, read(operand(i, 1), 8));
            ins.d = write_predicate(operand(i, 0));
            ins.aux = static_cast<std::uint32_t>(space);
            emit(op::isspacep, Keep::self, ins);
            return true;
        }
    return false;
}

/// Cache policies change nothing here.
bool FunctionDecoder::decode_createpolicy(const ptx::Instruction& i) {
    if (i.operand_count == 0) return false;
    Ins ins;
    set_a(ins, module_.constant(0, 8));
    ins.d = write(operand(i, 0), 8);
    emit(op::copy8, Keep::row8, ins);
    return true;
}

}  // namespace cugrade::emulator
