// Emission of loads and stores, cp.async and fences.
#include <algorithm>

#include "emulator/decode/decoder.hpp"
#include "emulator/decode/opcodes.hpp"

namespace cugrade::emulator {

using ptx::OperandKind;
using ptx::Space;
using ptx::SymbolKind;
using ptx::Type;

Space space_of(const ptx::Instruction& i) {
    static constexpr std::pair<std::string_view, Space> names[] = {
        {"global", Space::global},      {"shared", Space::shared},
        {"shared::cta", Space::shared}, {"local", Space::local},
        {"const", Space::constant},     {"param", Space::param},
        {"param::entry", Space::param}, {"param::func", Space::param}};
    for (std::size_t n = 0; n < i.modifier_count; ++n)
        for (const auto& [name, space] : names)
            if (i.modifiers[n] == name) return space;
    return Space::generic;
}

bool is_memory_hint(std::string_view m) {
    return is_any_of(m,
                     {"global",       "shared",      "shared::cta", "local",   "const",    "param",
                      "param::entry", "param::func", "nc",          "ca",      "cg",       "cs",
                      "lu",           "cv",          "wb",          "wt",      "volatile", "weak",
                      "relaxed",      "acquire",     "release",     "acq_rel", "sc",       "mmio",
                      "cta",          "cluster",     "gpu",         "sys",     "noftz"}) ||
           m.starts_with("L1::") || m.starts_with("L2::");
}

std::optional<Area> FunctionDecoder::area_of(const ptx::Operand& o) const {
    const auto n = static_cast<std::size_t>(o.symbol);
    switch (o.symbol_kind) {
        case SymbolKind::variable: return variable_areas_[n];
        case SymbolKind::parameter:
            return source_.is_entry ? std::nullopt : std::optional(out_.params[n]);
        case SymbolKind::result:
            return n < out_.returns.size() ? std::optional(out_.returns[n]) : std::nullopt;
        default: return std::nullopt;
    }
}

/// ld.param and st.param of call sequences and of a device function's own parameters.
bool FunctionDecoder::decode_param(const ptx::Instruction&, bool is_load, Type type,
                                   const ptx::Operand& address, const ptx::Operand& value) {
    const auto area = area_of(address);
    if (!area || address.reg >= 0 || address.offset < 0) return false;
    const auto element = static_cast<std::uint32_t>(ptx::bits(type)) / 8;
    std::vector<const ptx::Operand*> elements{&value};
    if (value.kind == OperandKind::vector) {
        elements.clear();
        for (std::uint32_t n = 0; n < value.count; ++n)
            elements.push_back(&source_.operands[value.first + n]);
    }
    if (static_cast<std::uint64_t>(address.offset) + elements.size() * element > area->bytes)
        return false;
    Ins ins;
    ins.c = area->offset;
    ins.imm = address.offset;
    ins.range = area->bytes;
    ins.aux = 1;
    // One instruction per element: their registers may differ in width.
    for (const ptx::Operand* o : elements) {
        Handler handler = nullptr;
        if (is_load) {
            if (!is_dead(*o)) {
                const std::uint32_t bytes = std::max(bytes_of(*o), row_bytes(type));
                handler = param_load_handler(type, static_cast<int>(bytes));
                ins.target =
                    list({Ref{write(*o, bytes), in_frame, static_cast<std::uint8_t>(bytes)}});
            }
        } else {
            const Ref from = read(*o, row_bytes(type), type);
            handler = param_store_handler(static_cast<int>(element), from.bytes);
            ins.target = list({from});
        }
        if (handler != nullptr)
            emit(handler, Keep::self, ins);
        else if (!is_load || !is_dead(*o))
            return false;  // no register of this width holds the type
        ins.imm += element;
    }
    return true;
}

/// The row with the base of an address: a register, a symbol, or zero. `symbol_bytes`: the width of
/// a symbol's row.
FunctionDecoder::Ref FunctionDecoder::address_row(const ptx::Operand& address,
                                                  std::uint32_t symbol_bytes) {
    ptx::Operand base = address;
    base.bits = 0;
    base.offset = 0;
    if (address.reg >= 0) {
        base.kind = OperandKind::reg;
        return read(base, 0);
    }
    base.kind = address.name.empty() ? OperandKind::immediate : OperandKind::symbol;
    return read(base, symbol_bytes);
}

/// A load from a place that is known now: a variable of the module, at a fixed offset.
bool FunctionDecoder::decode_fixed_load(const ptx::Operand& address, Type type,
                                        const ptx::Operand& value, std::uint32_t bytes, Ins ins) {
    const auto space = static_cast<Space>(ins.space);
    if (!module_.optimise_ || address.reg >= 0 || ins.sync != 0 ||
        address.symbol_kind != SymbolKind::module ||
        (space != Space::constant && space != Space::global))
        return false;
    const auto symbol = program_.symbols.find(address.name);
    const auto offset = static_cast<std::uint64_t>(address.offset);
    if (symbol == program_.symbols.end() || offset % ins.bytes != 0 ||
        !Range{0, symbol->second.bytes}.holds(offset, ins.bytes))
        return false;
    ins.imm = reinterpret_cast<std::intptr_t>(module_.arena_.host(symbol->second.address + offset));
    ins.d = write(value, bytes);
    ins.touch = Touch::fixed;
    emit(static_load_handler(type, static_cast<int>(bytes)), Keep::self, ins);
    return true;
}

/// ld, ldu and st of up to 64 bits.
bool FunctionDecoder::decode_memory(const ptx::Instruction& i) {
    const bool is_load = opcode_of(i).memory == MemoryUse::loads;
    if (i.operand_count < 2 || i.modifier_count == 0) return false;
    const auto type = type_named(i.modifiers[i.modifier_count - 1u]);
    if (!type || ptx::bits(*type) < 8) return false;
    if (*type == Type::b128) return decode_wide(i, is_load);
    std::uint32_t count = 1;
    for (std::size_t n = 0; n + 1 < i.modifier_count; ++n) {
        const std::string_view m = i.modifiers[n];
        if (m == "v2" || m == "v4" || m == "v8")
            count = static_cast<std::uint32_t>(m[1] - '0');
        else if (!is_memory_hint(m))
            return false;
    }
    const ptx::Operand& address = operand(i, is_load ? 1 : 0);
    const ptx::Operand& value = operand(i, is_load ? 0 : 1);
    if (address.kind != OperandKind::address) return false;
    if ((value.kind == OperandKind::vector ? value.count : 1) != count) return false;
    const Space space = space_of(i);
    const bool own_area = address.reg < 0 && address.symbol >= 0 && space == Space::param &&
                          !(source_.is_entry && address.symbol_kind == SymbolKind::parameter);
    if (own_area) return decode_param(i, is_load, *type, address, value);

    Ins ins;
    ins.space = static_cast<std::uint8_t>(space);
    ins.bytes = static_cast<std::uint8_t>(ptx::bits(*type) / 8);
    ins.aux = count;
    ins.imm = address.offset;
    ins.use = is_load ? Use::load : Use::store;
    ins.sync = i.has("volatile") || i.has("relaxed") || i.has("acquire") || i.has("cv") ? 1 : 0;
    ins.range = program_.range_count++;
    const Ref base = address_row(address, space == Space::shared ? 4 : 8);
    std::uint32_t bytes = row_bytes(*type);
    if (is_load && count == 1 && !is_dead(value)) bytes = std::max(bytes, bytes_of(value));
    if (is_load && count == 1 && decode_fixed_load(address, *type, value, bytes, ins)) return true;
    set_a(ins, base);
    ins.touch = base.bytes == 8 ? Touch::rows8 : Touch::rows4;
    place_elements(ins, value, is_load, *type, bytes);
    const auto width = static_cast<int>(bytes), elements = static_cast<int>(count);
    const Handler handler = is_load ? load_handler(space, *type, width, base.bytes, elements)
                                    : store_handler(space, ins.bytes, width, base.bytes, elements);
    if (handler == nullptr) return false;
    emit(handler, Keep::self, ins);
    return true;
}

/// Sets the rows that are loaded or stored, each of `bytes` a lane. `read` and `write` convert
/// registers of another width.
void FunctionDecoder::place_elements(Ins& ins, const ptx::Operand& value, bool is_load, Type type,
                                     std::uint32_t bytes) {
    if (ins.aux == 1) {
        if (is_load)
            ins.d = write(value, bytes);
        else
            set_b(ins, read(value, bytes, type));
        return;
    }
    std::vector<Ref> rows;
    for (std::uint32_t n = 0; n < value.count; ++n) {
        const ptx::Operand& element = source_.operands[value.first + n];
        if (!is_load)
            rows.push_back(read(element, bytes, type));
        else
            rows.push_back({is_dead(element) ? no_row : write(element, bytes), in_frame,
                            static_cast<std::uint8_t>(bytes)});
    }
    ins.target = list(rows);
}

/// The two rows of a 128-bit register, low half first.
std::optional<std::array<FunctionDecoder::Ref, 2>> FunctionDecoder::halves_of(
    const ptx::Operand& o) const {
    if (o.kind != OperandKind::reg) return std::nullopt;
    const auto r = static_cast<std::size_t>(o.reg);
    if (source_.registers[r].type != Type::b128 || registers_.offset[r] == no_row)
        return std::nullopt;
    const std::uint32_t at = registers_.offset[r];
    return std::array{Ref{at, in_frame, 8}, Ref{at + lanes * 8, in_frame, 8}};
}

/// ld and st of .b128: vectors of twice as many 64-bit elements.
bool FunctionDecoder::decode_wide(const ptx::Instruction& i, bool is_load) {
    std::uint32_t count = 1;
    for (std::size_t n = 0; n + 1 < i.modifier_count; ++n) {
        if (i.modifiers[n] == "v2")
            count = 2;
        else if (!is_memory_hint(i.modifiers[n]))
            return false;
    }
    const ptx::Operand& address = operand(i, is_load ? 1 : 0);
    const ptx::Operand& value = operand(i, is_load ? 0 : 1);
    if (address.kind != OperandKind::address) return false;
    if ((value.kind == OperandKind::vector ? value.count : 1) != count) return false;
    const Space space = space_of(i);
    if (space == Space::param) return false;
    std::vector<Ref> rows;
    for (std::uint32_t n = 0; n < count; ++n) {
        const ptx::Operand& element =
            value.kind == OperandKind::vector ? source_.operands[value.first + n] : value;
        const auto halves = halves_of(element);
        if (!halves && !(is_load && is_dead(element))) return false;
        for (std::size_t half : {0, 1})
            rows.push_back(halves ? (*halves)[half] : Ref{no_row, in_frame, 8});
    }
    const Ref at = address_row(address, space == Space::shared ? 4 : 8);
    Ins ins;
    ins.space = static_cast<std::uint8_t>(space);
    ins.bytes = 8;
    ins.aux = 2 * count;
    ins.imm = address.offset;
    ins.use = is_load ? Use::load : Use::store;
    ins.sync = i.has("volatile") || i.has("relaxed") || i.has("acquire") ? 1 : 0;
    ins.range = program_.range_count++;
    ins.touch = at.bytes == 8 ? Touch::rows8 : Touch::rows4;
    set_a(ins, at);
    ins.target = list(rows);
    const auto elements = static_cast<int>(2 * count);
    const Handler handler = is_load ? load_handler(space, Type::b64, 8, at.bytes, elements)
                                    : store_handler(space, 8, 8, at.bytes, elements);
    if (handler == nullptr) return false;
    emit(handler, Keep::self, ins);
    return true;
}

/// cp.async.{ca,cg}.shared.global [to], [from], bytes[, size]; the waits have nothing to wait for.
bool FunctionDecoder::decode_cp_async(const ptx::Instruction& i) {
    if (i.modifier_count < 2 || i.modifiers[0] != "async") return false;
    if (is_any_of(i.modifiers[1], {"commit_group", "wait_group", "wait_all"})) return true;
    if (!is_any_of(i.modifiers[1], {"ca", "cg"}) || i.operand_count < 3 ||
        operand(i, 0).kind != OperandKind::address || operand(i, 1).kind != OperandKind::address ||
        operand(i, 2).kind != OperandKind::immediate)
        return false;
    // PTX ISA: .ca copies 4, 8 or 16 bytes, .cg 16.
    const std::uint64_t size = operand(i, 2).bits;
    if (size != 16 && (i.modifiers[1] == "cg" || (size != 4 && size != 8))) return false;
    const std::int64_t from_offset = operand(i, 1).offset;
    if (from_offset != static_cast<std::int32_t>(from_offset)) return false;
    Ins ins;
    ins.space = static_cast<std::uint8_t>(Space::shared);
    ins.range = program_.range_count++;
    ins.bytes = static_cast<std::uint8_t>(size);
    const Ref to = address_row(operand(i, 0), 4);
    set_a(ins, to);
    ins.aux = to.bytes == 4 ? 1u << 16 : 0;
    ins.imm = operand(i, 0).offset;
    set_b(ins, address_row(operand(i, 1), 8));
    ins.target = static_cast<std::uint32_t>(from_offset);
    const std::size_t last = i.operand_count - (i.has("L2::cache_hint") ? 1u : 0u);
    if (last == 4) {
        const ptx::Operand& read_bytes = operand(i, 3);
        if (is_predicate(read_bytes)) {
            // If the predicate holds, nothing is read: the size is 0.
            Ins select;
            set_a(select, module_.constant(0, 4));
            set_b(select, module_.constant(ins.bytes, 4));
            select.c = read_predicate(read_bytes);
            select.negated = read_bytes.negated;
            const Ref bytes = temporary(4);
            select.d = bytes.offset;
            emit(select_handler(), Keep::row4, select);
            set_c(ins, bytes);
        } else {
            set_c(ins, read(read_bytes, 4));
        }
    } else if (last != 3) {
        return false;
    }
    ins.touch = Touch::async;
    ins.use = Use::load;
    emit(op::cp_async, Keep::self, ins);
    return true;
}

/// Memory is sequentially consistent here; only observers care about fences.
bool FunctionDecoder::decode_fence(const ptx::Instruction&) {
    emit(op::nop, Keep::self, Ins{});
    return true;
}

/// Hints change nothing here.
bool FunctionDecoder::decode_nothing(const ptx::Instruction&) { return true; }

}  // namespace cugrade::emulator
