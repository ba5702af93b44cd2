// cvt between all types.
//
// Integers convert by truncation or extension of bits, with .sat by clamping. Floats convert to
// integers with saturation. NaN becomes 0; in a 64-bit result, and in a 32-bit result of an f64, it
// becomes the top bit alone, as on an H200. Rounding to an integer uses the mode in Ins::aux.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>

#include "emulator/ops/half.hpp"
#include "emulator/ops/lane_loops.hpp"

namespace cugrade::emulator {
namespace {

struct HalfBits {
    u16 bits;
};
struct BfloatBits {
    u16 bits;
};

template <class T>
constexpr bool is_small = std::is_same_v<T, HalfBits> || std::is_same_v<T, BfloatBits>;
template <class T>
constexpr bool is_floating = std::is_floating_point_v<T> || is_small<T>;

template <class T>
auto load(T x) {
    if constexpr (std::is_same_v<T, HalfBits>)
        return half_to_float(x.bits);
    else if constexpr (std::is_same_v<T, BfloatBits>)
        return bfloat_to_float(x.bits);
    else
        return x;
}

inline float flush(float x) {
    return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

/// x rounded to an integer with the mode in `flags`, as a floating-point value.
template <class T>
T integral(T x, u32 flags) {
    switch (flags & round_mask) {
        case round_zero: return std::trunc(x);
        case round_down: return std::floor(x);
        case round_up: return std::ceil(x);
        default: return std::nearbyint(x);
    }
}

template <class D, class S>
D float_to_integer(S x) {
    if (x != x) {
        constexpr bool top_bit = sizeof(D) == 8 || (sizeof(D) == 4 && sizeof(S) == 8);
        return top_bit ? static_cast<D>(u64{1} << (8 * sizeof(D) - 1)) : D{0};
    }
    constexpr S low = static_cast<S>(std::numeric_limits<D>::min());
    // 2^n is exact in S; max() itself may not be.
    constexpr S high = static_cast<S>(std::numeric_limits<D>::max() / 2 + 1) * S{2};
    if (x <= low) return std::numeric_limits<D>::min();
    if (x >= high) return std::numeric_limits<D>::max();
    return static_cast<D>(x);
}

/// A double rounded to D under the host's present mode or, for 16 bits, the mode in `flags`.
template <class D, bool keeps_payload = false>
D narrow_float(double x, u32 flags) {
    if ((flags & saturate) != 0) x = x > 0 ? (x < 1 ? x : 1) : 0;
    if ((flags & relu) != 0) x = x > 0 || x != x ? x : 0;
    if constexpr (is_small<D>) {
        const auto mode = static_cast<int>(flags & round_mask);
        constexpr bool is_half = std::is_same_v<D, HalfBits>;
        u16 bits = is_half ? float_to_half(x, mode) : float_to_bfloat(x, mode);
        constexpr u16 infinity = is_half ? 0x7C00 : 0x7F80;
        if ((flags & finite) != 0 && (bits & 0x7FFF) == infinity) --bits;
        return {bits};
    } else {
        D r = static_cast<D>(x);
        if constexpr (std::is_same_v<D, float>) {
            if (r != r && !keeps_payload) r = std::bit_cast<float>(0x7FFFFFFFu);
            if ((flags & flush_denormals) != 0) r = flush(r);
        }
        return r;
    }
}

template <class D, class S>
D convert(S source, u32 flags) {
    if constexpr (!is_floating<D> && !is_floating<S>) {
        if ((flags & saturate) != 0) {
            if (std::cmp_less(source, std::numeric_limits<D>::min()))
                return std::numeric_limits<D>::min();
            if (std::cmp_greater(source, std::numeric_limits<D>::max()))
                return std::numeric_limits<D>::max();
        }
        return static_cast<D>(source);
    } else if constexpr (!is_floating<D>) {
        auto x = load(source);
        if constexpr (std::is_same_v<decltype(x), float>)
            if ((flags & flush_denormals) != 0) x = flush(x);
        return float_to_integer<D>(integral(x, flags));
    } else if constexpr (!is_floating<S>) {
        // Large 64-bit integers do not fit a double: round to odd first for narrower results.
        if constexpr (std::is_same_v<D, double>) {
            return static_cast<double>(source);
        } else if constexpr (std::is_same_v<D, float>) {
            float r = static_cast<float>(source);
            if ((flags & saturate) != 0) r = r > 0 ? (r < 1 ? r : 1) : 0;
            return r;
        } else {
            return narrow_float<D>(static_cast<double>(source), flags);
        }
    } else {
        auto x = load(source);
        if constexpr (std::is_same_v<decltype(x), float>)
            if ((flags & flush_denormals) != 0) x = flush(x);
        if ((flags & integer_rounding) != 0) x = integral(x, flags);
        return narrow_float<D, std::is_same_v<S, double>>(static_cast<double>(x), flags);
    }
}

/// Row<T> takes arithmetic types only, so HalfBits are loaded and stored through here.
template <class T>
T get(const std::byte* row, u32 lane) {
    if constexpr (is_small<T>)
        return {Row<u16>{const_cast<std::byte*>(row)}.get(lane)};
    else
        return Row<T>{const_cast<std::byte*>(row)}.get(lane);
}
template <class T>
void put(std::byte* row, u32 lane, T value) {
    if constexpr (is_small<T>)
        Row<u16>{row}.set(lane, value.bits);
    else
        Row<T>{row}.set(lane, value);
}

// Narrow integer results are extended to the whole 4-byte lane by their signedness, because the
// destination register may be wider than the type.
template <class D, class S>
const Ins* plain(Warp& w, const Ins* i) {
    std::byte* d = w.bases[in_frame] + i->d;
    const std::byte* a = w.bases[i->ka] + i->a;
#pragma GCC ivdep
    for (u32 l = 0; l < lanes; ++l) {
        if constexpr (sizeof(D) < 4 && !is_small<D> && std::is_signed_v<D>)
            put<s32>(d, l, convert<D>(get<S>(a, l), 0));
        else
            put<D>(d, l, convert<D>(get<S>(a, l), 0));
    }
    return i + 1;
}

template <class D, class S>
const Ins* general(Warp& w, const Ins* i) {
    std::byte* d = w.bases[in_frame] + i->d;
    const std::byte* a = w.bases[i->ka] + i->a;
    const u32 flags = i->aux;
    const int before = std::fegetround();
    static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    if ((flags & integer_rounding) == 0) std::fesetround(modes[flags & round_mask]);
    for (u32 l = 0; l < lanes; ++l) {
        if constexpr (sizeof(D) < 4 && !is_small<D> && std::is_signed_v<D>)
            put<s32>(d, l, convert<D>(get<S>(a, l), flags));
        else
            put<D>(d, l, convert<D>(get<S>(a, l), flags));
    }
    std::fesetround(before);
    return i + 1;
}

/// Rounds to tf32, an f32 with 10 bits of fraction: to nearest even, to nearest with ties away from
/// zero, or towards zero.
u32 to_tf32(u32 bits, u32 flags) {
    // NaN as an H200 converts it.
    if ((bits & 0x7FFFFFFF) > 0x7F800000)
        return (flags & round_away) != 0 ? bits & ~0x1FFFu : 0x7FFFE000;
    if ((flags & relu) != 0 && bits >> 31 != 0) return 0;
    const bool is_infinite = (bits & 0x7FFFFFFF) == 0x7F800000;
    if (!is_infinite) {
        if ((flags & round_away) != 0)
            bits += 0x1000;
        else if ((flags & round_mask) == round_nearest)
            bits += 0xFFF + (bits >> 13 & 1);
        bits &= ~0x1FFFu;
    }
    if ((flags & finite) != 0 && (bits & 0x7FFFFFFF) == 0x7F800000) bits -= 0x2000;
    return bits;
}

/// 8-bit floats. e4m3 has no infinity and one NaN, 0x7F; e5m2 is the upper byte of a binary16.
/// Both saturate to the largest number, 448 and 57344.
struct E4m3 {
    static constexpr int fraction = 3, bias = 7;
    static constexpr double largest = 448;
};
struct E5m2 {
    static constexpr int fraction = 2, bias = 15;
    static constexpr double largest = 57344;
};
template <class Format>
u32 to_byte(double x, u32 flags) {
    if (x != x) return 0x7F;
    if ((flags & relu) != 0 && x <= 0) return 0;
    const u32 sign = std::signbit(x) ? 0x80 : 0;
    double size = std::fabs(x);
    if (size == 0) return sign;
    if (size > 2 * Format::largest) size = Format::largest;
    const int lowest = 1 - Format::bias;
    const int step = std::max(std::ilogb(size), lowest) - Format::fraction;
    size = std::min(std::ldexp(std::nearbyint(std::ldexp(size, -step)), step), Format::largest);
    if (size == 0) return sign;
    const int exponent = std::max(std::ilogb(size), lowest);
    const auto digits = static_cast<u32>(std::ldexp(size, Format::fraction - exponent));
    // A subnormal has no implicit bit; a normal's adds one to the exponent.
    const auto field = static_cast<u32>(exponent - lowest) << Format::fraction;
    return sign | (field + digits);
}
template <class Format>
u16 to_half(u32 byte) {
    if constexpr (Format::fraction == 2) {
        const auto bits = static_cast<u16>(byte << 8);
        return (bits & 0x7FFF) > 0x7C00 ? u16{0x7FFF} : bits;
    }
    if ((byte & 0x7F) == 0x7F) return 0x7FFF;
    const u32 field = byte >> Format::fraction & 15, digits = byte & 7;
    const double size =
        field == 0 ? std::ldexp(digits, -9) : std::ldexp(digits + 8, static_cast<int>(field) - 10);
    return float_to_half((byte & 0x80) != 0 ? -size : size);
}

/// cvt.e4m3x2.f32 d, a, b: a in the upper byte.
template <class Format>
const Ins* bytes_from_floats(Warp& w, const Ins* i) {
    const auto d = w.dst<u32>(i);
    const auto a = w.a<float>(i);
    const auto b = w.b<float>(i);
    for (u32 l = 0; l < lanes; ++l)
        d.set(l, to_byte<Format>(static_cast<double>(a.get(l)), i->aux) << 8 |
                     to_byte<Format>(static_cast<double>(b.get(l)), i->aux));
    return i + 1;
}
template <class Format>
const Ins* bytes_from_halves(Warp& w, const Ins* i) {
    const auto d = w.dst<u32>(i);
    const auto a = w.a<u32>(i);
    for (u32 l = 0; l < lanes; ++l) {
        u32 result = 0;
        for (u32 n = 0; n < 2; ++n) {
            const float x = half_to_float(static_cast<u16>(a.get(l) >> (16 * n)));
            result |= to_byte<Format>(static_cast<double>(x), i->aux) << (8 * n);
        }
        d.set(l, result);
    }
    return i + 1;
}
template <class Format>
const Ins* halves_from_bytes(Warp& w, const Ins* i) {
    const auto d = w.dst<u32>(i);
    const auto a = w.a<u32>(i);
    for (u32 l = 0; l < lanes; ++l) {
        u32 result = 0;
        for (u32 n = 0; n < 2; ++n) {
            u16 half = to_half<Format>(a.get(l) >> (8 * n) & 0xFF);
            if ((i->aux & relu) != 0 && half >> 15 != 0) half = 0;
            result |= u32{half} << (16 * n);
        }
        d.set(l, result);
    }
    return i + 1;
}

template <class D>
Handler from(ptx::Type type, bool is_plain) {
    using ptx::Type;
#define CUGRADE_CASE(S) return is_plain ? plain<D, S> : general<D, S>;
    switch (type) {
        case Type::u8:
        case Type::b8: CUGRADE_CASE(u8)
        case Type::s8: CUGRADE_CASE(s8)
        case Type::u16:
        case Type::b16: CUGRADE_CASE(u16)
        case Type::s16: CUGRADE_CASE(s16)
        case Type::u32:
        case Type::b32: CUGRADE_CASE(u32)
        case Type::s32: CUGRADE_CASE(s32)
        case Type::u64:
        case Type::b64: CUGRADE_CASE(u64)
        case Type::s64: CUGRADE_CASE(s64)
        case Type::f16: CUGRADE_CASE(HalfBits)
        case Type::bf16: CUGRADE_CASE(BfloatBits)
        case Type::f32: CUGRADE_CASE(float)
        case Type::f64: CUGRADE_CASE(double)
        default: return nullptr;
    }
#undef CUGRADE_CASE
}

}  // namespace

/// cvt.pack.sat d, a, b[, c]: a and b are clamped to `aux` bits (signed if imm) and packed, a above
/// b. The low bits of c fill the rest above them.
const Ins* op::pack_clamped(Warp& w, const Ins* i) {
    const auto d = w.dst<u32>(i);
    const auto a = w.a<s32>(i);
    const auto b = w.b<s32>(i);
    const u32 bits = i->aux;
    const s64 low = i->imm != 0 ? -(s64{1} << (bits - 1)) : 0;
    const s64 high = (s64{1} << (i->imm != 0 ? bits - 1 : bits)) - 1;
    const u32 mask = (1u << bits) - 1;
    for (u32 l = 0; l < lanes; ++l) {
        const auto clamped = [&](s32 x) {
            return static_cast<u32>(std::clamp<s64>(x, low, high)) & mask;
        };
        const u32 above = i->c == no_row || bits == 16 ? 0 : w.c<u32>(i).get(l) << (2 * bits);
        d.set(l, above | clamped(a.get(l)) << bits | clamped(b.get(l)));
    }
    return i + 1;
}

const Ins* op::tf32(Warp& w, const Ins* i) {
    const auto d = w.dst<u32>(i);
    const auto a = w.a<u32>(i);
    for (u32 l = 0; l < lanes; ++l) d.set(l, to_tf32(a.get(l), i->aux));
    return i + 1;
}

Handler byte_float_handler(std::string_view to, std::string_view from) {
    const auto pick = [&]<class Format>(std::string_view name) -> Handler {
        if (to == name && from == "f32") return bytes_from_floats<Format>;
        if (to == name && from == "f16x2") return bytes_from_halves<Format>;
        if (to == "f16x2" && from == name) return halves_from_bytes<Format>;
        return nullptr;
    };
    if (const Handler handler = pick.operator()<E4m3>("e4m3x2")) return handler;
    return pick.operator()<E5m2>("e5m2x2");
}

Handler convert_handler(ptx::Type to, ptx::Type type, bool is_plain) {
    using ptx::Type;
    switch (to) {
        case Type::u8:
        case Type::b8: return from<u8>(type, is_plain);
        case Type::s8: return from<s8>(type, is_plain);
        case Type::u16:
        case Type::b16: return from<u16>(type, is_plain);
        case Type::s16: return from<s16>(type, is_plain);
        case Type::u32:
        case Type::b32: return from<u32>(type, is_plain);
        case Type::s32: return from<s32>(type, is_plain);
        case Type::u64:
        case Type::b64: return from<u64>(type, is_plain);
        case Type::s64: return from<s64>(type, is_plain);
        case Type::f16: return from<HalfBits>(type, is_plain);
        case Type::bf16: return from<BfloatBits>(type, is_plain);
        case Type::f32: return from<float>(type, is_plain);
        case Type::f64: return from<double>(type, is_plain);
        default: return nullptr;
    }
}

}  // namespace cugrade::emulator
