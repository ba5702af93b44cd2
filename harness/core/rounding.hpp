// Points are kept in hundredths. Numbers that come from secret data are told in few digits: a
// submission could write that data into the others.
#pragma once

#include <cmath>
#include <cstdint>

namespace cugrade {

[[nodiscard]] inline double hundredths(double points) { return std::round(points * 100) / 100; }

/// To so many significant decimal digits.
[[nodiscard]] inline double rounded(double value, int digits) {
    if (value == 0 || !std::isfinite(value)) return value;
    const int beyond = digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
    // Powers of ten above 0 are exact, so that the result is the nearest double to what is read.
    const double scale = std::pow(10.0, std::abs(beyond));
    return beyond >= 0 ? std::round(value * scale) / scale : std::round(value / scale) * scale;
}

[[nodiscard]] inline std::uint64_t rounded(std::uint64_t count, int digits) {
    return static_cast<std::uint64_t>(rounded(static_cast<double>(count), digits));
}

/// The same for a value beside its limit, from which it stays on its side.
[[nodiscard]] inline double rounded_beside(double value, double limit, int digits) {
    const double near = rounded(value, digits);
    if ((near <= limit) == (value <= limit)) return near;
    return rounded_beside(value, limit, digits + 1);
}

}  // namespace cugrade
