// Arithmetic on sizes, counts and offsets that somebody else wrote: PTX, a fat binary, a message.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>

namespace cugrade {

/// A number that remembers whether it ever left the range of its type. It becomes a plain number
/// again only where it is compared with a limit.
template <std::unsigned_integral T = std::uint64_t>
class Checked {
public:
    constexpr Checked(T value) : value_(value) {}

    friend constexpr Checked operator+(Checked a, Checked b) {
        Checked sum(T{0});
        sum.overflowed_ = __builtin_add_overflow(a.value_, b.value_, &sum.value_) ||
                          a.overflowed_ || b.overflowed_;
        return sum;
    }
    friend constexpr Checked operator*(Checked a, Checked b) {
        Checked product(T{0});
        product.overflowed_ = __builtin_mul_overflow(a.value_, b.value_, &product.value_) ||
                              a.overflowed_ || b.overflowed_;
        return product;
    }
    constexpr Checked& operator+=(Checked other) { return *this = *this + other; }
    constexpr Checked& operator*=(Checked other) { return *this = *this * other; }

    /// To the next multiple of `step`, which is not 0.
    [[nodiscard]] constexpr Checked rounded_up(T step) const {
        Checked up = *this + static_cast<T>(step - 1);
        up.value_ = up.value_ / step * step;
        return up;
    }

    [[nodiscard]] constexpr bool at_most(T limit) const { return !overflowed_ && value_ <= limit; }
    /// The number, or nothing if it exceeds `limit`.
    [[nodiscard]] constexpr std::optional<T> within(T limit) const {
        if (!at_most(limit)) return std::nullopt;
        return value_;
    }
    /// The number, or the type's maximum if it overflowed: for messages and comparisons.
    [[nodiscard]] constexpr T or_largest() const {
        return overflowed_ ? std::numeric_limits<T>::max() : value_;
    }

private:
    T value_ = 0;
    bool overflowed_ = false;
};

}  // namespace cugrade
