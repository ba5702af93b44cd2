// Emission of branches, calls and barriers.
#include "emulator/decode/decoder.hpp"

namespace cugrade::emulator {

using ptx::OperandKind;

bool FunctionDecoder::decode_bra(const ptx::Instruction& i) {
    if (i.operand_count != 1 || operand(i, 0).kind != OperandKind::label) return false;
    Ins ins;
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

bool FunctionDecoder::decode_brx(const ptx::Instruction& i) {
    if (i.operand_count != 2 || operand(i, 1).kind != OperandKind::label) return false;
    Ins ins;
    set_a(ins, read(operand(i, 0), 4));
    ins.aux = static_cast<std::uint32_t>(program_.tables.size());
    program_.tables.push_back(source_.branch_tables[operand(i, 1).target]);
    emit(op::brx, Keep::self, ins);
    return true;
}

bool FunctionDecoder::decode_ret(const ptx::Instruction&) {
    emit(op::ret, Keep::self, Ins{});
    return true;
}
bool FunctionDecoder::decode_exit(const ptx::Instruction&) {
    emit(op::exit, Keep::self, Ins{});
    return true;
}
bool FunctionDecoder::decode_trap(const ptx::Instruction&) {
    emit(op::trap, Keep::self, Ins{});
    return true;
}
bool FunctionDecoder::decode_nanosleep(const ptx::Instruction&) {
    emit(op::nanosleep, Keep::self, Ins{});
    return true;
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
        // A program that links libcudadevrt has definitions of the device runtime. They drive
        // hardware, so the built-in functions take their place.
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
    if (i.is_meeting) {
        ins.aux = 5;
        emit(op::bar, Keep::self, ins);
        return true;
    }
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

}  // namespace cugrade::emulator
