// Answers for the assignment `reduction`: the sum with a bound for double precision arithmetic or
// exactly, the others exactly.
//
// Notation, after N. J. Higham, Accuracy and Stability of Numerical Algorithms (2nd ed., SIAM
// 2002): u = 2^-53 is the unit roundoff of double and gamma_k = k u / (1 - k u) (section 3.1).
#include <cmath>
#include <limits>

#include "core/case_data.hpp"

namespace cugrade::reference {
namespace {

// A sum of n terms in any order has |error| <= gamma_(n-1) * sum |x_k| (Higham, section 4.2); one
// more rounding is ours, because the answer is stored as a double. The long double sum adds an
// error that is smaller by 2^11. The worst case grows with n faster than real errors do: for a
// million reals the bound would let pass a sum in single precision. Large cases are therefore whole
// numbers with sum |x_k| <= 2^53: every partial sum in every order is then a whole number that a
// double holds exactly, nothing is rounded, and there is one right answer.
std::vector<Expected> sum(const CaseData& data) {
    const auto in = data["in"].as<double>();
    long double total = 0, magnitude = 0;
    bool whole = true;
    for (const double x : in) {
        total += x;
        magnitude += std::abs(x);
        whole &= std::abs(x) <= 0x1p53 && static_cast<double>(static_cast<std::int64_t>(x)) == x;
    }
    Expected out{"out", Array(DType::f64, {1}), {}};
    out.value.as<double>()[0] = static_cast<double>(total);
    if (!whole || magnitude > 0x1p53L) {
        const double nu = static_cast<double>(in.size()) * 0x1p-53;
        out.bound = {nu / (1 - nu) * static_cast<double>(magnitude)};
    }
    return {std::move(out)};
}

std::vector<Expected> max(const CaseData& data) {
    float largest = -std::numeric_limits<float>::infinity();
    for (const float x : data["in"].as<float>()) largest = x > largest ? x : largest;
    Expected out{"out", Array(DType::f32, {1}), {}};
    out.value.as<float>()[0] = largest;
    return {std::move(out)};
}

std::vector<Expected> cubes(const CaseData& data) {
    std::uint64_t total = 0;  // unsigned arithmetic is the same modulo 2^64, and defined
    for (const std::int32_t x : data["in"].as<std::int32_t>()) {
        const auto v = static_cast<std::uint64_t>(std::int64_t{x});
        total += v * v * v;
    }
    Expected out{"out", Array(DType::i64, {1}), {}};
    out.value.as<std::int64_t>()[0] = static_cast<std::int64_t>(total);
    return {std::move(out)};
}

std::vector<Expected> nested(const CaseData& data) {
    std::int64_t total = 0;  // 2^32 ints and more cannot overflow it
    for (const std::int32_t x : data["in"].as<std::int32_t>()) total += x;
    Expected out{"out", Array(DType::i64, {1}), {}};
    out.value.as<std::int64_t>()[0] = total;
    return {std::move(out)};
}

}  // namespace

AssignmentOracle oracle_reduction() {
    return {"reduction", {{"sum", sum}, {"max", max}, {"cubes", cubes}, {"nested", nested}}};
}

}  // namespace cugrade::reference
