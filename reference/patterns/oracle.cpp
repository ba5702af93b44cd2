// Answers for the assignment `patterns`: map and gather in double precision with bounds for single
// precision arithmetic, scatter exactly.
//
// Notation, after N. J. Higham, Accuracy and Stability of Numerical Algorithms (2nd ed., SIAM
// 2002): u = 2^-24 is the unit roundoff of float and gamma_k = k u / (1 - k u) (section 3.1).
#include <cmath>

#include "core/case_data.hpp"

namespace cugrade::reference {
namespace {

constexpr double unit_roundoff = 0x1p-24;
constexpr double gamma_of(int k) { return k * unit_roundoff / (1 - k * unit_roundoff); }

// Horner's rule on a polynomial p of degree d has |error| <= gamma_2d * sum |c_k| |x|^k (Higham,
// section 5.1). Writing out the powers costs c_3 x x x at most 3 + 3 roundings, that is 2d too; a
// fused multiply-add leaves some out. powf is off by up to 4 ulp where it replaces two products:
// gamma_10 covers that as well. Half precision has u = 2^-11, some 700 times this bound.
std::vector<Expected> map(const CaseData& data) {
    const auto x = data["x"].as<float>();
    const auto coefficient = [&](const char* key) {
        return static_cast<double>(static_cast<float>(data.param(key)));  // as the function gets it
    };
    const double c0 = coefficient("c0"), c1 = coefficient("c1"), c2 = coefficient("c2"),
                 c3 = coefficient("c3");
    const double a0 = std::abs(c0), a1 = std::abs(c1), a2 = std::abs(c2), a3 = std::abs(c3);
    Expected y{"y", Array(DType::f32, {static_cast<std::int64_t>(x.size())}),
               std::vector<double>(x.size())};
    const auto value = y.value.as<float>();
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double v = x[i], a = std::abs(v);
        value[i] = static_cast<float>(c0 + v * (c1 + v * (c2 + v * c3)));
        // The first rounding is ours: the answer is stored as a float.
        y.bound[i] = gamma_of(11) * (a0 + a * (a1 + a * (a2 + a * a3)));
    }
    return {std::move(y)};
}

// A sum of four in any order has |error| <= gamma_3 * sum |v_k| (Higham, section 4.2); a fourth
// rounding for starting from zero is exact, and one more is ours.
std::vector<Expected> gather(const CaseData& data) {
    const auto value = data["value"].as<float>();
    const auto neighbour = data["neighbour"].as<std::uint32_t>();
    const std::size_t n = neighbour.size() / 4;
    Expected out{"out", Array(DType::f32, {static_cast<std::int64_t>(n)}), std::vector<double>(n)};
    const auto sums = out.value.as<float>();
    for (std::size_t i = 0; i < n; ++i) {
        double sum = 0, magnitude = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const double v = value[neighbour[4 * i + k]];
            sum += v;
            magnitude += std::abs(v);
        }
        sums[i] = static_cast<float>(sum);
        out.bound[i] = gamma_of(4) * magnitude;
    }
    return {std::move(out)};
}

std::vector<Expected> scatter(const CaseData& data) {
    const auto value = data["value"].as<std::int32_t>();
    const auto target = data["target"].as<std::uint32_t>();
    Expected total{"total", Array(DType::i64, {data.size("m")}), {}};
    const auto sums = total.value.as<std::int64_t>();
    for (std::size_t i = 0; i < value.size(); ++i) sums[target[i]] += value[i];
    return {std::move(total)};
}

}  // namespace

AssignmentOracle oracle_patterns() {
    return {"patterns", {{"map", map}, {"gather", gather}, {"scatter", scatter}}};
}

}  // namespace cugrade::reference
