// 16-bit floating point: binary16 and bfloat16 to and from float, with the rounding as a parameter.
#pragma once

#include <bit>
#include <cstdint>

namespace cugrade::emulator {

inline float half_to_float(std::uint16_t h) {
    const std::uint32_t sign = std::uint32_t{h & 0x8000u} << 16;
    const std::uint32_t exponent = h >> 10 & 31;
    const std::uint32_t fraction = h & 0x3FF;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | fraction << 13);
    if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
    // A subnormal is fraction x 2^-24, which is exact in float.
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

/// mode: 0 nearest even, 1 towards zero, 2 down, 3 up (the FloatFlag values). A double holds every
/// float and every sum that is rounded here. NaN becomes 0x7FFF, as the hardware has it.
inline std::uint16_t to_small_float(double value, int fraction_bits, int exponent_bits, int mode) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const bool negative = (bits >> 63) != 0;
    const auto sign = static_cast<std::uint16_t>(negative ? 0x8000 : 0);
    const int biased = static_cast<int>(bits >> 52 & 2047);
    std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    const auto infinity = static_cast<std::uint16_t>(((1 << exponent_bits) - 1) << fraction_bits);
    if (biased == 2047) {
        if (fraction != 0) return 0x7FFF;
        return static_cast<std::uint16_t>(sign | infinity);
    }
    if (biased == 0 && fraction == 0) return sign;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    int exponent = biased - 1023;
    if (biased == 0)
        exponent = -1022;
    else
        fraction |= std::uint64_t{1} << 52;
    // The number of the 52 fraction bits to drop: more for a subnormal result.
    int drop = 52 - fraction_bits;
    if (exponent < 1 - bias) drop += 1 - bias - exponent;
    std::uint64_t kept = drop > 54 ? 0 : fraction >> drop;
    const std::uint64_t rest =
        drop > 54 ? 1
                  : fraction & ((std::uint64_t{1} << drop) - 1);  // beyond 54: below half an ulp
    const std::uint64_t tie = drop > 54 ? 2 : std::uint64_t{1} << (drop - 1);
    bool up = false;
    switch (mode) {
        case 0: up = rest > tie || (rest == tie && (kept & 1) != 0); break;
        case 2: up = negative && rest != 0; break;
        case 3: up = !negative && rest != 0; break;
        default: break;
    }
    if (up) ++kept;
    // For normals `kept` holds the implicit bit, which adds one to the exponent field.
    const std::uint64_t field =
        exponent < 1 - bias
            ? kept
            : (static_cast<std::uint64_t>(exponent + bias - 1) << fraction_bits) + kept;
    if (field >= infinity) {
        const bool to_largest = mode == 1 || (mode == 2 && !negative) || (mode == 3 && negative);
        return static_cast<std::uint16_t>(sign | (to_largest ? infinity - 1 : infinity));
    }
    return static_cast<std::uint16_t>(sign | field);
}

inline std::uint16_t float_to_half(double value, int mode = 0) {
    return to_small_float(value, 10, 5, mode);
}
inline float bfloat_to_float(std::uint16_t b) {
    return std::bit_cast<float>(std::uint32_t{b} << 16);
}
inline std::uint16_t float_to_bfloat(double value, int mode = 0) {
    return to_small_float(value, 7, 8, mode);
}

/// a * b + c, for the caller to round to 16 bits. The product of two 16-bit floats is exact in
/// double. The sum is rounded to odd, so the caller's rounding gives the correctly rounded result.
inline double fused_to_odd(double a, double b, double c) {
    const double product = a * b;
    const double sum = product + c;
    const double part = sum - product;
    const double error = (product - (sum - part)) + (c - part);
    auto bits = std::bit_cast<std::uint64_t>(sum);
    const bool finite = (bits >> 52 & 2047) != 2047;
    if (!finite || error == 0 || (bits & 1) != 0) return sum;
    // The exact sum lies between `sum` and its neighbour on the side of the error, which is odd.
    bits += (error > 0) == (sum > 0) ? 1 : std::uint64_t(0) - 1;
    return std::bit_cast<double>(bits);
}

}  // namespace cugrade::emulator
