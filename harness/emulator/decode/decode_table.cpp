// Forms of the tables of ../ops: an opcode with its modifiers is one row, which lists the operands.
#include <unordered_map>

#include "emulator/decode/decoder.hpp"

namespace cugrade::emulator {

using ptx::OperandKind;
using ptx::Type;

namespace {

const std::unordered_map<std::string_view, const OpRow*>& forms() {
    static const auto table = [] {
        std::unordered_map<std::string_view, const OpRow*> t;
        for (const auto rows : {integer_rows(), bit_rows(), float_rows(), half_rows()})
            for (const OpRow& row : rows) t.emplace(row.form, &row);
        return t;
    }();
    return table;
}

struct Flag {
    std::string_view modifier;
    std::uint32_t bits;
};
constexpr Flag float_flags[] = {
    {"rn", round_nearest},
    {"rz", round_zero},
    {"rm", round_down},
    {"rp", round_up},
    {"rni", integer_rounding | round_nearest},
    {"rzi", integer_rounding | round_zero},
    {"rmi", integer_rounding | round_down},
    {"rpi", integer_rounding | round_up},
    {"ftz", flush_denormals},
    {"sat", saturate},
    {"NaN", nan_propagates},
    {"relu", relu},
    {"xorsign", xorsign},
    {"satfinite", finite},
    {"rna", round_away},
};

}  // namespace

std::optional<std::uint32_t> float_flag(std::string_view modifier) {
    for (const Flag& flag : float_flags)
        if (flag.modifier == modifier) return flag.bits;
    return std::nullopt;
}

const OpRow* form_named(std::string_view form) {
    const auto found = forms().find(form);
    return found == forms().end() ? nullptr : found->second;
}

std::optional<Type> type_named(std::string_view modifier) {
    static const std::unordered_map<std::string_view, Type> types = [] {
        std::unordered_map<std::string_view, Type> t;
        for (int n = static_cast<int>(Type::pred); n <= static_cast<int>(Type::f64); ++n)
            t.emplace(ptx::name(static_cast<Type>(n)), static_cast<Type>(n));
        return t;
    }();
    const auto it = types.find(modifier);
    if (it == types.end()) return std::nullopt;
    return it->second;
}

bool FunctionDecoder::decode_table(const ptx::Instruction& i) {
    const Type type = i.modifier_count == 0
                          ? Type::none
                          : type_named(i.modifiers[i.modifier_count - 1u]).value_or(Type::none);
    const bool is_float = ptx::is_float(type) || i.has("f32x2");
    std::string form(i.opcode);
    if (is_float && (form == "min" || form == "max") && i.operand_count == 4)
        form += '3';  // of three numbers
    std::uint32_t flags = 0;
    for (std::size_t n = 0; n < i.modifier_count; ++n) {
        const std::string_view m = i.modifiers[n];
        if (const auto flag = is_float ? float_flag(m) : std::nullopt) {
            flags |= *flag;
        } else if (is_float && m == "abs") {
            flags |= magnitudes;
        } else {
            form += '.';
            form += m;
        }
    }
    const OpRow* const found = form_named(form);
    if (found == nullptr) return false;
    const OpRow& row = *found;
    const Handler handler = flags != 0 ? row.general : row.fast;
    if (handler == nullptr || row.shape.size() != i.operand_count) return false;
    Ins ins;
    ins.aux = is_float ? flags : i.has("cc") ? 1 : 0;
    std::vector<Ref> more;
    for (std::size_t n = 1; n < row.shape.size(); ++n) {
        const ptx::Operand& o = operand(i, n);
        Ref ref;
        switch (row.shape[n]) {
            case 'p':
                ref.offset = read_predicate(o);
                ins.negated |= o.negated;
                break;
            case 'i':
                if (o.kind != OperandKind::immediate) return false;
                ins.imm = static_cast<std::int64_t>(o.bits);
                continue;
            default: ref = read(o, row.shape[n] == '8' ? 8 : 4, type); break;
        }
        if (n == 1)
            set_a(ins, ref);
        else if (n == 2)
            set_b(ins, ref);
        else if (n == 3)
            set_c(ins, ref);
        else
            more.push_back(ref);
    }
    if (!more.empty()) ins.target = list(more);
    if (row.shape[0] == 'P') {
        ins.d = write_predicate(operand(i, 0));
        emit(handler, Keep::self, ins);
    } else {
        const std::uint32_t bytes = row.shape[0] == '8' ? 8 : 4;
        ins.d = write(operand(i, 0), bytes);
        emit(handler, bytes == 8 ? Keep::row8 : Keep::row4, ins);
    }
    return true;
}

bool FunctionDecoder::decode_not(const ptx::Instruction& i) {
    if (i.modifier_count == 0 || i.modifiers[i.modifier_count - 1u] != "pred")
        return decode_table(i);
    Ins ins;
    ins.a = read_predicate(operand(i, 1));
    ins.d = write_predicate(operand(i, 0));
    ins.negated = !operand(i, 1).negated;
    emit(op::copy_predicate, Keep::self, ins);
    return true;
}

}  // namespace cugrade::emulator
