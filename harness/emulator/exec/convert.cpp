// cvt between all types.
//
// Integers convert by truncation or extension of bits, with .sat by clamping. Floats to integers
// saturate. NaN gives 0, but the top bit alone for 64-bit results and for 32-bit ones of f64, as an
// H200 does. Rounding to an integer uses the mode in Ins::aux.
#include <cfenv>
#include <cmath>
#include <limits>

#include "emulator/exec/half.hpp"
#include "emulator/exec/lane_loops.hpp"

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

/// To the nearest integer or the mode in `flags`, as a floating-point value.
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
    // 2^n: exact, while max() itself may not be.
    constexpr S high = static_cast<S>(std::numeric_limits<D>::max() / 2 + 1) * S{2};
    if (x <= low) return std::numeric_limits<D>::min();
    if (x >= high) return std::numeric_limits<D>::max();
    return static_cast<D>(x);
}

/// A double rounded to D under the host's present mode or, for 16 bits, the mode in `flags`.
template <class D>
D narrow_float(double x, u32 flags) {
    if ((flags & saturate) != 0) x = x > 0 ? (x < 1 ? x : 1) : 0;
    if ((flags & relu) != 0) x = x > 0 || x != x ? x : 0;
    if constexpr (std::is_same_v<D, HalfBits>)
        return {float_to_half(x, static_cast<int>(flags & round_mask))};
    else if constexpr (std::is_same_v<D, BfloatBits>)
        return {float_to_bfloat(x, static_cast<int>(flags & round_mask))};
    else {
        D r = static_cast<D>(x);
        if constexpr (std::is_same_v<D, float>) {
            if (r != r) r = std::bit_cast<float>(0x7FFFFFFFu);
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
        return narrow_float<D>(static_cast<double>(x), flags);
    }
}

/// HalfBits in a row: Row<T>::set wants arithmetic types.
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
