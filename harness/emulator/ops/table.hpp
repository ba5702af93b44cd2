// The opcode table: one row per form, one array of rows per family of opcodes.
#pragma once

#include <span>

#include "emulator/state/warp.hpp"

namespace cugrade::emulator {

/// Modifiers of a floating-point form that do not select a row; Ins::aux of `general` holds them.
enum FloatFlag : std::uint32_t {
    round_nearest = 0,
    round_zero = 1,
    round_down = 2,
    round_up = 3,
    round_mask = 3,
    flush_denormals = 4,
    saturate = 8,
    integer_rounding = 16,  ///< cvt.rni and so on: the result is an integer
    nan_propagates = 32,    ///< min.NaN, max.NaN
    round_away = 64,
    relu = 128,
    xorsign = 256,     ///< min, max: the sign is the product's
    magnitudes = 512,  ///< min, max: of absolute values
    finite = 1024,     ///< cvt.satfinite: overflow gives the largest number
};

/// `form` is the opcode with its modifiers, but for FloatFlag's. `shape` lists the operands, the
/// destination first: 4 or 8 a row of that many bytes a lane, p a predicate, P a predicate that is
/// the destination.
struct OpRow {
    std::string_view form;
    std::string_view shape;
    Handler fast;               ///< no flag set
    Handler general = nullptr;  ///< any flag set; nullptr: a form with flags is not supported
};

std::span<const OpRow> integer_rows();
std::span<const OpRow> bit_rows();
std::span<const OpRow> float_rows();
std::span<const OpRow> half_rows();

enum class Compare : std::uint8_t {
    eq,
    ne,
    lt,
    le,
    gt,
    ge,
    equ,
    neu,
    ltu,
    leu,
    gtu,
    geu,
    num,
    nan
};

/// Handlers of forms whose modifiers the decoder takes apart itself; nullptr: not supported.
Handler compare_handler(Compare, ptx::Type, bool set);
Handler convert_handler(ptx::Type to, ptx::Type from, bool plain);
/// Between pairs of 8-bit floats ("e4m3x2", "e5m2x2") and "f32" or "f16x2".
Handler byte_float_handler(std::string_view to, std::string_view from);
Handler load_handler(ptx::Space, ptx::Type, int row_bytes, int address_bytes, int count);
Handler store_handler(ptx::Space, int element_bytes, int row_bytes, int address_bytes, int count);
Handler static_load_handler(ptx::Type, int row_bytes);
Handler param_load_handler(ptx::Type, int row_bytes);
Handler param_store_handler(int element_bytes, int row_bytes);
Handler atomic_handler(std::string_view operation, ptx::Type, bool shared, int address_bytes);

Handler select_handler();  ///< selp of 4-byte rows

/// Opcodes whose operands the decoder takes apart itself: warp-level, control, system, moves.
namespace op {
const Ins* bra(Warp&, const Ins*);
const Ins* bra_if(Warp&, const Ins*);
const Ins* brx(Warp&, const Ins*);
const Ins* call(Warp&, const Ins*);
const Ins* call_indirect(Warp&, const Ins*);
const Ins* call_builtin(Warp&, const Ins*);
const Ins* ret(Warp&, const Ins*);
const Ins* exit(Warp&, const Ins*);
const Ins* trap(Warp&, const Ins*);
const Ins* bar(Warp&, const Ins*);
const Ins* bar_warp(Warp&, const Ins*);
const Ins* nop(Warp&, const Ins*);
const Ins* nanosleep(Warp&, const Ins*);
const Ins* shfl(Warp&, const Ins*);
const Ins* vote(Warp&, const Ins*);
const Ins* match(Warp&, const Ins*);
const Ins* redux(Warp&, const Ins*);
const Ins* activemask(Warp&, const Ins*);
const Ins* elect(Warp&, const Ins*);
const Ins* mma(Warp&, const Ins*);
const Ins* clock4(Warp&, const Ins*);
const Ins* clock8(Warp&, const Ins*);
const Ins* local_address(Warp&, const Ins*);  ///< d = imm + the frame's offset in local memory
const Ins* isspacep(Warp&, const Ins*);
const Ins* add_imm8(Warp&, const Ins*);  ///< d = a + imm
const Ins* cp_async(Warp&, const Ins*);
const Ins* set_predicate(Warp&, const Ins*);  ///< d = imm ? true : false
const Ins* copy_predicate(Warp&, const Ins*);
const Ins* and_predicate(Warp&, const Ins*);
const Ins* or_predicate(Warp&, const Ins*);
const Ins* xor_predicate(Warp&, const Ins*);
const Ins* tf32(Warp&, const Ins*);
const Ins* pack_clamped(Warp&, const Ins*);
const Ins* copy4(Warp&, const Ins*);
const Ins* copy8(Warp&, const Ins*);
const Ins* narrow(Warp&, const Ins*);    ///< 4-byte row = low half of an 8-byte row
const Ins* widen(Warp&, const Ins*);     ///< 8-byte row = 4-byte row, zero-extended
const Ins* extract4(Warp&, const Ins*);  ///< d = (8-byte a >> imm) masked to aux bits
const Ins* extract2(Warp&, const Ins*);  ///< the same of a 4-byte row
const Ins* pack4(Warp&, const Ins*);     ///< elements of `aux` bits, list at `target`
const Ins* pack8(Warp&, const Ins*);
}  // namespace op

/// Built-in functions that device code calls: index for op::call_builtin, -1 if there is none.
int builtin_index(std::string_view name);

}  // namespace cugrade::emulator
