// Integer arithmetic. Signed forms compute in unsigned arithmetic wherever it gives the same bits,
// because overflow wraps in PTX and is undefined in C++.
#include <algorithm>
#include <limits>

#include "emulator/ops/lane_loops.hpp"

namespace cugrade::emulator {
namespace {

// Types with twice the width, for products. 128-bit integers are an extension of GCC and Clang.
__extension__ using u128 = unsigned __int128;
__extension__ using s128 = __int128;

template <class T>
struct Double;
template <>
struct Double<u16> {
    using type = u32;
};
template <>
struct Double<s16> {
    using type = s32;
};
template <>
struct Double<u32> {
    using type = u64;
};
template <>
struct Double<s32> {
    using type = s64;
};
template <>
struct Double<u64> {
    using type = u128;
};
template <>
struct Double<s64> {
    using type = s128;
};

/// The high half of the product. For s16 and u16 the product of the extremes fits its type.
template <class T>
T mul_hi(T a, T b) {
    using W = typename Double<T>::type;
    return static_cast<T>((static_cast<W>(a) * static_cast<W>(b)) >> (8 * sizeof(T)));
}

/// Computes in unsigned arithmetic of at least 32 bits, because u16 * u16 would overflow int.
template <class T>
T mul_lo(T a, T b) {
    using U = std::make_unsigned_t<T>;
    if constexpr (sizeof(T) < 4)
        return static_cast<T>(u32(U(a)) * u32(U(b)));
    else
        return static_cast<T>(U(a) * U(b));
}

template <class T>
T add(T a, T b) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(U(a) + U(b)));
}

/// Quotient and remainder of a division by zero are all ones, as on an H200.
template <class T>
T divide(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>)
        if (b == -1) return static_cast<T>(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(a));
    return static_cast<T>(a / b);
}

template <class T>
T remainder(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>)
        if (b == -1) return 0;
    return static_cast<T>(a % b);
}

template <class T>
T saturated(s64 v) {
    return static_cast<T>(
        std::clamp<s64>(v, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

/// d = a + b + carry (or a - b - borrow), reading and writing the condition code at offset 0 of
/// the frame. `product`: a is first multiplied by b and c added (mad).
template <class T, class F>
Handler with_carry(F) {
    return [](Warp& w, const Ins* i) -> const Ins* {
        const auto d = w.dst<T>(i);
        const auto a = w.a<T>(i);
        const auto b = w.b<T>(i);
        const auto c = i->c == no_row ? b : w.c<T>(i);
        const u32 in = w.predicate(0);
        u32 out = 0;
        for (u32 l = 0; l < lanes; ++l) {
            bool carry = (in >> l & 1) != 0;
            d.set(l, F{}(a.get(l), b.get(l), c.get(l), carry));
            out |= u32{carry} << l;
        }
        if ((i->aux & 1) != 0) w.set_predicate(0, out);
        return i + 1;
    };
}

template <class T>
T add_carry(T a, T b, bool& carry) {
    const T sum = static_cast<T>(a + b);
    const T all = static_cast<T>(sum + T{carry});
    carry = sum < a || all < sum;
    return all;
}

template <class T>
T sub_borrow(T a, T b, bool& borrow) {
    const T difference = static_cast<T>(a - b);
    const T all = static_cast<T>(difference - T{borrow});
    borrow = a < b || difference < T{borrow};
    return all;
}

/// prmt's eight source bytes are the four of b above the four of a. Each selector nibble picks a
/// byte; its top bit replicates the byte's sign.
u32 permute(u32 a, u32 b, u32 selector) {
    const u64 bytes = u64{b} << 32 | a;
    u32 result = 0;
    for (u32 n = 0; n < 4; ++n) {
        const u32 s = selector >> (4 * n) & 15;
        u32 byte = static_cast<u32>(bytes >> (8 * (s & 7))) & 0xFF;
        if ((s & 8) != 0) byte = (byte & 0x80) != 0 ? 0xFF : 0;
        result |= byte << (8 * n);
    }
    return result;
}

/// prmt with a mode: its low two selector bits choose among four selectors.
template <u32 s0, u32 s1, u32 s2, u32 s3>
Handler by_mode() {
    return ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 s) {
        constexpr std::array selectors{s0, s1, s2, s3};
        return permute(a, b, selectors[s & 3]);
    });
}

template <class A, class B>
s32 dot4(u32 a, u32 b) {
    s32 sum = 0;
    for (u32 n = 0; n < 4; ++n)
        sum += s32{static_cast<A>(a >> (8 * n))} * s32{static_cast<B>(b >> (8 * n))};
    return sum;
}

template <class A, class B>
u32 dot2(u32 a, u32 b, u32 high) {
    const u32 shift = high != 0 ? 16 : 0;
    u32 sum = 0;
    for (u32 n = 0; n < 2; ++n)
        sum += static_cast<u32>(s32{static_cast<A>(a >> (16 * n))} *
                                s32{static_cast<B>(b >> (8 * n + shift))});
    return sum;
}

#define CUGRADE_EACH(T, name, w)                                                                  \
    {"add." name, w w w, binary<T, T, T>([](T a, T b) { return add(a, b); })},                    \
        {"sub." name, w w w, binary<T, T, T>([](T a, T b) {                                       \
             return add(a,                                                                        \
                        static_cast<T>(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(b))); \
         })},                                                                                     \
        {"mul.lo." name, w w w, binary<T, T, T>([](T a, T b) { return mul_lo(a, b); })},          \
        {"mul.hi." name, w w w, binary<T, T, T>([](T a, T b) { return mul_hi(a, b); })},          \
        {"mad.lo." name, w w w w,                                                                 \
         ternary<T, T, T, T>([](T a, T b, T c) { return add(mul_lo(a, b), c); })},                \
        {"mad.hi." name, w w w w,                                                                 \
         ternary<T, T, T, T>([](T a, T b, T c) { return add(mul_hi(a, b), c); })},                \
        {"div." name, w w w, binary<T, T, T>([](T a, T b) { return divide(a, b); })},             \
        {"rem." name, w w w, binary<T, T, T>([](T a, T b) { return remainder(a, b); })},          \
        {"min." name, w w w, binary<T, T, T>([](T a, T b) { return a < b ? a : b; })},            \
        {"max." name, w w w, binary<T, T, T>([](T a, T b) { return a > b ? a : b; })}, {          \
        "sad." name, w w w w, ternary<T, T, T, T>([](T a, T b, T c) {                             \
            using U = std::make_unsigned_t<T>;                                                    \
            return static_cast<T>(static_cast<U>(U(c) + (a < b ? U(b) - U(a) : U(a) - U(b))));    \
        })                                                                                        \
    }

#define CUGRADE_SIGNED(T, name, w)                                          \
    {"abs." name, w w, unary<T, T>([](T a) {                                \
         using U = std::make_unsigned_t<T>;                                 \
         return static_cast<T>(static_cast<U>(a < 0 ? U(0) - U(a) : U(a))); \
     })},                                                                   \
    {                                                                       \
        "neg." name, w w, unary<T, T>([](T a) {                             \
            using U = std::make_unsigned_t<T>;                              \
            return static_cast<T>(static_cast<U>(U(0) - U(a)));             \
        })                                                                  \
    }

#define CUGRADE_WIDE(D, T, name, w, dw)                                           \
    {"mul.wide." name, dw w w, binary<D, T, T>([](T a, T b) {                     \
         return static_cast<D>(static_cast<D>(a) * static_cast<D>(b));            \
     })},                                                                         \
    {                                                                             \
        "mad.wide." name, dw w w dw, ternary<D, T, T, D>([](T a, T b, D c) {      \
            return add(static_cast<D>(static_cast<D>(a) * static_cast<D>(b)), c); \
        })                                                                        \
    }

// Condition-code forms: aux 1 writes the code (".cc").
#define CUGRADE_CARRY(T, name, w)                                                   \
    {"add.cc." name, w w w, with_carry<T>([](T a, T b, T, bool& c) {                \
         c = false;                                                                 \
         return add_carry(a, b, c);                                                 \
     })},                                                                           \
        {"addc." name, w w w,                                                       \
         with_carry<T>([](T a, T b, T, bool& c) { return add_carry(a, b, c); })},   \
        {"addc.cc." name, w w w,                                                    \
         with_carry<T>([](T a, T b, T, bool& c) { return add_carry(a, b, c); })},   \
        {"sub.cc." name, w w w, with_carry<T>([](T a, T b, T, bool& c) {            \
             c = false;                                                             \
             return sub_borrow(a, b, c);                                            \
         })},                                                                       \
        {"subc." name, w w w,                                                       \
         with_carry<T>([](T a, T b, T, bool& c) { return sub_borrow(a, b, c); })},  \
        {"subc.cc." name, w w w,                                                    \
         with_carry<T>([](T a, T b, T, bool& c) { return sub_borrow(a, b, c); })},  \
        {"mad.lo.cc." name, w w w w, with_carry<T>([](T a, T b, T c, bool& carry) { \
             carry = false;                                                         \
             return add_carry(mul_lo(a, b), c, carry);                              \
         })},                                                                       \
        {"madc.lo." name, w w w w, with_carry<T>([](T a, T b, T c, bool& carry) {   \
             return add_carry(mul_lo(a, b), c, carry);                              \
         })},                                                                       \
    {                                                                               \
        "madc.lo.cc." name, w w w w, with_carry<T>([](T a, T b, T c, bool&carry) {  \
            return add_carry(mul_lo(a, b), c, carry);                               \
        })                                                                          \
    }
// The high half differs between signed and unsigned factors; the sum does not.
#define CUGRADE_CARRY_HIGH(T, U, name, w)                                          \
    {"mad.hi.cc." name, w w w w, with_carry<U>([](U a, U b, U c, bool& carry) {    \
         carry = false;                                                            \
         return add_carry(U(mul_hi(T(a), T(b))), c, carry);                        \
     })},                                                                          \
        {"madc.hi." name, w w w w, with_carry<U>([](U a, U b, U c, bool& carry) {  \
             return add_carry(U(mul_hi(T(a), T(b))), c, carry);                    \
         })},                                                                      \
    {                                                                              \
        "madc.hi.cc." name, w w w w, with_carry<U>([](U a, U b, U c, bool&carry) { \
            return add_carry(U(mul_hi(T(a), T(b))), c, carry);                     \
        })                                                                         \
    }

/// Applies F to the lower halves of a lane's operands and to the upper halves.
template <class T, class F>
Handler halves(F) {
    return binary<u32, u32, u32>([](u32 a, u32 b) {
        const u32 low = static_cast<u16>(F{}(static_cast<T>(a), static_cast<T>(b)));
        const u32 high = static_cast<u16>(F{}(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
        return high << 16 | low;
    });
}
#define CUGRADE_PAIR(T, name)                                                        \
    {"add." name, "444", halves<T>([](T a, T b) { return static_cast<T>(a + b); })}, \
        {"min." name, "444", halves<T>([](T a, T b) { return a < b ? a : b; })}, {   \
        "max." name, "444", halves<T>([](T a, T b) { return a > b ? a : b; })        \
    }

/// Bits 16 to 47 of the product of the low 24 bits.
s32 mul24_hi(s32 a, s32 b) {
    return static_cast<s32>(
        s64{static_cast<s32>(u32(a) << 8) >> 8} * (static_cast<s32>(u32(b) << 8) >> 8) >> 16);
}
u32 mul24_hi(u32 a, u32 b) { return static_cast<u32>(u64{a & 0xFFFFFF} * (b & 0xFFFFFF) >> 16); }

const OpRow table[] = {
    CUGRADE_PAIR(u16, "u16x2"),
    CUGRADE_PAIR(s16, "s16x2"),
    {"min.relu.s16x2", "444",
     halves<s16>([](s16 a, s16 b) { return std::max<s16>(std::min(a, b), 0); })},
    {"max.relu.s16x2", "444",
     halves<s16>([](s16 a, s16 b) { return std::max<s16>(std::max(a, b), 0); })},
    {"min.relu.s32", "444",
     binary<s32, s32, s32>([](s32 a, s32 b) { return std::max(std::min(a, b), 0); })},
    {"max.relu.s32", "444",
     binary<s32, s32, s32>([](s32 a, s32 b) { return std::max(std::max(a, b), 0); })},
    CUGRADE_EACH(u16, "u16", "4"),
    CUGRADE_EACH(s16, "s16", "4"),
    CUGRADE_EACH(u32, "u32", "4"),
    CUGRADE_EACH(s32, "s32", "4"),
    CUGRADE_EACH(u64, "u64", "8"),
    CUGRADE_EACH(s64, "s64", "8"),
    CUGRADE_SIGNED(s16, "s16", "4"),
    CUGRADE_SIGNED(s32, "s32", "4"),
    CUGRADE_SIGNED(s64, "s64", "8"),
    CUGRADE_WIDE(u32, u16, "u16", "4", "4"),
    CUGRADE_WIDE(s32, s16, "s16", "4", "4"),
    CUGRADE_WIDE(u64, u32, "u32", "4", "8"),
    CUGRADE_WIDE(s64, s32, "s32", "4", "8"),
    CUGRADE_CARRY(u32, "u32", "4"),
    CUGRADE_CARRY(u32, "s32", "4"),
    CUGRADE_CARRY(u64, "u64", "8"),
    CUGRADE_CARRY(u64, "s64", "8"),
    CUGRADE_CARRY_HIGH(u32, u32, "u32", "4"),
    CUGRADE_CARRY_HIGH(s32, u32, "s32", "4"),
    CUGRADE_CARRY_HIGH(u64, u64, "u64", "8"),
    CUGRADE_CARRY_HIGH(s64, u64, "s64", "8"),
    {"add.sat.s32", "444",
     binary<s32, s32, s32>([](s32 a, s32 b) { return saturated<s32>(s64{a} + b); })},
    {"sub.sat.s32", "444",
     binary<s32, s32, s32>([](s32 a, s32 b) { return saturated<s32>(s64{a} - b); })},
    {"mad.hi.sat.s32", "4444", ternary<s32, s32, s32, s32>([](s32 a, s32 b, s32 c) {
         return saturated<s32>(s64{mul_hi(a, b)} + c);
     })},
    // 24-bit forms use the low 24 bits of each factor; hi is bits 16 to 47 of the product.
    {"mul24.lo.u32", "444", binary<u32, u32, u32>([](u32 a, u32 b) {
         return static_cast<u32>(u64{a & 0xFFFFFF} * (b & 0xFFFFFF));
     })},
    {"mul24.lo.s32", "444", binary<s32, s32, s32>([](s32 a, s32 b) {
         return static_cast<s32>(s64{static_cast<s32>(u32(a) << 8) >> 8} *
                                 (static_cast<s32>(u32(b) << 8) >> 8));
     })},
    {"mul24.hi.u32", "444", binary<u32, u32, u32>([](u32 a, u32 b) { return mul24_hi(a, b); })},
    {"mul24.hi.s32", "444", binary<s32, s32, s32>([](s32 a, s32 b) { return mul24_hi(a, b); })},
    {"mad24.hi.u32", "4444",
     ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) { return mul24_hi(a, b) + c; })},
    {"mad24.hi.s32", "4444",
     ternary<s32, s32, s32, s32>([](s32 a, s32 b, s32 c) { return add(mul24_hi(a, b), c); })},
    {"mad24.hi.sat.s32", "4444", ternary<s32, s32, s32, s32>([](s32 a, s32 b, s32 c) {
         return saturated<s32>(s64{mul24_hi(a, b)} + c);
     })},
    {"mad24.lo.u32", "4444", ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) {
         return static_cast<u32>(u64{a & 0xFFFFFF} * (b & 0xFFFFFF)) + c;
     })},
    {"mad24.lo.s32", "4444", ternary<s32, s32, s32, s32>([](s32 a, s32 b, s32 c) {
         return add(static_cast<s32>(s64{static_cast<s32>(u32(a) << 8) >> 8} *
                                     (static_cast<s32>(u32(b) << 8) >> 8)),
                    c);
     })},
    {"dp4a.u32.u32", "4444", ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) {
         return c + static_cast<u32>(dot4<u8, u8>(a, b));
     })},
    {"dp4a.u32.s32", "4444", ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) {
         return c + static_cast<u32>(dot4<u8, s8>(a, b));
     })},
    {"dp4a.s32.u32", "4444", ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) {
         return c + static_cast<u32>(dot4<s8, u8>(a, b));
     })},
    {"dp4a.s32.s32", "4444", ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) {
         return c + static_cast<u32>(dot4<s8, s8>(a, b));
     })},
    {"dp2a.lo.s32.s32", "4444",
     ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) { return c + dot2<s16, s8>(a, b, 0); })},
    {"dp2a.hi.s32.s32", "4444",
     ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) { return c + dot2<s16, s8>(a, b, 1); })},
    {"dp2a.lo.u32.s32", "4444",
     ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) { return c + dot2<u16, s8>(a, b, 0); })},
    {"dp2a.hi.u32.s32", "4444",
     ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) { return c + dot2<u16, s8>(a, b, 1); })},
    {"dp2a.lo.s32.u32", "4444",
     ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) { return c + dot2<s16, u8>(a, b, 0); })},
    {"dp2a.hi.s32.u32", "4444",
     ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) { return c + dot2<s16, u8>(a, b, 1); })},
    {"dp2a.lo.u32.u32", "4444",
     ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) { return c + dot2<u16, u8>(a, b, 0); })},
    {"dp2a.hi.u32.u32", "4444",
     ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) { return c + dot2<u16, u8>(a, b, 1); })},
    {"prmt.b32", "4444",
     ternary<u32, u32, u32, u32>([](u32 a, u32 b, u32 s) { return permute(a, b, s); })},
    // The modes pick bytes by the low two bits of the selector: row n of the manual's table, as
    // selectors of the plain form.
    {"prmt.b32.f4e", "4444", by_mode<0x3210, 0x4321, 0x5432, 0x6543>()},
    {"prmt.b32.b4e", "4444", by_mode<0x5670, 0x6701, 0x7012, 0x0123>()},
    {"prmt.b32.rc8", "4444", by_mode<0x0000, 0x1111, 0x2222, 0x3333>()},
    {"prmt.b32.ecl", "4444", by_mode<0x3210, 0x3211, 0x3222, 0x3333>()},
    {"prmt.b32.ecr", "4444", by_mode<0x0000, 0x1110, 0x2210, 0x3210>()},
    {"prmt.b32.rc16", "4444", by_mode<0x1010, 0x3232, 0x1010, 0x3232>()},
};

}  // namespace

std::span<const OpRow> integer_rows() { return table; }

}  // namespace cugrade::emulator
