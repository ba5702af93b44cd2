// Elements are compared in chunks: a branch-free count that the compiler vectorises, and only where
// a chunk has errors a second look at each element. memcmp skips chunks that are right bit for bit.
#include "judging/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

#include "core/error.hpp"

namespace cugrade {
namespace {

constexpr std::size_t chunk = 4096;
constexpr std::size_t max_wrong = std::size_t{1} << 20;

template <class T>
bool same_value(T got, T want) {
    if constexpr (std::is_floating_point_v<T>)
        return got == want || (got != got && want != want);
    else
        return got == want;
}

/// Equal infinities and a NaN for a NaN are right whatever the bound; a difference that is not a
/// number is above every bound.
template <class T>
bool within(T got, T want, double bound) {
    return (std::abs(static_cast<double>(got) - static_cast<double>(want)) <= bound) |
           (got == want) | ((got != got) & (want != want));
}

/// Whether `got` is what a kernel leaves that adds to its output instead of setting it.
template <class T>
bool is_sum(T got, T want, T poison) {
    if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<T>;
        return static_cast<U>(got) == static_cast<U>(static_cast<U>(want) + static_cast<U>(poison));
    } else {
        const T sum = want + poison;  // in one rounding where the kernel had several
        constexpr double tolerance = std::is_same_v<T, float> ? 0x1p-16 : 0x1p-40;
        return std::isfinite(sum) &&
               std::abs(static_cast<double>(got) - static_cast<double>(sum)) <=
                   tolerance * std::abs(static_cast<double>(sum));
    }
}

std::vector<std::int64_t> coordinates(const std::vector<std::int64_t>& shape, std::int64_t index) {
    std::vector<std::int64_t> out;
    if (shape.size() < 2) return out;
    out.resize(shape.size());
    for (std::size_t d = shape.size(); d-- > 0; index /= shape[d]) out[d] = index % shape[d];
    return out;
}

void check_answer(const Expected& expected, const Array& got, const Array& poison) {
    const auto fault = [&](std::string_view what) {
        throw HarnessFault(fmt::format("the oracle's answer for `{}` {}", expected.argument, what));
    };
    if (expected.value.dtype != got.dtype || expected.value.bytes.size() != got.bytes.size() ||
        poison.bytes.size() != got.bytes.size())
        fault("has another type or size than the output");
    const auto& bound = expected.bound;
    if (bound.empty()) return;
    if (!is_float(got.dtype)) fault("has a bound, but integers are compared exactly");
    if (bound.size() != 1 && bound.size() != got.size())
        fault("has neither one bound nor one for each element");
    std::size_t bad = 0;
    for (const double b : bound) bad += !(b >= 0 && b < HUGE_VAL);
    if (bad > 0) fault("has a bound that is negative or not finite");
}

/// Calls visit(i) for each element that is wrong, in order.
template <class T, class Right, class Visit>
void visit_wrong(std::size_t n, const T* got, const T* want, Right right, Visit visit) {
    for (std::size_t first = 0; first < n; first += chunk) {
        const std::size_t last = std::min(n, first + chunk);
        if (std::memcmp(got + first, want + first, (last - first) * sizeof(T)) == 0) continue;
        std::size_t wrong = 0;
        for (std::size_t i = first; i < last; ++i) wrong += !right(i);
        if (wrong == 0) continue;
        for (std::size_t i = first; i < last; ++i)
            if (!right(i)) visit(i);
    }
}

}  // namespace

Comparison compare(const Expected& expected, const Array& got, const Array& poison) {
    check_answer(expected, got, poison);
    Comparison out;
    out.element_count = static_cast<std::int64_t>(got.size());
    with_type(got.dtype, [&]<class T>() {
        const T* const g = got.as<T>().data();
        const T* const w = expected.value.as<T>().data();
        const T* const p = reinterpret_cast<const T*>(poison.bytes.data());
        const auto visit = [&](std::size_t i) {
            const auto index = static_cast<std::int64_t>(i);
            ++out.mismatch_count;
            if (std::memcmp(g + i, p + i, sizeof(T)) == 0)
                ++out.still_poison;
            else if (is_sum(g[i], w[i], p[i]))
                ++out.added_to_poison;
            if (out.wrong.size() < max_wrong) out.wrong.push_back(index);
            if (out.first.size() < max_mismatches)
                out.first.push_back({.argument = expected.argument,
                                     .index = index,
                                     .coordinates = coordinates(got.shape, index),
                                     .expected = expected.value.text(i),
                                     .got = got.text(i)});
        };
        const double* const bounds = expected.bound.data();
        if (expected.bound.empty())
            visit_wrong(
                got.size(), g, w, [=](std::size_t i) { return same_value(g[i], w[i]); }, visit);
        else if (expected.bound.size() == 1)
            visit_wrong(
                got.size(), g, w,
                [=, b = bounds[0]](std::size_t i) { return within(g[i], w[i], b); }, visit);
        else
            visit_wrong(
                got.size(), g, w, [=](std::size_t i) { return within(g[i], w[i], bounds[i]); },
                visit);
    });
    if (out.mismatch_count > 0)
        out.verdict = (out.mismatch_count - out.still_poison) * 64 <= out.mismatch_count
                          ? Verdict::unwritten_output
                          : Verdict::wrong_answer;
    return out;
}

}  // namespace cugrade
