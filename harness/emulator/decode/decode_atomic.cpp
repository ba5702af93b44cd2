// Emission of atomics: atom and red.
#include "emulator/decode/decoder.hpp"
#include "emulator/decode/opcodes.hpp"

namespace cugrade::emulator {

using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

namespace {

/// How an atomic without a result, or with an unread one, uses memory.
Use use_of_atomic(std::string_view operation, Type type) {
    if (ptx::is_float(type) || (ptx::bits(type) != 32 && ptx::bits(type) != 64))
        return Use::ordered;
    const bool wide = ptx::bits(type) == 64, is_signed = ptx::is_signed(type);
    if (operation == "add") return wide ? Use::add8 : Use::add4;
    if (operation == "and") return wide ? Use::and8 : Use::and4;
    if (operation == "or") return wide ? Use::or8 : Use::or4;
    if (operation == "xor") return wide ? Use::xor8 : Use::xor4;
    if (operation == "min") {
        if (is_signed) return wide ? Use::min_s8 : Use::min_s4;
        return wide ? Use::min_u8 : Use::min_u4;
    }
    if (operation == "max") {
        if (is_signed) return wide ? Use::max_s8 : Use::max_s4;
        return wide ? Use::max_u8 : Use::max_u4;
    }
    return Use::ordered;
}

}  // namespace

bool FunctionDecoder::decode_atomic(const ptx::Instruction& i) {
    if (i.modifier_count < 2) return false;
    const auto type = type_named(i.modifiers[i.modifier_count - 1u]);
    if (!type) return false;
    std::string_view operation;
    std::uint32_t count = 1;
    for (std::size_t n = 0; n + 1 < i.modifier_count; ++n) {
        const std::string_view m = i.modifiers[n];
        if (m == "v2" || m == "v4" || m == "v8") {
            count = static_cast<std::uint32_t>(m[1] - '0');
            continue;
        }
        if (is_memory_hint(m)) continue;
        if (!operation.empty()) return false;
        operation = m;
    }
    const bool has_result = opcode_of(i).memory == MemoryUse::changes, is_cas = operation == "cas";
    const std::size_t first = has_result ? 1 : 0;
    const std::size_t operands = first + (is_cas ? 3 : 2) + (i.has("L2::cache_hint") ? 1 : 0);
    if (i.operand_count != operands || operand(i, first).kind != OperandKind::address) return false;
    const Space space = space_of(i);
    const ptx::Operand& address = operand(i, first);
    Ins ins;
    ins.space = static_cast<std::uint8_t>(space);
    ins.range = program_.range_count++;
    ins.imm = address.offset;
    ins.sync = 1;
    ins.use = Use::ordered;
    const Ref at = address_row(address, space == Space::shared ? 4 : 8);
    set_a(ins, at);
    ins.touch = at.bytes == 8 ? Touch::rows8 : Touch::rows4;
    const Handler handler =
        atomic_handler(operation, *type, space == Space::shared, static_cast<int>(at.bytes));
    if (handler == nullptr) return false;
    // PTX ISA: only add, min and max have vectors.
    if (count > 1 && (*type == Type::b128 || is_cas)) return false;
    if (*type == Type::b128) return decode_atomic_wide(i, handler, ins, is_cas);
    const Use unread = use_of_atomic(operation, *type);
    if (count > 1) return decode_atomic_vector(i, handler, ins, *type, count, unread);
    const std::uint32_t bytes = row_bytes(*type);
    set_b(ins, read(operand(i, first + 1), bytes, *type));
    if (is_cas) set_c(ins, read(operand(i, first + 2), bytes, *type));
    if (has_result && !is_dead(operand(i, 0))) ins.d = write(operand(i, 0), bytes);
    if (ins.d == no_row) ins.use = unread;
    emit(handler, Keep::self, ins);
    return true;
}

bool FunctionDecoder::decode_atomic_wide(const ptx::Instruction& i, Handler handler, Ins ins,
                                         bool is_cas) {
    const bool has_result = opcode_of(i).memory == MemoryUse::changes;
    const std::size_t first = has_result ? 1 : 0;
    if (has_result && !is_dead(operand(i, 0))) {
        const auto result = halves_of(operand(i, 0));
        if (!result) return false;
        ins.d = (*result)[0].offset;
    }
    const auto b = halves_of(operand(i, first + 1));
    const auto c = halves_of(operand(i, is_cas ? first + 2 : first + 1));
    if (!b || !c) return false;
    set_b(ins, (*b)[0]);
    set_c(ins, (*c)[0]);
    emit(handler, Keep::self, ins);
    return true;
}

/// The elements of a vector of atomics run one after the other. Copies each operand that the result
/// of an earlier element would overwrite before it is read.
void FunctionDecoder::keep_from_results(const ptx::Operand& results, std::vector<Ref>& values) {
    const std::size_t count = values.size();
    for (std::size_t n = 1; n < count; ++n) {
        const auto overwrites = [&](std::size_t earlier) {
            const ptx::Operand& to = source_.operands[results.first + earlier];
            return to.kind == OperandKind::reg && values[n].base == in_frame &&
                   registers_.offset[static_cast<std::size_t>(to.reg)] == values[n].offset;
        };
        bool is_overwritten = false;
        for (std::size_t k = 0; k < n; ++k) is_overwritten = is_overwritten || overwrites(k);
        if (!is_overwritten) continue;
        const Ref kept = temporary(values[n].bytes);
        Ins copy;
        copy.d = kept.offset;
        set_a(copy, values[n]);
        const bool is_wide = kept.bytes == 8;
        emit(is_wide ? op::copy8 : op::copy4, is_wide ? Keep::row8 : Keep::row4, copy);
        values[n] = kept;
    }
}

/// Only each element is atomic, not the vector, so the elements run one after the other.
bool FunctionDecoder::decode_atomic_vector(const ptx::Instruction& i, Handler handler,
                                           const Ins& ins, Type type, std::uint32_t count,
                                           Use unread) {
    const bool has_result = opcode_of(i).memory == MemoryUse::changes;
    const ptx::Operand& values = operand(i, has_result ? 2 : 1);
    if (values.kind != OperandKind::vector || values.count != count) return false;
    if (has_result && (operand(i, 0).kind != OperandKind::vector || operand(i, 0).count != count))
        return false;
    const std::uint32_t bytes = row_bytes(type);
    std::vector<Ref> value(count);
    for (std::uint32_t n = 0; n < count; ++n)
        value[n] = read(source_.operands[values.first + n], bytes, type);
    if (has_result) keep_from_results(operand(i, 0), value);
    for (std::uint32_t n = 0; n < count; ++n) {
        Ins one = ins;
        one.range = program_.range_count++;
        one.imm += n * (static_cast<std::uint32_t>(ptx::bits(type)) / 8);
        set_b(one, value[n]);
        one.use = has_result ? Use::ordered : unread;
        if (has_result) {
            const ptx::Operand& to = source_.operands[operand(i, 0).first + n];
            if (!is_dead(to)) one.d = write(to, bytes);
        }
        emit(handler, Keep::self, one);
    }
    return true;
}

}  // namespace cugrade::emulator
