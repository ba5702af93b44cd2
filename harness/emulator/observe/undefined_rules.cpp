// Finds the rule of an instruction: by its handler if the handler does only one operation, else by
// its opcode and type.
#include <optional>
#include <unordered_map>

#include "emulator/decode/decoder.hpp"
#include "emulator/decode/opcodes.hpp"
#include "emulator/observe/undefined_flow.hpp"
#include "emulator/observe/undefined_rules.hpp"

namespace cugrade::emulator {
namespace {

using Way = FlowRule::Way;
using ptx::Type;
using u8 = std::uint8_t;
using u64 = std::uint64_t;

FlowRule plain(Way way, u8 d = 0, u8 a = 0, u8 b = 0, u8 c = 0, u8 data = 0) {
    FlowRule r;
    r.way = way;
    r.d = d;
    r.a = a;
    r.b = b;
    r.c = c;
    r.data = data;
    return r;
}

const FlowRule* by_handler(Handler handler) {
    static const std::unordered_map<Handler, FlowRule> rules{
        {op::nop, plain(Way::nothing)},
        {op::bra, plain(Way::nothing)},
        {op::ret, plain(Way::nothing)},
        {op::exit, plain(Way::nothing)},
        {op::trap, plain(Way::nothing)},
        {op::call, plain(Way::nothing)},
        {op::nanosleep, plain(Way::nothing)},
        {op::bar_warp, plain(Way::nothing)},
        {unsupported_form, plain(Way::nothing)},
        {op::bra_if, plain(Way::branches)},
        {op::brx, plain(Way::jumps, 0, 4)},
        {op::call_indirect, plain(Way::calls_indirect, 0, 8)},
        {op::call_builtin, plain(Way::calls_builtin)},
        {op::bar, plain(Way::waits, 0, 4, 4)},
        {op::shfl, plain(Way::exchanges, 4)},
        {op::vote, plain(Way::exchanges)},
        {op::match, plain(Way::exchanges, 4)},
        {op::redux, plain(Way::exchanges, 4)},
        {op::elect, plain(Way::exchanges, 4)},
        {op::mma, plain(Way::exchanges)},
        {op::activemask, plain(Way::defines, 4)},
        {op::clock4, plain(Way::defines, 4)},
        {op::clock8, plain(Way::defines, 8)},
        {op::local_address, plain(Way::defines, 8)},
        {op::isspacep, plain(Way::tests_space, 0, 8)},
        {op::add_imm8, plain(Way::sums, 8, 8)},
        {op::cp_async, plain(Way::copies_async, 0, 4, 8, 4)},
        {op::set_predicate, plain(Way::defines_predicate)},
        {op::copy_predicate, plain(Way::copies_predicate)},
        {op::and_predicate, plain(Way::ands_predicates)},
        {op::or_predicate, plain(Way::ors_predicates)},
        {op::xor_predicate, plain(Way::xors_predicates)},
        {op::tf32, plain(Way::computes, 4, 4)},
        {op::pack_clamped, plain(Way::computes, 4, 4, 4, 4)},
        {op::copy4, plain(Way::moves, 4, 4, 0, 0, 1)},
        {op::copy8, plain(Way::moves, 8, 8, 0, 0, 1)},
        {op::narrow, plain(Way::moves, 4, 8, 0, 0, 1)},
        {op::widen, plain(Way::moves, 8, 4, 0, 0, 1)},
        {op::extract4, plain(Way::moves, 4, 8, 0, 0, 1)},
        {op::extract2, plain(Way::moves, 4, 4, 0, 0, 1)},
        {op::pack4, plain(Way::packs, 4)},
        {op::pack8, plain(Way::packs, 8)},
        {select_handler(), plain(Way::selects, 4, 4, 4)},
        {convert_handler(Type::s64, Type::s32, true), plain(Way::moves, 8, 4, 0, 0, 1)},
    };
    const auto it = rules.find(handler);
    return it == rules.end() ? nullptr : &it->second;
}

/// The operands of a table's operation: see OpRow::shape. If a handler serves several forms, their
/// rows have the same widths.
std::string_view shape_of(Handler handler) {
    static const auto shapes = [] {
        std::unordered_map<Handler, std::string_view> all;
        for (const auto rows : {integer_rows(), bit_rows(), float_rows(), half_rows()})
            for (const OpRow& row : rows)
                for (const Handler h : {row.fast, row.general})
                    if (h != nullptr) all.emplace(h, row.shape);
        return all;
    }();
    const auto it = shapes.find(handler);
    return it == shapes.end() ? std::string_view{} : it->second;
}

u64 low_bits(int bits) { return bits >= 64 || bits <= 0 ? ~u64{0} : (u64{1} << bits) - 1; }

std::optional<Type> last_type(const ptx::Instruction& i) {
    return i.modifier_count == 0 ? std::nullopt : type_named(i.modifiers[i.modifier_count - 1u]);
}

void set_type(FlowRule& r, std::optional<Type> type) {
    if (!type) return;
    r.used_bits = low_bits(ptx::bits(*type));
    r.is_signed = ptx::is_signed(*type);
    r.is_integer = !ptx::is_float(*type) && *type != Type::f16x2 && *type != Type::bf16x2;
}

FlowRule of_table(const ptx::Instruction& i, std::string_view shape) {
    FlowRule r;
    const auto width = [&](std::size_t n) -> u8 {
        if (n >= shape.size()) return 0;
        return shape[n] == '8' ? 8 : shape[n] == '4' ? 4 : 0;
    };
    r = plain(Way::computes, width(0), width(1), width(2), width(3));
    set_type(r, last_type(i));
    if (shape[0] == 'P') {  // testp
        r.way = Way::compares;
        r.compare = Compare::num;
        return r;
    }
    const std::string_view o = i.opcode;
    const auto moves = [&](u8 data) {
        r.way = Way::moves;
        r.data = data;
    };
    if (o == "and")
        r.way = Way::bit_and;
    else if (o == "or")
        r.way = Way::bit_or;
    else if (o == "xor" || o == "not")
        r.way = Way::bit_xor;
    else if (o == "lop3")
        r.way = Way::bit_table;
    else if (o == "selp")
        r.way = Way::selects;
    else if (o == "shl" || o == "shr")
        moves(1), r.is_shift = true;
    else if (o == "bfe" || o == "szext" || o == "brev")
        moves(1);
    else if (o == "shf" || o == "bfi" || o == "prmt")
        moves(3);
    else if (o == "slct")
        moves(3), r.used_bits = r.a == 8 ? ~u64{0} : 0xFFFFFFFF;
    else if (r.is_integer && is_any_of(o, {"add", "sub", "neg", "mul", "mad"}) && !i.has("hi") &&
             !i.has("sat"))
        r.way = Way::sums;
    if (o == "mul" || o == "mad") r.used_bits = r.a == 8 ? ~u64{0} : 0xFFFFFFFF;
    if (i.has("wide")) r.used_bits = ~u64{0};
    return r;
}

FlowRule of_comparison(const ptx::Instruction& i) {
    static constexpr std::pair<std::string_view, Compare> names[] = {
        {"eq", Compare::eq}, {"ne", Compare::ne}, {"lt", Compare::lt}, {"le", Compare::le},
        {"gt", Compare::gt}, {"ge", Compare::ge}, {"lo", Compare::lt}, {"ls", Compare::le},
        {"hi", Compare::gt}, {"hs", Compare::ge}};
    FlowRule r = plain(i.opcode == "set" ? Way::sets : Way::compares);
    if (i.opcode == "lop3") {  // the test of its result
        r = plain(Way::compares, 0, 4, 4);
        set_type(r, Type::u32);
        r.compare = Compare::ne;
        return r;
    }
    const auto type = last_type(i);
    set_type(r, type);
    r.a = r.b = type ? static_cast<u8>(row_bytes(*type)) : 4;
    if (r.way == Way::sets) r.d = 4;
    r.compare = Compare::num;
    for (const auto& [name, compare] : names)
        if (i.modifiers[0] == name) r.compare = compare;
    return r;
}

FlowRule of_conversion(const ptx::Instruction& i) {
    FlowRule r = plain(Way::computes, 4, 4);
    const auto to =
        i.modifier_count < 2 ? std::nullopt : type_named(i.modifiers[i.modifier_count - 2u]);
    const auto from = last_type(i);
    if (!to || !from) {
        r.b = i.operand_count == 3 ? 4 : 0;
        return r;
    }
    r.d = static_cast<u8>(row_bytes(*to));
    r.a = static_cast<u8>(row_bytes(*from));
    r.used_bits = low_bits(ptx::bits(*from));
    if (!ptx::is_float(*to) && !ptx::is_float(*from) && i.modifier_count == 2) {
        r.way = Way::moves;
        r.data = 1;
    }
    return r;
}

FlowRule of_memory(const ptx::Function& f, const ptx::Instruction& i, const Ins& ins) {
    FlowRule r;
    const u8 address = ins.touch == Touch::rows4 ? 4 : ins.touch == Touch::rows8 ? 8 : 0;
    const auto type = last_type(i);
    r.a = address;
    r.element = ins.bytes;
    if (type && *type != Type::b128) {
        r.element = static_cast<u8>(ptx::bits(*type) / 8);
        r.is_signed = ptx::is_signed(*type);
    }
    const Opcode& opcode = opcode_of(i);
    if (is_atomic(opcode)) {
        r.way = Way::changes;
        r.d = r.b = type ? static_cast<u8>(row_bytes(*type)) : 4;
        r.c = r.b;
        return r;
    }
    r.way = opcode.memory == MemoryUse::stores ? Way::stores : Way::loads;
    if (r.way == Way::stores) return r;
    r.d = r.element == 8 ? 8 : 4;
    const ptx::Operand& to = f.operands[i.first_operand];
    if (to.kind == ptx::OperandKind::reg)
        r.d = std::max(
            r.d, static_cast<u8>(row_bytes(f.registers[static_cast<std::size_t>(to.reg)].type)));
    return r;
}

}  // namespace

FlowRule flow_rule_of(const Program& program, const Ins* i, Handler masked) {
    const ptx::Instruction& source = program.source_of(i);
    const ptx::Function& function =
        *program.functions[program.origins[program.index_of(i)].function].source;
    if (const FlowRule* known = by_handler(i->op)) {
        FlowRule r = *known;
        if (i->op == op::cp_async && i->aux >> 16 == 0) r.a = 8;
        return r;
    }
    if (i->touch != Touch::nothing) return of_memory(function, source, *i);
    if (const auto shape = shape_of(i->op); !shape.empty()) return of_table(source, shape);
    const Opcode& opcode = opcode_of(source);
    if (opcode.value == ValueFrom::other_lanes) return plain(Way::exchanges, 4);
    if (opcode.memory != MemoryUse::nothing) {
        FlowRule r = of_memory(function, source, *i);
        r.way = r.way == Way::stores ? Way::stores_parameter : Way::loads_parameter;
        return r;
    }
    if (is_any_of(source.opcode, {"setp", "set", "lop3"})) return of_comparison(source);
    if (source.opcode == "cvt") return of_conversion(source);
    const u8 d = masked == keep8 ? 8 : masked == keep4 ? 4 : 0;
    return plain(d == 0 ? Way::nothing : Way::defines, d);
}

}  // namespace cugrade::emulator
