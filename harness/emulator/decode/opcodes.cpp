#include "emulator/decode/opcodes.hpp"

#include <algorithm>
#include <unordered_map>

#include "emulator/decode/decoder.hpp"

namespace cugrade::emulator {
namespace {

using enum InstructionClass;

/// A member of the decoder as a Decode.
template <bool (FunctionDecoder::*member)(const ptx::Instruction&)>
bool by(FunctionDecoder& decoder, const ptx::Instruction& i) {
    return (decoder.*member)(i);
}
using D = FunctionDecoder;
using By = Counted::By;

constexpr Counted as(InstructionClass c, By by = By::opcode) { return {c, by}; }
constexpr auto wide = Slots::two_if_wide;
constexpr auto no_result = Writes::nothing;
constexpr auto in_a_split = Guarded::in_a_split;
constexpr Counted on_function_unit = as(special, By::function_unit);

constexpr Opcode rows[] = {
    // Moves.
    {.name = "mov",
     .decode = by<&D::decode_mov>,
     .counted = as(move),
     .slots = Slots::of_move,
     .may_be_folded = true},
    {.name = "cvta",
     .decode = by<&D::decode_cvta>,
     .counted = as(move),
     .slots = Slots::none,
     .may_be_folded = true},
    {.name = "isspacep", .decode = by<&D::decode_isspacep>, .counted = as(move)},
    {.name = "prmt", .counted = as(move)},
    {.name = "createpolicy", .decode = by<&D::decode_createpolicy>},
    {.name = "cvt",
     .decode = by<&D::decode_cvt>,
     .counted = as(conversion),
     .slots = Slots::of_conversion},
    // Arithmetic and logic: their forms are in the tables of ../ops.
    {.name = "add", .slots = wide, .may_be_folded = true},
    {.name = "sub", .slots = wide},
    {.name = "min", .slots = wide},
    {.name = "max", .slots = wide},
    {.name = "neg", .slots = wide},
    {.name = "abs", .slots = wide},
    {.name = "shl", .slots = wide},
    {.name = "shr", .slots = wide},
    {.name = "and", .counted = {integer, By::type_or_predicate}, .slots = wide},
    {.name = "or", .counted = {integer, By::type_or_predicate}, .slots = wide},
    {.name = "xor", .counted = {integer, By::type_or_predicate}, .slots = wide},
    {.name = "not",
     .decode = by<&D::decode_not>,
     .counted = {integer, By::type_or_predicate},
     .slots = wide},
    {.name = "lop3", .decode = by<&D::decode_lop3>},
    {.name = "bfe", .slots = Slots::two},
    {.name = "bfi", .slots = Slots::two},
    {.name = "mul", .slots = Slots::of_product},
    {.name = "mad", .slots = Slots::of_product},
    {.name = "div", .slots = Slots::of_division},
    {.name = "rem", .slots = Slots::of_division},
    {.name = "ex2", .counted = on_function_unit},
    {.name = "lg2", .counted = on_function_unit},
    {.name = "rsqrt", .counted = on_function_unit},
    {.name = "sin", .counted = on_function_unit},
    {.name = "cos", .counted = on_function_unit},
    {.name = "tanh", .counted = on_function_unit},
    {.name = "rcp", .counted = on_function_unit, .slots = Slots::of_root},
    {.name = "sqrt", .counted = on_function_unit, .slots = Slots::of_root},
    // Comparisons and choices.
    {.name = "setp", .decode = by<&D::decode_compare>, .counted = as(predicate), .slots = wide},
    {.name = "set", .decode = by<&D::decode_compare>, .counted = as(predicate)},
    {.name = "testp", .counted = as(predicate)},
    {.name = "selp", .counted = as(predicate), .slots = wide},
    {.name = "slct", .counted = as(predicate)},
    // Memory.
    {.name = "ld",
     .decode = by<&D::decode_memory>,
     .memory = MemoryUse::loads,
     .value = ValueFrom::memory,
     .counted = as(load),
     .slots = Slots::none_of_parameters,
     .may_be_folded = true},
    {.name = "ldu",
     .decode = by<&D::decode_memory>,
     .memory = MemoryUse::loads,
     .value = ValueFrom::memory,
     .counted = as(load)},
    {.name = "st",
     .decode = by<&D::decode_memory>,
     .writes = no_result,
     .memory = MemoryUse::stores,
     .counted = as(store),
     .slots = Slots::none_of_parameters},
    {.name = "atom",
     .decode = by<&D::decode_atomic>,
     .memory = MemoryUse::changes,
     .value = ValueFrom::memory,
     .counted = as(atomic)},
    {.name = "red",
     .decode = by<&D::decode_atomic>,
     .writes = no_result,
     .memory = MemoryUse::reduces,
     .counted = as(atomic)},
    {.name = "cp",
     .decode = by<&D::decode_cp_async>,
     .writes = no_result,
     .memory = MemoryUse::copies,
     .counted = as(load)},
    {.name = "membar", .decode = by<&D::decode_fence>, .writes = no_result, .counted = as(fence)},
    {.name = "fence", .decode = by<&D::decode_fence>, .writes = no_result, .counted = as(fence)},
    // Not executed. Their rows say which registers they write.
    {.name = "ldmatrix", .counted = as(load)},
    {.name = "stmatrix", .writes = no_result, .counted = as(store)},
    {.name = "tex", .value = ValueFrom::elsewhere},
    {.name = "tld4", .value = ValueFrom::elsewhere},
    {.name = "suld", .value = ValueFrom::elsewhere},
    // Hints: nothing is executed.
    {.name = "prefetch",
     .decode = by<&D::decode_nothing>,
     .writes = no_result,
     .counted = as(load)},
    {.name = "prefetchu",
     .decode = by<&D::decode_nothing>,
     .writes = no_result,
     .counted = as(load)},
    {.name = "griddepcontrol", .decode = by<&D::decode_nothing>, .writes = no_result},
    {.name = "pmevent", .decode = by<&D::decode_nothing>, .writes = no_result},
    {.name = "discard", .decode = by<&D::decode_nothing>, .writes = no_result},
    {.name = "applypriority", .decode = by<&D::decode_nothing>, .writes = no_result},
    {.name = "setmaxnreg", .decode = by<&D::decode_nothing>, .writes = no_result},
    // Control.
    {.name = "bra",
     .decode = by<&D::decode_bra>,
     .writes = no_result,
     .guarded = Guarded::by_itself,
     .control = Control::branches,
     .counted = as(control)},
    {.name = "brx",
     .decode = by<&D::decode_brx>,
     .writes = no_result,
     .guarded = in_a_split,
     .control = Control::branches_by_table,
     .counted = as(control)},
    {.name = "call",
     .decode = by<&D::decode_call>,
     .writes = no_result,
     .guarded = in_a_split,
     .control = Control::calls,
     .value = ValueFrom::elsewhere,
     .counted = as(control)},
    {.name = "ret",
     .decode = by<&D::decode_ret>,
     .writes = no_result,
     .guarded = in_a_split,
     .control = Control::returns,
     .counted = as(control)},
    {.name = "exit",
     .decode = by<&D::decode_exit>,
     .writes = no_result,
     .guarded = in_a_split,
     .control = Control::exits,
     .counted = as(control)},
    {.name = "trap",
     .decode = by<&D::decode_trap>,
     .writes = no_result,
     .guarded = in_a_split,
     .control = Control::traps,
     .counted = as(control)},
    {.name = "brkpt",
     .decode = by<&D::decode_trap>,
     .writes = no_result,
     .guarded = in_a_split,
     .control = Control::traps,
     .counted = as(control)},
    {.name = "nanosleep",
     .decode = by<&D::decode_nanosleep>,
     .writes = no_result,
     .counted = as(control)},
    {.name = "bar",
     .decode = by<&D::decode_barrier>,
     .writes = Writes::of_reduction,
     .guarded = in_a_split,
     .value = ValueFrom::other_lanes,
     .counted = as(barrier, By::scope)},
    {.name = "barrier",
     .decode = by<&D::decode_barrier>,
     .writes = Writes::of_reduction,
     .guarded = in_a_split,
     .value = ValueFrom::other_lanes,
     .counted = as(barrier, By::scope)},
    // Warp-level.
    {.name = "activemask",
     .decode = by<&D::decode_activemask>,
     .value = ValueFrom::other_lanes,
     .counted = as(warp)},
    {.name = "elect",
     .decode = by<&D::decode_elect>,
     .guarded = in_a_split,
     .value = ValueFrom::other_lanes,
     .counted = as(warp)},
    {.name = "shfl",
     .decode = by<&D::decode_shfl>,
     .guarded = in_a_split,
     .value = ValueFrom::other_lanes,
     .counted = as(warp)},
    {.name = "vote",
     .decode = by<&D::decode_vote>,
     .guarded = in_a_split,
     .value = ValueFrom::other_lanes,
     .counted = as(warp)},
    {.name = "match",
     .decode = by<&D::decode_match>,
     .guarded = in_a_split,
     .value = ValueFrom::other_lanes,
     .counted = as(warp)},
    {.name = "redux",
     .decode = by<&D::decode_redux>,
     .guarded = in_a_split,
     .value = ValueFrom::other_lanes,
     .counted = as(warp)},
    {.name = "mma", .decode = by<&D::decode_mma>, .guarded = in_a_split, .counted = as(integer)},
};

}  // namespace

std::span<const Opcode> opcodes() { return rows; }

const Opcode& opcode_of(const ptx::Instruction& i) {
    static const std::unordered_map<std::string_view, const Opcode*> by_name = [] {
        std::unordered_map<std::string_view, const Opcode*> t;
        for (const Opcode& row : rows) t.emplace(row.name, &row);
        return t;
    }();
    static constexpr Opcode without_row{};
    const auto found = by_name.find(i.opcode);
    return found == by_name.end() ? without_row : *found->second;
}

InstructionClass class_of(const ptx::Instruction& i) {
    const Opcode& o = opcode_of(i);
    const auto has_type = [&i](std::initializer_list<std::string_view> types) {
        return std::any_of(types.begin(), types.end(), [&i](auto t) { return i.has(t); });
    };
    switch (o.counted.by) {
        case By::opcode: return o.counted.as;
        case By::scope: return i.has("warp") ? warp : o.counted.as;
        case By::function_unit: return i.has("f64") && !i.has("approx") ? fp64 : o.counted.as;
        case By::type_or_predicate:
            if (i.has("pred")) return predicate;
            break;
        case By::type: break;
    }
    if (i.has("f64")) return fp64;
    if (has_type({"f32", "f32x2"})) return fp32;
    if (has_type({"f16", "f16x2", "bf16", "bf16x2"})) return fp16;
    return integer;
}

}  // namespace cugrade::emulator
