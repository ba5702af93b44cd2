// Emission: one PTX instruction becomes no, one or a few decoded ones.
//
// An operand of another width than the operation goes through a temporary: a source is narrowed or
// widened before the operation, a result after it. Each emitted instruction gets its handlers for
// the converged and the diverged warp here, and nowhere else.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/decode/decoder.hpp"
#include "emulator/decode/opcodes.hpp"

namespace cugrade::emulator {

using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

FunctionDecoder::FunctionDecoder(ModuleDecoder& module, std::uint32_t index)
    : module_(module),
      program_(module.program_),
      index_(index),
      source_(*module.program_.functions[index].source),
      out_(module.program_.functions[index]),
      flow_(flow_of(source_)) {}

Status FunctionDecoder::run() {
    if (auto status = place_areas(); !status) return status;
    if (auto status = check_liveness(); !status) return status;
    find_aliases();
    std::vector<std::int32_t> canonical(source_.registers.size());
    std::vector<bool> dead(source_.registers.size());
    for (std::size_t r = 0; r < canonical.size(); ++r) {
        const std::int32_t end = end_of_copies(static_cast<std::int32_t>(r));
        canonical[r] = aliases_[static_cast<std::size_t>(end)].kind == Alias::Kind::row ? -1 : end;
        dead[r] = !used_[r];
    }
    registers_ = allocate_registers(source_, flow_, canonical, dead, module_.optimise_);
    for (auto r : registers_.live_in) {
        const auto type = source_.registers[static_cast<std::size_t>(r)].type;
        const std::uint32_t offset = registers_.offset[static_cast<std::size_t>(r)];
        if (offset == no_row) continue;
        if (type == Type::b128) out_.clear.push_back({offset + lanes * 8, in_frame, 8});
        out_.clear.push_back({offset, in_frame,
                              static_cast<std::uint8_t>(type == Type::pred ? 0 : row_bytes(type))});
    }
    out_.live_rows = registers_.rows;
    if (auto status = lay_out_frame(); !status) return status;

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
    return Done{};
}

/// Refuses functions that are too large to analyse: liveness takes three bits for each register in
/// each basic block.
Status FunctionDecoder::check_liveness() const {
    constexpr std::uint64_t limit = std::uint64_t{1} << 30;  // chosen
    const std::vector<bool> first = first_of_blocks(source_);
    const auto blocks = static_cast<std::uint64_t>(std::count(first.begin(), first.end(), true));
    const Checked bits = Checked(blocks + 1) * (source_.registers.size() + 64) * 3;
    if (bits.at_most(8 * limit)) return Done{};
    return Error{.kind = ErrorKind::submission,
                 .message = fmt::format("`{}` is too large: {} registers in {} basic blocks",
                                        demangled(source_.name), source_.registers.size(), blocks),
                 .remedy = "split the function, or unroll less"};
}

/// Places the temporaries behind the registers, and the parameters of calls behind them.
Status FunctionDecoder::lay_out_frame() {
    // The word behind the predicates is free up to the first row; see allocate_registers.
    std::uint32_t predicates = 1;
    for (const auto& r : source_.registers) predicates += r.type == Type::pred ? 1 : 0;
    scratch_predicate_ = 4 * predicates;
    Checked end(std::uint64_t{registers_.bytes});
    const auto reserve = [&](Checked<> bytes) {
        const std::uint64_t at = end.or_largest();
        end += bytes.rounded_up(64);
        return static_cast<std::uint32_t>(at);  // wrong only if the frame is refused below
    };
    temp8_ = reserve(std::uint64_t{temporaries * lanes * 8});
    temp4_ = reserve(std::uint64_t{temporaries * lanes * 4});
    const auto area = [&](std::uint64_t bytes) {
        // A multiple of 8, so that 64-bit values are whole.
        const Checked size = Checked(bytes).rounded_up(8);
        return Area{reserve(size * lanes), static_cast<std::uint32_t>(size.or_largest())};
    };
    for (std::size_t n = 0; n < source_.variables.size(); ++n)
        if (source_.variables[n].space == Space::param)
            variable_areas_[n] = area(source_.variables[n].bytes);
    if (!source_.is_entry) {
        for (const auto& p : source_.params) out_.params.push_back(area(p.bytes));
        for (const auto& p : source_.returns) out_.returns.push_back(area(p.bytes));
    }
    const auto bytes = end.within(max_frame_bytes);
    if (!bytes)
        return Error{
            .kind = ErrorKind::submission,
            .message = fmt::format("the registers and parameters of `{}` take {} bytes for "
                                   "each thread, more than the limit of {}",
                                   demangled(source_.name), end.or_largest() / lanes,
                                   max_frame_bytes / lanes),
            .remedy = "pass large structures by pointer"};
    out_.frame_bytes = static_cast<std::uint32_t>(*bytes);
    return Done{};
}

void FunctionDecoder::decode(std::uint32_t n) {
    now_ = n;
    const ptx::Instruction& i = source_.instructions[n];
    temps8_used_ = temps4_used_ = 0;
    after_.clear();
    malformed_ = false;
    guard_ = no_row;
    if (i.guard >= 0) {
        const std::uint32_t p = registers_.offset[static_cast<std::size_t>(i.guard)];
        const Guarded guarded = opcode_of(i).guarded;
        bool branches = guarded == Guarded::in_a_split;
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
        } else if (guarded == Guarded::masked) {
            guard_ = p;
            guard_negated_ = i.guard_negated;
        }
    }
    decode_one(i);
    flush_writes();
}

void FunctionDecoder::decode_one(const ptx::Instruction& i) {
    const Opcode& opcode = opcode_of(i);
    // Emit nothing if all registers that the instruction writes have an alias.
    if (i.operand_count != 0 && i.guard < 0) {
        const ptx::Operand& to = operand(i, 0);
        const auto is_alias = [&](const ptx::Operand& o) {
            return o.kind == OperandKind::reg &&
                   aliases_[static_cast<std::size_t>(o.reg)].kind != Alias::Kind::none;
        };
        bool all = opcode.may_be_folded && (to.kind != OperandKind::vector || to.count != 0);
        if (to.kind == OperandKind::vector)
            for (std::uint32_t n = 0; n < to.count; ++n)
                all = all && is_alias(source_.operands[to.first + n]);
        else
            all = all && is_alias(to);
        if (all) return;
    }
    const std::size_t before = program_.code.size();
    const std::size_t branches_before = branches_.size();
    const bool known = opcode.decode != nullptr ? opcode.decode(*this, i) : decode_table(i);
    if (known && !malformed_) return;
    branches_.resize(branches_before);
    program_.code.resize(before);
    program_.origins.resize(before);
    after_.clear();
    reject();
}

void FunctionDecoder::reject(std::string_view operand_name) {
    const ptx::Instruction& i = source_.instructions[now_];
    std::string form(i.opcode);
    for (std::size_t n = 0; n < i.modifier_count; ++n) form += fmt::format(".{}", i.modifiers[n]);
    if (operand_name.empty() && i.opcode == "call" && i.operand_count > 1)
        operand_name = operand(i, 1).name;  // the callee is unknown, not the form of the call
    if (!operand_name.empty()) form += fmt::format(" {}", ptx::demangled(operand_name));
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

}  // namespace cugrade::emulator
