// The mask of a warp-level call, and the lane that a shuffle reads.
//
// Code that is not optimised calls a function of the toolkit for each, with the mask as its first
// argument; otherwise the instruction itself stands in the student's line.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "emulator/interventions/code.hpp"
#include "emulator/interventions/instruction_change.hpp"
#include "emulator/interventions/rewriter.hpp"
#include "emulator/interventions/values.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;

constexpr std::uint64_t all_lanes = 0xFFFFFFFF;

bool is_warp_call(std::string_view function, bool only_shuffles) {
    if (function.find("__syncwarp") != std::string_view::npos) return !only_shuffles;
    if (function.find("_sync") == std::string_view::npos) return false;
    for (const std::string_view name :
         {"__shfl", "__ballot", "__any", "__all", "__match", "__reduce"})
        if (function.find(name) != std::string_view::npos)
            return !only_shuffles || name == "__shfl";
    return false;
}

/// An operand of an instruction.
struct Where {
    std::uint32_t instruction = 0, operand = 0;
};

/// Where argument `n` of the call is stored: `st.param [param0], 65535`.
std::optional<Where> argument_of(const Function& f, std::uint32_t call, std::uint32_t n) {
    const Instruction& i = f.instructions[call];
    const Operand& arguments = operand(f, i, 2);
    if (arguments.kind != OperandKind::vector || n >= arguments.count) return std::nullopt;
    const Operand& argument = f.operands[arguments.first + n];
    for (std::uint32_t k = call; k-- > 0 && call - k <= 16;) {
        const Instruction& store = f.instructions[k];
        if (store.opcode != "st" || !store.has("param") || store.operand_count != 2) continue;
        const Operand& to = operand(f, store, 0);
        if (to.symbol_kind == argument.symbol_kind && to.symbol == argument.symbol)
            return Where{k, 1};
    }
    return std::nullopt;
}

std::optional<Where> mask_of(const Function& f, std::uint32_t n) {
    const Instruction& i = f.instructions[n];
    if (i.opcode == "bar" && i.has("warp") && i.operand_count == 1) return Where{n, 0};
    if (ptx::is_any_of(i.opcode, {"shfl", "vote", "match", "redux"}) && i.has("sync") &&
        i.operand_count >= 3)
        return Where{n, i.operand_count - 1U};
    if (i.opcode == "call" && i.operand_count >= 3 && is_warp_call(operand(f, i, 1).name, false))
        return argument_of(f, n, 0);
    return std::nullopt;
}

/// The number by which a shuffle chooses the lane.
std::optional<Where> lane_of(const Function& f, std::uint32_t n) {
    const Instruction& i = f.instructions[n];
    if (i.opcode == "shfl" && i.operand_count >= 5) return Where{n, i.paired ? 3U : 2U};
    if (i.opcode == "call" && i.operand_count >= 3 && is_warp_call(operand(f, i, 1).name, true))
        return argument_of(f, n, 2);
    return std::nullopt;
}

/// The operand of instruction `n` that `find` asks for. An argument is found at its store, which is
/// before the call.
std::optional<Where> found_at(const Function& f, std::uint32_t n,
                              std::optional<Where> (*find)(const Function&, std::uint32_t)) {
    const Instruction& i = f.instructions[n];
    std::optional<Where> where;
    if (i.opcode == "st" && i.has("param")) {
        for (std::uint32_t k = n + 1; k < f.instructions.size() && k - n <= 16 && !where; ++k)
            if (f.instructions[k].opcode == "call") where = find(f, k);
    } else {
        where = find(f, n);
    }
    return where && where->instruction == n ? where : std::nullopt;
}

const Operand& at(const Function& f, const Where& w) {
    return operand(f, f.instructions[w.instruction], w.operand);
}

/// The operand's number, if the code says it: `mov.u32 %r5, 16` may stand before the call.
std::optional<std::uint64_t> number_of(const Function& f, const Operand& o) {
    if (is_immediate(o)) return o.bits;
    if (!is_register(o)) return std::nullopt;
    const std::uint32_t n = Values(f).written_at(o.reg);
    if (n == Values::none || f.instructions[n].opcode != "mov") return std::nullopt;
    const Operand& from = operand(f, f.instructions[n], 1);
    return is_immediate(from) ? std::optional(from.bits) : std::nullopt;
}

enum MaskValue : std::int64_t { full = 0, active = 1 };

class Mask final : public InstructionChange {
public:
    InterventionKind kind() const override { return InterventionKind::full_mask; }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const Where where{one.instruction, operand_of(f.instructions[one.instruction])};
        Operand& mask = operand(f, f.instructions[where.instruction], where.operand);
        if (one.value == full) {
            mask = Rewriter::immediate(all_lanes);
            return;
        }
        Rewriter rewriter(module, f);
        mask = Rewriter::reg(rewriter.new_register(ptx::Type::b32));
        const Operand result = mask;
        rewriter.insert_before(one.instruction, {rewriter.make("activemask.b32", {result},
                                                               f.instructions[one.instruction])});
    }

protected:
    bool takes_inlined() const override { return true; }

    std::vector<Choice> choices(const Function& f, std::uint32_t n) const override {
        const auto where = found_at(f, n, mask_of);
        if (!where) return {};
        std::vector<Choice> all;
        if ((number_of(f, at(f, *where)).value_or(0) & all_lanes) != all_lanes)
            all.push_back({full, "`0xffffffff` as the mask", n});
        all.push_back({active, "`__activemask()` as the mask", n});
        return all;
    }

private:
    static std::uint32_t operand_of(const Instruction& i) {
        return i.opcode == "bar" ? 0 : i.operand_count - 1U;
    }
};

enum LaneValue : std::int64_t { one_less = -1, one_more = 1, twice = 2, half = -2 };

class Lane final : public InstructionChange {
public:
    InterventionKind kind() const override { return InterventionKind::shuffle_lane; }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const Instruction i = f.instructions[one.instruction];
        const std::uint32_t number = i.opcode == "shfl" ? (i.paired ? 3 : 2) : 1;
        const Operand lane = operand(f, i, number);
        if (const auto known = number_of(f, lane)) {
            operand(f, i, number) = Rewriter::immediate(changed(*known, one.value));
            return;
        }
        Rewriter rewriter(module, f);
        const Operand result = Rewriter::reg(rewriter.new_register(ptx::Type::b32));
        operand(f, i, number) = result;
        const bool shifts = one.value == twice || one.value == half;
        const std::uint64_t by = shifts ? 1 : static_cast<std::uint64_t>(one.value);
        rewriter.insert_before(one.instruction,
                               {rewriter.make(one.value == twice  ? "shl.b32"
                                              : one.value == half ? "shr.u32"
                                                                  : "add.s32",
                                              {result, lane, Rewriter::immediate(by)}, i)});
    }

protected:
    bool takes_inlined() const override { return true; }

    std::vector<Choice> choices(const Function& f, std::uint32_t n) const override {
        const auto where = found_at(f, n, lane_of);
        if (!where) return {};
        const Operand& lane = at(f, *where);
        if (!is_immediate(lane) && !is_register(lane)) return {};
        static constexpr std::pair<std::int64_t, const char*> words[] = {
            {one_more, "one lane further"},
            {one_less, "one lane less far"},
            {twice, "twice as far"},
            {half, "half as far"}};
        const auto known = number_of(f, lane);
        std::vector<Choice> all;
        for (const auto& [value, word] : words)
            if (!known || changed(*known, value) != *known)
                all.push_back({value,
                               known
                                   ? fmt::format("`{}` to `{}` in the shuffle", *known,
                                                 static_cast<std::int64_t>(changed(*known, value)))
                                   : fmt::format("a shuffle {}", word),
                               n});
        return all;
    }

private:
    static std::uint64_t changed(std::uint64_t lane, std::int64_t value) {
        if (value == twice) return lane * 2;
        if (value == half) return lane / 2;
        return lane + static_cast<std::uint64_t>(value);
    }
};

}  // namespace

std::unique_ptr<CodeChange> make_full_mask_change() { return std::make_unique<Mask>(); }
std::unique_ptr<CodeChange> make_shuffle_lane_change() { return std::make_unique<Lane>(); }

}  // namespace cugrade::emulator
