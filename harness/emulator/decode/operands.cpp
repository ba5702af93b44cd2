// Operands: the row that each is read from or written to, and the conversions between widths.
#include <bit>

#include "emulator/decode/decoder.hpp"

namespace cugrade::emulator {

using ptx::OperandKind;
using ptx::Space;
using ptx::SymbolKind;
using ptx::Type;

void FunctionDecoder::set_a(Ins& i, const Ref& r) {
    i.a = r.offset;
    i.ka = r.base;
}
void FunctionDecoder::set_b(Ins& i, const Ref& r) {
    i.b = r.offset;
    i.kb = r.base;
}
void FunctionDecoder::set_c(Ins& i, const Ref& r) {
    i.c = r.offset;
    i.kc = r.base;
}

bool FunctionDecoder::is_dead(const ptx::Operand& o) const {
    return o.kind == OperandKind::sink ||
           (o.kind == OperandKind::reg && !used_[static_cast<std::size_t>(o.reg)]);
}

std::uint32_t FunctionDecoder::bytes_of(const ptx::Operand& o) const {
    return o.kind == OperandKind::reg
               ? row_bytes(source_.registers[static_cast<std::size_t>(o.reg)].type)
               : 4;
}

FunctionDecoder::Ref FunctionDecoder::temporary(std::uint32_t bytes) {
    std::uint32_t& used = bytes == 8 ? temps8_used_ : temps4_used_;
    const std::uint32_t n = used++ % temporaries;
    return {(bytes == 8 ? temp8_ : temp4_) + n * lanes * bytes, in_frame,
            static_cast<std::uint8_t>(bytes)};
}

std::uint32_t FunctionDecoder::list(const std::vector<Ref>& refs) {
    const auto at = static_cast<std::uint32_t>(program_.lists.size());
    program_.lists.insert(program_.lists.end(), refs.begin(), refs.end());
    return at;
}

/// The row to read an operand from, `bytes` a lane; 0: the operand's own width. `type` says how to
/// read a floating-point literal.
FunctionDecoder::Ref FunctionDecoder::read(const ptx::Operand& o, std::uint32_t bytes, Type type) {
    Ref ref;
    switch (o.kind) {
        case OperandKind::immediate: {
            std::uint64_t bits = o.bits;
            const std::uint32_t wide = bytes == 0 ? 8 : bytes;
            if (o.is_float_literal && wide == 8 && o.float_bits == 32)
                bits = std::bit_cast<std::uint64_t>(
                    static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
            else if (o.is_float_literal && wide == 4 && o.float_bits == 64 && type == Type::f32)
                bits =
                    std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
            return module_.constant(bits, wide);
        }
        case OperandKind::special:
            if (const auto row = module_.special_row(o.name)) {
                ref = *row;
            } else {
                const bool wide = o.name == "%clock64" || o.name == "%globaltimer";
                ref = temporary(wide ? 8 : 4);
                Ins ins;
                ins.d = ref.offset;
                const bool known = wide || o.name == "%clock" || o.name == "%globaltimer_lo";
                if (known)
                    emit(wide ? op::clock8 : op::clock4, Keep::self, ins);
                else
                    reject(o.name);
            }
            break;
        case OperandKind::symbol:
            if (const auto row = symbol_row(o, bytes == 0 ? 8 : bytes)) {
                ref = *row;
            } else {
                ref = temporary(8);
                Ins ins;
                ins.d = ref.offset;
                if (o.symbol_kind == SymbolKind::variable &&
                    source_.variables[static_cast<std::size_t>(o.symbol)].space == Space::local) {
                    ins.imm = static_cast<std::int64_t>(
                                  variable_offsets_[static_cast<std::size_t>(o.symbol)]) +
                              o.offset;
                    emit(op::local_address, Keep::row8, ins);
                } else {
                    reject(o.name);
                }
            }
            break;
        case OperandKind::reg: {
            malformed_ |= is_predicate(o);
            const Alias& alias = resolved(o.reg);
            if (alias.kind == Alias::Kind::row) {
                ref = alias.row;
            } else {
                const std::int32_t reg = alias.kind == Alias::Kind::reg ? alias.reg : o.reg;
                ref = {registers_.offset[static_cast<std::size_t>(reg)], in_frame,
                       static_cast<std::uint8_t>(
                           row_bytes(source_.registers[static_cast<std::size_t>(reg)].type))};
            }
            break;
        }
        default:  // a vector, a label or nothing in place of a value
            malformed_ |= o.kind != OperandKind::sink;
            ref = module_.constant(0, bytes == 8 ? 8 : 4);
            break;
    }
    if (bytes == 0 || ref.bytes == bytes) return ref;
    const Ref other = temporary(bytes);
    Ins ins;
    ins.d = other.offset;
    set_a(ins, ref);
    emit(bytes == 4 ? op::narrow : op::widen, bytes == 4 ? Keep::row4 : Keep::row8, ins);
    return other;
}

/// The row for a result of `bytes` a lane. If the register is wider or narrower, the row is a
/// temporary, and flush_writes converts it.
std::uint32_t FunctionDecoder::write(const ptx::Operand& o, std::uint32_t bytes) {
    malformed_ |= is_predicate(o) || (o.kind != OperandKind::reg && o.kind != OperandKind::sink);
    if (o.kind != OperandKind::reg || is_dead(o) ||
        registers_.offset[static_cast<std::size_t>(o.reg)] == no_row)
        return temporary(bytes).offset;
    const std::uint32_t offset = registers_.offset[static_cast<std::size_t>(o.reg)];
    const std::uint32_t actual = bytes_of(o);
    if (actual == bytes) return offset;
    const Ref other = temporary(bytes);
    Ins ins;
    ins.d = offset;
    set_a(ins, other);
    ins.op = actual == 4 ? op::narrow : op::widen;
    after_.push_back(ins);
    return other.offset;
}

void FunctionDecoder::flush_writes() {
    for (const Ins& ins : after_) emit(ins.op, ins.op == op::narrow ? Keep::row4 : Keep::row8, ins);
    after_.clear();
}

/// Offset of the predicate that an operand names. A constant is put into the scratch word.
std::uint32_t FunctionDecoder::read_predicate(const ptx::Operand& o) {
    if (is_predicate(o)) return registers_.offset[static_cast<std::size_t>(o.reg)];
    malformed_ |= o.kind != OperandKind::immediate;
    Ins ins;
    ins.d = scratch_predicate_;
    ins.imm = o.kind == OperandKind::immediate && o.bits != 0 ? 1 : 0;
    emit(op::set_predicate, Keep::self, ins);
    return scratch_predicate_;
}

std::uint32_t FunctionDecoder::write_predicate(const ptx::Operand& o) {
    malformed_ |= !is_predicate(o) && o.kind != OperandKind::sink;
    return is_predicate(o) ? registers_.offset[static_cast<std::size_t>(o.reg)]
                           : scratch_predicate_;
}

}  // namespace cugrade::emulator
