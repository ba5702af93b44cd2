// Emission of instructions with operands of their own: memory, control, warp-level.
#include <algorithm>

#include "emulator/exec/decoder.hpp"

namespace cugrade::emulator {

using ptx::OperandKind;
using ptx::Space;
using ptx::SymbolKind;
using ptx::Type;

namespace {

/// The state space that the modifiers name; generic if none.
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

/// Modifiers of memory instructions that change nothing here: spaces, caches, scopes, orders.
bool is_memory_hint(std::string_view m) {
    return is_any_of(m,
                     {"global",       "shared",      "shared::cta", "local",   "const",    "param",
                      "param::entry", "param::func", "nc",          "ca",      "cg",       "cs",
                      "lu",           "cv",          "wb",          "wt",      "volatile", "weak",
                      "relaxed",      "acquire",     "release",     "acq_rel", "sc",       "mmio",
                      "cta",          "cluster",     "gpu",         "sys",     "noftz"}) ||
           m.starts_with("L1::") || m.starts_with("L2::");
}

/// Of an atomic whose result nobody reads.
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

std::optional<Area> FunctionDecoder::area_of(const ptx::Operand& o) const {
    const auto n = static_cast<std::size_t>(o.symbol);
    switch (o.symbol_kind) {
        case SymbolKind::variable: return variable_areas_[n];
        case SymbolKind::parameter:
            return source_.is_entry ? std::nullopt : std::optional(out_.params[n]);
        case SymbolKind::result: return out_.returns[n];
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
        if (handler != nullptr) emit(handler, Keep::self, ins);
        ins.imm += element;
    }
    return true;
}

bool FunctionDecoder::decode_memory(const ptx::Instruction& i) {
    if (i.opcode == "atom" || i.opcode == "red") return decode_atomic(i);
    if (i.opcode == "cp") return decode_cp_async(i);
    const bool is_load = i.opcode == "ld" || i.opcode == "ldu";
    if ((!is_load && i.opcode != "st") || i.operand_count < 2 || i.modifier_count == 0)
        return false;
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

    const auto element = static_cast<std::uint32_t>(ptx::bits(*type)) / 8;
    Ins ins;
    ins.space = static_cast<std::uint8_t>(space);
    ins.bytes = static_cast<std::uint8_t>(element);
    ins.aux = count;
    ins.imm = address.offset;
    ins.use = is_load ? Use::load : Use::store;
    ins.sync = i.has("volatile") || i.has("relaxed") || i.has("acquire") || i.has("cv") ? 1 : 0;
    ins.range = program_.range_count++;
    Ref base;
    if (address.reg >= 0) {
        ptx::Operand reg = address;
        reg.kind = OperandKind::reg;
        base = read(reg, 0);
    } else {
        ptx::Operand symbol = address;
        symbol.kind = address.name.empty() ? OperandKind::immediate : OperandKind::symbol;
        symbol.bits = 0;
        symbol.offset = 0;
        base = read(symbol, space == Space::shared ? 4 : 8);
    }
    // The registers of a vector are of one width, that of the widest.
    std::uint32_t bytes = row_bytes(*type);
    const auto element_operand = [&](std::uint32_t n) -> const ptx::Operand& {
        return value.kind == OperandKind::vector ? source_.operands[value.first + n] : value;
    };
    if (is_load && count == 1 && !is_dead(value)) bytes = std::max(bytes, bytes_of(value));

    if (is_load && count == 1 && address.reg < 0 && ins.sync == 0 &&
        address.symbol_kind == SymbolKind::module &&
        (space == Space::constant || space == Space::global)) {
        const auto symbol = program_.symbols.find(address.name);
        const auto offset = static_cast<std::uint64_t>(address.offset);
        if (symbol != program_.symbols.end() && offset % element == 0 &&
            Range{0, symbol->second.bytes}.holds(offset, element)) {
            ins.imm = reinterpret_cast<std::intptr_t>(
                module_.arena_.host(symbol->second.address + offset));
            ins.d = write(value, bytes);
            ins.touch = Touch::fixed;
            emit(static_load_handler(*type, static_cast<int>(bytes)), Keep::self, ins);
            return true;
        }
    }
    set_a(ins, base);
    ins.touch = base.bytes == 8 ? Touch::rows8 : Touch::rows4;
    const auto address_bytes = static_cast<int>(base.bytes);
    if (is_load) {
        if (count == 1) {
            ins.d = write(value, bytes);
        } else {
            std::vector<Ref> rows;
            for (std::uint32_t n = 0; n < count; ++n)
                rows.push_back(
                    {is_dead(element_operand(n)) ? no_row : write(element_operand(n), bytes),
                     in_frame, static_cast<std::uint8_t>(bytes)});
            ins.target = list(rows);
        }
        const Handler handler = load_handler(space, *type, static_cast<int>(bytes), address_bytes,
                                             static_cast<int>(count));
        if (handler == nullptr) return false;
        emit(handler, Keep::self, ins);
        return true;
    }
    if (count == 1) {
        set_b(ins, read(value, bytes, *type));
    } else {
        std::vector<Ref> rows;
        for (std::uint32_t n = 0; n < count; ++n)
            rows.push_back(read(element_operand(n), bytes, *type));
        ins.target = list(rows);
    }
    const Handler handler = store_handler(space, static_cast<int>(element), static_cast<int>(bytes),
                                          address_bytes, static_cast<int>(count));
    if (handler == nullptr) return false;
    emit(handler, Keep::self, ins);
    return true;
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
    ptx::Operand base = address;
    base.kind = address.reg >= 0 ? OperandKind::reg : OperandKind::symbol;
    base.offset = 0;
    const Ref at = read(base, address.reg >= 0 ? 0 : space == Space::shared ? 4 : 8);
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
    const bool has_result = i.opcode == "atom";
    const std::size_t first = has_result ? 1 : 0;
    const std::size_t operands =
        first + (operation == "cas" ? 3 : 2) + (i.has("L2::cache_hint") ? 1 : 0);
    if (i.operand_count != operands || operand(i, first).kind != OperandKind::address) return false;
    const Space space = space_of(i);
    const ptx::Operand& address = operand(i, first);
    Ins ins;
    ins.space = static_cast<std::uint8_t>(space);
    ins.range = program_.range_count++;
    ins.imm = address.offset;
    ins.sync = 1;
    ins.use = Use::ordered;
    ptx::Operand base = address;
    base.kind = address.reg >= 0 ? OperandKind::reg : OperandKind::symbol;
    base.offset = 0;
    const Ref at = read(base, address.reg >= 0 ? 0 : space == Space::shared ? 4 : 8);
    set_a(ins, at);
    ins.touch = at.bytes == 8 ? Touch::rows8 : Touch::rows4;
    const std::uint32_t bytes = row_bytes(*type);
    const Handler handler =
        atomic_handler(operation, *type, space == Space::shared, static_cast<int>(at.bytes));
    if (handler == nullptr) return false;
    if (*type == Type::b128) {
        if (has_result && !is_dead(operand(i, 0))) {
            const auto result = halves_of(operand(i, 0));
            if (!result) return false;
            ins.d = (*result)[0].offset;
        }
        const auto b = halves_of(operand(i, first + 1));
        const auto c = halves_of(operand(i, operation == "cas" ? first + 2 : first + 1));
        if (!b || !c) return false;
        set_b(ins, (*b)[0]);
        set_c(ins, (*c)[0]);
        emit(handler, Keep::self, ins);
        return true;
    }
    if (count > 1) {
        // Atomic by element, so one after the other.
        const ptx::Operand& values = operand(i, first + 1);
        if (values.kind != OperandKind::vector || values.count != count) return false;
        if (has_result &&
            (operand(i, 0).kind != OperandKind::vector || operand(i, 0).count != count))
            return false;
        for (std::uint32_t n = 0; n < count; ++n) {
            Ins one = ins;
            one.range = program_.range_count++;
            one.imm += n * (static_cast<std::uint32_t>(ptx::bits(*type)) / 8);
            set_b(one, read(source_.operands[values.first + n], bytes, *type));
            one.use = has_result ? Use::ordered : use_of_atomic(operation, *type);
            if (has_result) {
                const ptx::Operand& to = source_.operands[operand(i, 0).first + n];
                if (!is_dead(to)) one.d = write(to, bytes);
            }
            emit(handler, Keep::self, one);
        }
        return true;
    }
    set_b(ins, read(operand(i, first + 1), bytes, *type));
    if (operation == "cas") set_c(ins, read(operand(i, first + 2), bytes, *type));
    if (has_result && !is_dead(operand(i, 0))) ins.d = write(operand(i, 0), bytes);
    ins.use = ins.d == no_row ? use_of_atomic(operation, *type) : Use::ordered;
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
    Ins ins;
    ins.space = static_cast<std::uint8_t>(Space::shared);
    ins.range = program_.range_count++;
    ins.bytes = static_cast<std::uint8_t>(operand(i, 2).bits);
    const auto base_of = [&](const ptx::Operand& address, std::uint32_t bytes) {
        ptx::Operand base = address;
        base.kind = address.reg >= 0 ? OperandKind::reg : OperandKind::symbol;
        base.offset = 0;
        return read(base, address.reg >= 0 ? 0 : bytes);
    };
    const Ref to = base_of(operand(i, 0), 4);
    set_a(ins, to);
    ins.aux = to.bytes == 4 ? 1u << 16 : 0;
    ins.imm = operand(i, 0).offset;
    set_b(ins, base_of(operand(i, 1), 8));
    ins.target = static_cast<std::uint32_t>(operand(i, 1).offset);
    const std::size_t last = i.operand_count - (i.has("L2::cache_hint") ? 1u : 0u);
    if (last == 4) {
        const ptx::Operand& size = operand(i, 3);
        if (size.kind == OperandKind::reg &&
            source_.registers[static_cast<std::size_t>(size.reg)].type == Type::pred) {
            // Where the predicate holds nothing is read: a size of 0.
            Ins select;
            set_a(select, module_.constant(0, 4));
            set_b(select, module_.constant(ins.bytes, 4));
            select.c = read_predicate(size);
            select.negated = size.negated;
            const Ref bytes = temporary(4);
            select.d = bytes.offset;
            emit(select_handler(), Keep::row4, select);
            set_c(ins, bytes);
        } else {
            set_c(ins, read(size, 4));
        }
    } else if (last != 3) {
        return false;
    }
    ins.touch = Touch::async;
    ins.use = Use::load;
    emit(op::cp_async, Keep::self, ins);
    return true;
}

// --- control ------------------------------------------------------------------------------------

bool FunctionDecoder::decode_control(const ptx::Instruction& i) {
    Ins ins;
    if (i.opcode == "bra") {
        if (i.operand_count != 1 || operand(i, 0).kind != OperandKind::label) return false;
        ins.target = operand(i, 0).target;
        branches_.push_back(static_cast<std::uint32_t>(program_.code.size()));
        if (i.guard < 0) {
            emit(op::bra, Keep::self, ins);
        } else {
            ins.guard = registers_.offset[static_cast<std::size_t>(i.guard)];
            ins.guard_negated = i.guard_negated;
            emit(op::bra_if, Keep::self, ins);
        }
        return true;
    }
    if (i.opcode == "brx") {
        if (i.operand_count != 2 || operand(i, 1).kind != OperandKind::label) return false;
        set_a(ins, read(operand(i, 0), 4));
        ins.aux = static_cast<std::uint32_t>(program_.tables.size());
        program_.tables.push_back(source_.branch_tables[operand(i, 1).target]);
        emit(op::brx, Keep::self, ins);
        return true;
    }
    if (i.opcode == "call") return decode_call(i);
    if (i.opcode == "bar" || i.opcode == "barrier") return decode_barrier(i);
    if (i.opcode == "ret") return emit(op::ret, Keep::self, ins), true;
    if (i.opcode == "exit") return emit(op::exit, Keep::self, ins), true;
    if (i.opcode == "trap" || i.opcode == "brkpt") return emit(op::trap, Keep::self, ins), true;
    if (i.opcode == "nanosleep") return emit(op::nanosleep, Keep::self, ins), true;
    return false;
}

bool FunctionDecoder::decode_call(const ptx::Instruction& i) {
    if (i.operand_count < 3) return false;
    CallSite site;
    site.caller = index_;
    const auto areas = [&](const ptx::Operand& o, std::vector<Area>& into) {
        if (o.kind != OperandKind::vector) return o.kind == OperandKind::none;
        for (std::uint32_t n = 0; n < o.count; ++n) {
            const ptx::Operand& element = source_.operands[o.first + n];
            const auto area = element.kind == OperandKind::symbol ? area_of(element) : std::nullopt;
            if (!area) return false;  // passed in a register: no compiler does
            into.push_back(*area);
        }
        return true;
    };
    if (!areas(operand(i, 0), site.results) || !areas(operand(i, 2), site.arguments)) return false;
    const ptx::Operand& callee = operand(i, 1);
    Ins ins;
    Handler handler = op::call_indirect;
    if (callee.kind == OperandKind::reg) {
        set_a(ins, read(callee, 8));
    } else {
        const auto function = module_.functions_.find(callee.name);
        // Who links libcudadevrt has definitions of the device runtime, too. They drive hardware.
        const bool defined = function != module_.functions_.end() &&
                             !program_.functions[function->second].source->is_declaration &&
                             !callee.name.starts_with("__cudaCDP2");
        if (defined) {
            for (const auto& p : program_.functions[function->second].source->params)
                if (p.reg >= 0) return false;
            site.function = static_cast<std::int32_t>(function->second);
            handler = op::call;
        } else {
            ins.imm = builtin_index(callee.name);
            if (ins.imm < 0) return false;
            handler = op::call_builtin;
        }
    }
    ins.aux = static_cast<std::uint32_t>(program_.calls.size());
    program_.calls.push_back(std::move(site));
    emit(handler, Keep::self, ins);
    return true;
}

/// bar.sync a[, b]; bar.red.op d, a[, b], c; bar.arrive a, b; barrier likewise; bar.warp.sync m.
bool FunctionDecoder::decode_barrier(const ptx::Instruction& i) {
    std::string_view kind;
    for (std::size_t n = 0; n < i.modifier_count; ++n)
        if (!is_any_of(i.modifiers[n], {"cta", "aligned"})) {
            kind = i.modifiers[n];
            break;
        }
    Ins ins;
    if (kind == "warp") {
        ins.target = list({read(operand(i, 0), 4), Ref{no_row, in_frame, 4}});
        emit(op::bar_warp, Keep::self, ins);
        return true;
    }
    const bool is_reduction = kind == "red";
    std::size_t next = is_reduction ? 1 : 0;
    std::size_t last = i.operand_count;  // behind barrier and count
    if (kind == "arrive")
        ins.aux = 4;
    else if (is_reduction)
        ins.aux = i.has("and") ? 1 : i.has("or") ? 2 : 3;
    else if (kind != "sync")
        return false;
    if (is_reduction) {
        if (i.operand_count < 3) return false;
        --last;
        ins.c = read_predicate(operand(i, last));
        ins.negated = operand(i, last).negated;
        ins.d = ins.aux == 3 ? write(operand(i, 0), 4) : write_predicate(operand(i, 0));
    }
    if (next >= last) return false;
    const ptx::Operand& id = operand(i, next);
    if (id.kind == OperandKind::immediate)
        ins.imm = static_cast<std::int64_t>(id.bits);
    else
        set_a(ins, read(id, 4));
    if (++next < last) set_b(ins, read(operand(i, next), 4));
    emit(op::bar, Keep::self, ins);
    return true;
}

// --- warp-level ---------------------------------------------------------------------------------

bool FunctionDecoder::decode_warp(const ptx::Instruction& i) {
    Ins ins;
    // The member mask last; behind it the destination predicate of d|p forms.
    const auto member_list = [&](std::size_t mask) {
        Ref p{no_row, in_frame, 4};
        if (i.paired && operand(i, 1).kind == OperandKind::reg)
            p.offset = write_predicate(operand(i, 1));
        return list({read(operand(i, mask), 4), p});
    };
    const std::size_t first = i.paired ? 2 : 1;
    const auto result = [&] {
        if (!is_dead(operand(i, 0))) ins.d = write(operand(i, 0), 4);
    };
    if (i.opcode == "activemask") {
        ins.d = write(operand(i, 0), 4);
        emit(op::activemask, Keep::self, ins);
        return true;
    }
    if (i.opcode == "elect") {
        ins.target = member_list(first);
        result();
        emit(op::elect, Keep::self, ins);
        return true;
    }
    if (i.opcode == "shfl") {
        static constexpr std::string_view modes[] = {"up", "down", "bfly", "idx"};
        const auto mode =
            std::find_if(std::begin(modes), std::end(modes), [&](auto m) { return i.has(m); });
        if (mode == std::end(modes) || !i.has("sync") || i.operand_count != first + 4) return false;
        ins.aux = static_cast<std::uint32_t>(mode - std::begin(modes));
        set_a(ins, read(operand(i, first), 4));
        set_b(ins, read(operand(i, first + 1), 4));
        set_c(ins, read(operand(i, first + 2), 4));
        ins.target = member_list(first + 3);
        result();
        out_.shuffles = true;
        emit(op::shfl, Keep::self, ins);
        return true;
    }
    if (i.opcode == "vote") {
        static constexpr std::string_view modes[] = {"all", "any", "uni", "ballot"};
        const auto mode =
            std::find_if(std::begin(modes), std::end(modes), [&](auto m) { return i.has(m); });
        if (mode == std::end(modes) || !i.has("sync") || i.operand_count != 3) return false;
        ins.aux = static_cast<std::uint32_t>(mode - std::begin(modes));
        ins.c = read_predicate(operand(i, 1));
        ins.negated = operand(i, 1).negated;
        ins.target = member_list(2);
        ins.d = ins.aux == 3 ? write(operand(i, 0), 4) : write_predicate(operand(i, 0));
        emit(op::vote, Keep::self, ins);
        return true;
    }
    if (i.opcode == "match") {
        if (!i.has("sync") || i.operand_count != first + 2) return false;
        ins.aux = i.has("all") ? 1 : 0;
        ins.bytes = i.has("b64") ? 8 : 4;
        set_a(ins, read(operand(i, first), ins.bytes));
        ins.target = member_list(first + 1);
        result();
        emit(op::match, Keep::self, ins);
        return true;
    }
    if (i.opcode == "redux") {
        if (!i.has("sync") || i.operand_count != 3) return false;
        if (i.has("f32")) {
            if (!i.has("min") && !i.has("max")) return false;
            ins.aux =
                8u + (i.has("max") ? 1u : 0u) + (i.has("abs") ? 2u : 0u) + (i.has("NaN") ? 4u : 0u);
            set_a(ins, read(operand(i, 1), 4, Type::f32));
            ins.target = member_list(2);
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
        ins.target = member_list(2);
        ins.d = write(operand(i, 0), 4);
        emit(op::redux, Keep::self, ins);
        return true;
    }
    if (i.opcode == "mma") return decode_matrix(i);
    return false;
}

/// mma of bytes: mma.sync.aligned.SHAPE.row.col.s32.A.B.s32 d, a, b, c.
bool FunctionDecoder::decode_matrix(const ptx::Instruction& i) {
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
