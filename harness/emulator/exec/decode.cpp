// Emission: one PTX instruction becomes no, one or a few decoded ones.
//
// Operands of another width than the operation wants go through temporaries: a narrowing before, a
// widening after. Each emitted instruction gets its handlers for the converged and the diverged
// warp here, and nowhere else.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "emulator/exec/decoder.hpp"

namespace cugrade::emulator {

using ptx::OperandKind;
using ptx::Space;
using ptx::SymbolKind;
using ptx::Type;

namespace {

constexpr std::uint32_t temporaries = 8;  ///< of each width

const std::unordered_map<std::string_view, const OpRow*>& opcode_table() {
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
const Flag* float_flag(std::string_view modifier) {
    for (const Flag& flag : float_flags)
        if (flag.modifier == modifier) return &flag;
    return nullptr;
}

}  // namespace

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

FunctionDecoder::FunctionDecoder(ModuleDecoder& module, std::uint32_t index)
    : module_(module),
      program_(module.program_),
      index_(index),
      source_(*module.program_.functions[index].source),
      out_(module.program_.functions[index]) {}

void FunctionDecoder::run() {
    place_areas();
    find_aliases();
    std::vector<std::int32_t> canonical(source_.registers.size());
    std::vector<bool> dead(source_.registers.size());
    for (std::size_t r = 0; r < canonical.size(); ++r) {
        auto end = static_cast<std::int32_t>(r);
        while (aliases_[static_cast<std::size_t>(end)].kind == Alias::Kind::reg)
            end = aliases_[static_cast<std::size_t>(end)].reg;
        canonical[r] = aliases_[static_cast<std::size_t>(end)].kind == Alias::Kind::row ? -1 : end;
        dead[r] = !used_[r];
    }
    registers_ = allocate_registers(source_, canonical, dead);
    for (auto r : registers_.live_in) {
        const auto type = source_.registers[static_cast<std::size_t>(r)].type;
        const std::uint32_t offset = registers_.offset[static_cast<std::size_t>(r)];
        if (offset == no_row) continue;
        if (type == Type::b128) out_.clear.push_back({offset + lanes * 8, in_frame, 8});
        out_.clear.push_back({offset, in_frame,
                              static_cast<std::uint8_t>(type == Type::pred ? 0 : row_bytes(type))});
    }
    out_.live_rows = registers_.rows;
    // The word behind the predicates is free up to the first row; see allocate_registers.
    std::uint32_t predicates = 1;
    for (const auto& r : source_.registers) predicates += r.type == Type::pred ? 1 : 0;
    scratch_predicate_ = 4 * predicates;
    std::uint32_t end = registers_.bytes;
    const auto reserve = [&](std::uint32_t bytes) {
        const std::uint32_t at = end;
        end += (bytes + 63) / 64 * 64;
        return at;
    };
    temp8_ = reserve(temporaries * lanes * 8);
    temp4_ = reserve(temporaries * lanes * 4);
    const auto area = [&](std::uint64_t bytes) {
        // A multiple of 8, so that 64-bit values are whole.
        const auto size = static_cast<std::uint32_t>((bytes + 7) / 8 * 8);
        return Area{reserve(size * lanes), size};
    };
    for (std::size_t n = 0; n < source_.variables.size(); ++n)
        if (source_.variables[n].space == Space::param)
            variable_areas_[n] = area(source_.variables[n].bytes);
    if (!source_.is_entry) {
        for (const auto& p : source_.params) out_.params.push_back(area(p.bytes));
        for (const auto& p : source_.returns) out_.returns.push_back(area(p.bytes));
    }
    out_.frame_bytes = end;

    out_.entry = static_cast<std::uint32_t>(program_.code.size());
    const std::size_t first_table = program_.tables.size();
    const auto count = static_cast<std::uint32_t>(source_.instructions.size());
    start_.assign(count + 1, 0);
    for (std::uint32_t n = 0; n < count; ++n) {
        start_[n] = static_cast<std::uint32_t>(program_.code.size());
        decode(n);
    }
    start_[count] = static_cast<std::uint32_t>(program_.code.size());
    // Running off the end is a return.
    guard_ = no_row;
    emit(op::ret, Keep::self, Ins{});
    out_.end = static_cast<std::uint32_t>(program_.code.size());
    for (auto n : branches_) program_.code[n].target = start_[program_.code[n].target];
    for (std::size_t n = first_table; n < program_.tables.size(); ++n)
        for (auto& target : program_.tables[n]) target = start_[target];
}

void FunctionDecoder::decode(std::uint32_t n) {
    now_ = n;
    const ptx::Instruction& i = source_.instructions[n];
    temps8_used_ = temps4_used_ = 0;
    after_.clear();
    guard_ = no_row;
    if (i.guard >= 0) {
        const std::uint32_t p = registers_.offset[static_cast<std::size_t>(i.guard)];
        // What may wait or leave runs in a split of its own; see Ins.
        static constexpr std::string_view branching[] = {
            "call", "ret",   "exit",  "trap",  "bar", "barrier", "shfl",
            "vote", "match", "redux", "elect", "mma", "brx",     "brkpt"};
        bool branches =
            std::find(std::begin(branching), std::end(branching), i.opcode) != std::end(branching);
        for (std::string_view clock : {"%clock", "%clock64", "%clock_hi", "%globaltimer"})
            branches |= i.operand_count > 1 && operand(i, 1).kind == OperandKind::special &&
                        operand(i, 1).name == clock;
        if (branches) {
            Ins skip;
            skip.guard = p;
            skip.guard_negated = !i.guard_negated;
            skip.target = n + 1;
            branches_.push_back(static_cast<std::uint32_t>(program_.code.size()));
            emit(op::bra_if, Keep::self, skip);
        } else if (i.opcode != "bra") {
            guard_ = p;
            guard_negated_ = i.guard_negated;
        }
    }
    decode_one(i);
    flush_writes();
}

void FunctionDecoder::decode_one(const ptx::Instruction& i) {
    // A register that stands for something else is never written.
    if (i.operand_count != 0 && i.guard < 0) {
        const ptx::Operand& to = operand(i, 0);
        const auto is_alias = [&](const ptx::Operand& o) {
            return o.kind == OperandKind::reg &&
                   aliases_[static_cast<std::size_t>(o.reg)].kind != Alias::Kind::none;
        };
        bool all = i.opcode == "mov" || i.opcode == "ld" || i.opcode == "cvta" || i.opcode == "add";
        if (to.kind == OperandKind::vector)
            for (std::uint32_t n = 0; n < to.count; ++n)
                all = all && is_alias(source_.operands[to.first + n]);
        else
            all = all && is_alias(to);
        if (all) return;
    }
    // Memory is sequentially consistent here; only observers care about fences.
    if (i.opcode == "membar" || i.opcode == "fence") {
        emit(op::nop, Keep::self, Ins{});
        return;
    }
    static constexpr std::string_view nothing[] = {"prefetch",  "prefetchu", "griddepcontrol",
                                                   "pmevent",   "discard",   "applypriority",
                                                   "setmaxnreg"};
    if (std::find(std::begin(nothing), std::end(nothing), i.opcode) != std::end(nothing)) return;
    const std::size_t before = program_.code.size();
    const bool known = decode_control(i) || decode_memory(i) || decode_warp(i) || decode_mov(i) ||
                       decode_lop3(i) || decode_cvt(i) || decode_compare(i) || decode_table(i);
    if (known) return;
    program_.code.resize(before);
    program_.origins.resize(before);
    after_.clear();
    reject();
}

void FunctionDecoder::reject() {
    const ptx::Instruction& i = source_.instructions[now_];
    std::string form(i.opcode);
    for (std::size_t n = 0; n < i.modifier_count; ++n) form += fmt::format(".{}", i.modifiers[n]);
    const auto at = static_cast<std::uint32_t>(program_.code.size());
    program_.unsupported.push_back({at, std::move(form)});
    guard_ = no_row;
    emit(unsupported_form, Keep::self, Ins{});
}

Ins& FunctionDecoder::emit(Handler handler, Keep keep, Ins ins) {
    ins.op = handler;
    const Handler masked = keep == Keep::row4 ? keep4 : keep == Keep::row8 ? keep8 : handler;
    if (guard_ != no_row) {
        ins.guard = guard_;
        ins.guard_negated = guard_negated_;
        ins.fast = ins.slow = guard;
        ins.inner = masked;
    } else {
        ins.fast = handler;
        ins.slow = masked;
    }
    program_.code.push_back(ins);
    program_.origins.push_back({index_, now_});
    return program_.code.back();
}

// --- operands -----------------------------------------------------------------------------------

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

/// The row to read an operand from, `bytes` a lane; 0: as wide as it is. `type` says how a
/// floating-point literal is meant.
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
                    reject();
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
                    reject();
                }
            }
            break;
        case OperandKind::reg: {
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
        default: ref = module_.constant(0, bytes == 8 ? 8 : 4); break;
    }
    if (bytes == 0 || ref.bytes == bytes) return ref;
    const Ref other = temporary(bytes);
    Ins ins;
    ins.d = other.offset;
    set_a(ins, ref);
    emit(bytes == 4 ? op::narrow : op::widen, bytes == 4 ? Keep::row4 : Keep::row8, ins);
    return other;
}

/// The row for a result of `bytes` a lane. A wider or narrower register is written afterwards.
std::uint32_t FunctionDecoder::write(const ptx::Operand& o, std::uint32_t bytes) {
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

/// Offset of the predicate that an operand names; a constant one is put into the scratch word.
std::uint32_t FunctionDecoder::read_predicate(const ptx::Operand& o) {
    if (o.kind == OperandKind::reg) return registers_.offset[static_cast<std::size_t>(o.reg)];
    Ins ins;
    ins.d = scratch_predicate_;
    ins.imm = o.kind == OperandKind::immediate && o.bits != 0 ? 1 : 0;
    emit(op::set_predicate, Keep::self, ins);
    return scratch_predicate_;
}

std::uint32_t FunctionDecoder::write_predicate(const ptx::Operand& o) {
    return o.kind == OperandKind::reg ? registers_.offset[static_cast<std::size_t>(o.reg)]
                                      : scratch_predicate_;
}

// --- forms of the opcode table ------------------------------------------------------------------

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
        if (const Flag* flag = is_float ? float_flag(m) : nullptr) {
            flags |= flag->bits;
        } else if (is_float && m == "abs") {
            flags |= magnitudes;
        } else {
            form += '.';
            form += m;
        }
    }
    const auto found = opcode_table().find(form);
    if (found == opcode_table().end()) {
        if (i.opcode == "not" && type == Type::pred) {
            Ins ins;
            ins.a = read_predicate(operand(i, 1));
            ins.d = write_predicate(operand(i, 0));
            ins.negated = !operand(i, 1).negated;
            emit(op::copy_predicate, Keep::self, ins);
            return true;
        }
        return false;
    }
    const OpRow& row = *found->second;
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

// --- mov, cvt, cvta, setp, set ------------------------------------------------------------------

bool FunctionDecoder::decode_mov(const ptx::Instruction& i) {
    if (i.opcode == "cvta") return decode_cvta(i);
    if (i.opcode == "isspacep") {
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
    if (i.opcode == "createpolicy" && i.operand_count >= 1) {
        // What caches should keep changes nothing here.
        Ins ins;
        set_a(ins, module_.constant(0, 8));
        ins.d = write(operand(i, 0), 8);
        emit(op::copy8, Keep::row8, ins);
        return true;
    }
    if (i.opcode != "mov" || i.operand_count != 2 || i.modifier_count != 1) return false;
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
    if (from.kind == OperandKind::vector) {
        std::vector<Ref> elements;
        for (std::uint32_t n = 0; n < from.count; ++n)
            elements.push_back(read(source_.operands[from.first + n], 4));
        ins.target = list(elements);
        ins.aux = static_cast<std::uint32_t>(ptx::bits(*type)) / from.count;
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

bool FunctionDecoder::decode_cvta(const ptx::Instruction& i) {
    if (i.operand_count != 2) return false;
    std::int64_t window = 0;
    if (i.has("shared") || i.has("shared::cta"))
        window = static_cast<std::int64_t>(shared_window);
    else if (i.has("local"))
        window = static_cast<std::int64_t>(local_window);
    else if (i.has("param"))
        window = static_cast<std::int64_t>(param_window);
    else if (!i.has("global") && !i.has("const"))
        return false;
    Ins ins;
    set_a(ins, read(operand(i, 1), 8));
    ins.imm = i.has("to") ? -window : window;
    ins.d = write(operand(i, 0), 8);
    emit(op::add_imm8, Keep::row8, ins);
    return true;
}

bool FunctionDecoder::decode_cvt(const ptx::Instruction& i) {
    if (i.opcode != "cvt" || i.modifier_count < 2) return false;
    if (i.has("pack")) return decode_cvt_pack(i);
    const auto to = type_named(i.modifiers[i.modifier_count - 2u]);
    const auto from = type_named(i.modifiers[i.modifier_count - 1u]);
    std::uint32_t flags = 0;
    for (std::size_t n = 0; n + 2 < i.modifier_count; ++n) {
        const Flag* flag = float_flag(i.modifiers[n]);
        if (flag == nullptr) return false;
        flags |= flag->bits;
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

/// lop3.and and lop3.or d|p, a, b, c, table, q: p is (d != 0) combined with q.
bool FunctionDecoder::decode_lop3(const ptx::Instruction& i) {
    if (i.opcode != "lop3" || !i.paired || i.operand_count != 7 ||
        operand(i, 5).kind != OperandKind::immediate)
        return false;
    Ins ins;
    set_a(ins, read(operand(i, 2), 4));
    set_b(ins, read(operand(i, 3), 4));
    set_c(ins, read(operand(i, 4), 4));
    ins.imm = static_cast<std::int64_t>(operand(i, 5).bits);
    const Ref result{write(operand(i, 0), 4), in_frame, 4};
    ins.d = result.offset;
    emit(opcode_table().at("lop3.b32")->fast, Keep::row4, ins);
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
    if ((!is_set && i.opcode != "setp") || i.modifier_count < 2) return false;
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
        // What a lane (of pairs: a half) becomes where the comparison holds.
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
