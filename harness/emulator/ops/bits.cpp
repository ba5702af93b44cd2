// Logic, shifts, bit fields and selection.
#include <bit>

#include "emulator/ops/lane_loops.hpp"

namespace cugrade::emulator {
namespace {

/// A shift by the width or more gives 0; a signed right shift gives copies of the sign.
template <class T>
T shift_left(T a, u32 n) {
    return n < 8 * sizeof(T) ? static_cast<T>(a << n) : T{0};
}
template <class T>
T shift_right(T a, u32 n) {
    constexpr u32 width = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>)
        return static_cast<T>(a >> (n < width ? n : width - 1));
    else
        return n < width ? static_cast<T>(a >> n) : T{0};
}

/// Position or length of a field: PTX allows 0 to 255. Of larger numbers an H200 takes the low byte
/// for 32-bit fields and the whole number for 64-bit ones.
template <class T>
u32 field_operand(u32 n) {
    return sizeof(T) == 8 ? (n < 255 ? n : 255) : n & 0xFF;
}

/// The field of `length` bits from `position`. Bits past the top are copies of the sign, or 0 for
/// unsigned types.
template <class T>
T extract_field(T value, u32 position, u32 length) {
    constexpr u32 width = 8 * sizeof(T);
    using U = std::make_unsigned_t<T>;
    position = field_operand<T>(position);
    length = field_operand<T>(length);
    U sign = 0;
    if constexpr (std::is_signed_v<T>) {
        if (length == 0) return 0;
        const u32 top = position + length - 1 < width ? position + length - 1 : width - 1;
        sign = static_cast<U>(U(value) >> top & 1);
    }
    const u32 present = position >= width           ? 0
                        : length < width - position ? length
                                                    : width - position;
    U field = present == 0 ? U{0} : static_cast<U>(U(value) >> position);
    if (present < width) field &= static_cast<U>((U{1} << present) - 1);
    if (sign != 0 && present < width) {
        U above = static_cast<U>(~U{0} << present);
        field |= above;
    }
    return static_cast<T>(field);
}

template <class T>
T insert_field(T source, T into, u32 position, u32 length) {
    constexpr u32 width = 8 * sizeof(T);
    position = field_operand<T>(position);
    length = field_operand<T>(length);
    if (position >= width || length == 0) return into;
    T mask = length < width ? static_cast<T>((T{1} << length) - 1) : static_cast<T>(~T{0});
    mask = static_cast<T>(mask << position);
    return static_cast<T>((into & ~mask) | ((source << position) & mask));
}

/// Position of the most significant bit that is not the sign; all ones if there is none.
template <class T>
u32 find_leading(T value, bool as_shift) {
    using U = std::make_unsigned_t<T>;
    const U bits = static_cast<U>(std::is_signed_v<T> && value < T{0} ? ~U(value) : U(value));
    if (bits == 0) return 0xFFFFFFFF;
    const u32 zeros = static_cast<u32>(std::countl_zero(bits));
    return as_shift ? zeros : static_cast<u32>(8 * sizeof(T)) - 1 - zeros;
}

template <class T>
T reverse(T value) {
    T result = 0;
    for (u32 n = 0; n < 8 * sizeof(T); ++n) result = static_cast<T>(result << 1 | (value >> n & 1));
    return result;
}

/// A mask of `length` bits from `position`. Numbers above 31 are clamped or wrap.
u32 bit_mask(u32 position, u32 length, bool wrap) {
    if (wrap) {
        position &= 31;
        length &= 31;
    }
    if (position >= 32 || length == 0) return 0;
    const u64 field = length >= 32 ? 0xFFFFFFFFu : (u64{1} << length) - 1;
    return static_cast<u32>(field << position);
}

u32 funnel_left(u32 low, u32 high, u32 n, bool wrap) {
    n = wrap ? n & 31 : n < 32 ? n : 32;
    return static_cast<u32>((u64{high} << 32 | low) << n >> 32);
}
u32 funnel_right(u32 low, u32 high, u32 n, bool wrap) {
    n = wrap ? n & 31 : n < 32 ? n : 32;
    return static_cast<u32>((u64{high} << 32 | low) >> n);
}

/// lop3's truth table: bit (4a + 2b + c) of `table` is the result for one bit of each operand.
const Ins* lop3(Warp& w, const Ins* i) {
    const auto d = w.dst<u32>(i);
    const auto a = w.a<u32>(i);
    const auto b = w.b<u32>(i);
    const auto c = w.c<u32>(i);
    const auto table = static_cast<u32>(i->imm);
    for (u32 l = 0; l < lanes; ++l) {
        const u32 x = a.get(l), y = b.get(l), z = c.get(l);
        u32 result = 0;
        for (u32 n = 0; n < 8; ++n) {
            const u32 minterm =
                ((n & 4) != 0 ? x : ~x) & ((n & 2) != 0 ? y : ~y) & ((n & 1) != 0 ? z : ~z);
            if ((table >> n & 1) != 0) result |= minterm;
        }
        d.set(l, result);
    }
    return i + 1;
}

/// selp: c is a predicate. The bits of the word become lanes.
template <class T>
const Ins* select(Warp& w, const Ins* i) {
    const auto d = w.dst<T>(i);
    const auto a = w.a<T>(i);
    const auto b = w.b<T>(i);
    const u32 p = i->negated ? ~w.predicate(i->c) : w.predicate(i->c);
#pragma GCC ivdep
    for (u32 l = 0; l < lanes; ++l) d.set(l, (p >> l & 1) != 0 ? a.get(l) : b.get(l));
    return i + 1;
}

/// slct: a where c >= 0. A NaN selects b, negative zero a.
template <class T, class C>
Handler select_by_sign() {
    return ternary<T, T, T, C>([](T a, T b, C c) { return c >= C{0} ? a : b; });
}
/// slct.ftz: a subnormal is a zero, whatever its sign.
template <class T>
Handler select_by_flushed() {
    return ternary<T, T, T, float>([](T a, T b, float c) { return c > -0x1p-126f ? a : b; });
}

/// The position of the |offset|-th set bit of `mask`, counted from `base` up or, for a negative
/// offset, down; all ones if there is none. Offset 0 asks for the bit at `base` itself.
u32 find_nth_set(u32 mask, u32 base, s32 offset) {
    if (offset == 0) return base < 32 && (mask >> base & 1) != 0 ? base : 0xFFFFFFFF;
    u32 left = offset > 0 ? static_cast<u32>(offset) : 0 - static_cast<u32>(offset);
    for (u32 at = base; at<32; offset> 0 ? ++at : --at)
        if ((mask >> at & 1) != 0 && --left == 0) return at;
    return 0xFFFFFFFF;
}

#define CUGRADE_LOGIC(T, name, w)                                                               \
    {"and." name, w w w, binary<T, T, T>([](T a, T b) { return static_cast<T>(a & b); })},      \
        {"or." name, w w w, binary<T, T, T>([](T a, T b) { return static_cast<T>(a | b); })},   \
        {"xor." name, w w w, binary<T, T, T>([](T a, T b) { return static_cast<T>(a ^ b); })},  \
        {"not." name, w w, unary<T, T>([](T a) { return static_cast<T>(~a); })},                \
        {"cnot." name, w w, unary<T, T>([](T a) { return static_cast<T>(a == 0 ? 1 : 0); })}, { \
        "shl." name, w w "4", binary<T, T, u32>([](T a, u32 n) { return shift_left(a, n); })    \
    }
#define CUGRADE_SHR(T, name, w)                                                               \
    {                                                                                         \
        "shr." name, w w "4", binary<T, T, u32>([](T a, u32 n) { return shift_right(a, n); }) \
    }
#define CUGRADE_SELP(T, name, w) \
    { "selp." name, w w w "p", select<T> }
#define CUGRADE_SLCT(T, name, w)                                                           \
    {"slct." name ".s32", w w w "4", select_by_sign<T, s32>()}, {                          \
        "slct." name ".f32", w w w "4", select_by_sign<T, float>(), select_by_flushed<T>() \
    }
#define CUGRADE_FIELD(T, name, w)                                                               \
    {"bfe." name, w w "44",                                                                     \
     ternary<T, T, u32, u32>([](T a, u32 p, u32 n) { return extract_field(a, p, n); })},        \
        {"bfind." name, "4" w, unary<u32, T>([](T a) { return find_leading(a, false); })}, {    \
        "bfind.shiftamt." name, "4" w, unary<u32, T>([](T a) { return find_leading(a, true); }) \
    }

template <class T>
const Ins* insert(Warp& w, const Ins* i) {
    const auto d = w.dst<T>(i);
    const auto a = w.a<T>(i);
    const auto b = w.b<T>(i);
    const auto position = w.c<u32>(i);
    const Operand& last = w.launch->program->lists[i->target];
    const Row<u32> length{w.bases[last.base] + last.offset};
    for (u32 l = 0; l < lanes; ++l)
        d.set(l, insert_field(a.get(l), b.get(l), position.get(l), length.get(l)));
    return i + 1;
}

const OpRow table[] = {
    CUGRADE_LOGIC(u16, "b16", "4"),
    CUGRADE_LOGIC(u32, "b32", "4"),
    CUGRADE_LOGIC(u64, "b64", "8"),
    CUGRADE_SHR(u16, "b16", "4"),
    CUGRADE_SHR(u16, "u16", "4"),
    CUGRADE_SHR(s16, "s16", "4"),
    CUGRADE_SHR(u32, "b32", "4"),
    CUGRADE_SHR(u32, "u32", "4"),
    CUGRADE_SHR(s32, "s32", "4"),
    CUGRADE_SHR(u64, "b64", "8"),
    CUGRADE_SHR(u64, "u64", "8"),
    CUGRADE_SHR(s64, "s64", "8"),
    CUGRADE_SELP(u16, "b16", "4"),
    CUGRADE_SELP(u16, "u16", "4"),
    CUGRADE_SELP(u16, "s16", "4"),
    CUGRADE_SELP(u16, "f16", "4"),
    CUGRADE_SELP(u32, "b32", "4"),
    CUGRADE_SELP(u32, "u32", "4"),
    CUGRADE_SELP(u32, "s32", "4"),
    CUGRADE_SELP(u32, "f32", "4"),
    CUGRADE_SELP(u64, "b64", "8"),
    CUGRADE_SELP(u64, "u64", "8"),
    CUGRADE_SELP(u64, "s64", "8"),
    CUGRADE_SELP(u64, "f64", "8"),
    CUGRADE_SLCT(u16, "b16", "4"),
    CUGRADE_SLCT(u16, "u16", "4"),
    CUGRADE_SLCT(u16, "s16", "4"),
    CUGRADE_SLCT(u32, "b32", "4"),
    CUGRADE_SLCT(u32, "u32", "4"),
    CUGRADE_SLCT(u32, "s32", "4"),
    CUGRADE_SLCT(u32, "f32", "4"),
    CUGRADE_SLCT(u64, "b64", "8"),
    CUGRADE_SLCT(u64, "u64", "8"),
    CUGRADE_SLCT(u64, "s64", "8"),
    CUGRADE_SLCT(u64, "f64", "8"),
    CUGRADE_FIELD(u32, "u32", "4"),
    CUGRADE_FIELD(s32, "s32", "4"),
    CUGRADE_FIELD(u64, "u64", "8"),
    CUGRADE_FIELD(s64, "s64", "8"),
    {"bfi.b32", "44444", insert<u32>},
    {"bfi.b64", "88844", insert<u64>},
    {"clz.b32", "44", unary<u32, u32>([](u32 a) { return static_cast<u32>(std::countl_zero(a)); })},
    {"clz.b64", "48", unary<u32, u64>([](u64 a) { return static_cast<u32>(std::countl_zero(a)); })},
    {"popc.b32", "44", unary<u32, u32>([](u32 a) { return static_cast<u32>(std::popcount(a)); })},
    {"popc.b64", "48", unary<u32, u64>([](u64 a) { return static_cast<u32>(std::popcount(a)); })},
    {"brev.b32", "44", unary<u32, u32>([](u32 a) { return reverse(a); })},
    {"brev.b64", "88", unary<u64, u64>([](u64 a) { return reverse(a); })},
    {"bmsk.clamp.b32", "444",
     binary<u32, u32, u32>([](u32 p, u32 n) { return bit_mask(p, n, false); })},
    {"bmsk.wrap.b32", "444",
     binary<u32, u32, u32>([](u32 p, u32 n) { return bit_mask(p, n, true); })},
    {"szext.clamp.u32", "444",
     binary<u32, u32, u32>([](u32 a, u32 n) { return n >= 32 ? a : extract_field<u32>(a, 0, n); })},
    {"szext.wrap.u32", "444",
     binary<u32, u32, u32>([](u32 a, u32 n) { return extract_field<u32>(a, 0, n & 31); })},
    {"szext.clamp.s32", "444",
     binary<s32, s32, u32>([](s32 a, u32 n) { return n >= 32 ? a : extract_field<s32>(a, 0, n); })},
    {"szext.wrap.s32", "444",
     binary<s32, s32, u32>([](s32 a, u32 n) { return extract_field<s32>(a, 0, n & 31); })},
    {"shf.l.wrap.b32", "4444",
     ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 n) { return funnel_left(a, b, n, true); })},
    {"shf.l.clamp.b32", "4444",
     ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 n) { return funnel_left(a, b, n, false); })},
    {"shf.r.wrap.b32", "4444",
     ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 n) { return funnel_right(a, b, n, true); })},
    {"shf.r.clamp.b32", "4444",
     ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 n) { return funnel_right(a, b, n, false); })},
    {"lop3.b32", "4444i", lop3},
    {"fns.b32", "4444",
     ternary<u32, u32, u32, s32>([](u32 m, u32 b, s32 n) { return find_nth_set(m, b, n); })},
    {"and.pred", "Ppp", op::and_predicate},
    {"or.pred", "Ppp", op::or_predicate},
    {"xor.pred", "Ppp", op::xor_predicate},
};

}  // namespace

Handler select_handler() { return select<u32>; }
std::span<const OpRow> bit_rows() { return table; }

}  // namespace cugrade::emulator
