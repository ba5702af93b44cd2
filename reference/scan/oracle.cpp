// Answers for the assignment `scan`: ints exactly, modulo 2^32; floats exactly where nothing can be
// rounded, and with a bound for each element elsewhere.
//
// Notation, after N. J. Higham, Accuracy and Stability of Numerical Algorithms (2nd ed., SIAM
// 2002): u = 2^-24 is the unit roundoff of float and gamma_k = k u / (1 - k u) (section 3.1).
#include <cmath>

#include "core/case_data.hpp"

namespace cugrade::reference {
namespace {

enum class Kind { inclusive, exclusive };

template <Kind kind>
std::vector<Expected> scan_int(const CaseData& data) {
    const auto in = data["in"].as<std::int32_t>();
    Expected out{"out", Array(DType::i32, {static_cast<std::int64_t>(in.size())}), {}};
    const auto value = out.value.as<std::int32_t>();
    std::uint32_t sum = 0;  // unsigned arithmetic is the same modulo 2^32, and defined
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::uint32_t before = sum;
        sum += static_cast<std::uint32_t>(in[i]);
        value[i] = static_cast<std::int32_t>(kind == Kind::inclusive ? sum : before);
    }
    return {std::move(out)};
}

// Whatever tree of additions a scan uses for an output of m terms, |error| <= gamma_(m-1) * sum
// |x_k| over these terms (Higham, section 4.2); one more rounding is ours, because the answer is
// stored as a float. A difference of two longer sums is no such tree, and mixed magnitudes tell it
// apart.
//
// The worst case grows faster than real errors do, and by a few thousand terms it would let pass
// half precision. So large cases are whole numbers with sum |x_k| <= 2^24: the sum of any of them
// is a whole number that a float holds exactly, so that there is one right answer.
template <Kind kind>
std::vector<Expected> scan_float(const CaseData& data) {
    const auto in = data["in"].as<float>();
    Expected out{"out", Array(DType::f32, {static_cast<std::int64_t>(in.size())}), {}};
    const auto value = out.value.as<float>();
    double sum = 0, magnitude = 0;
    bool whole = true;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const double before = sum;
        sum += static_cast<double>(in[i]);
        magnitude += std::abs(static_cast<double>(in[i]));
        whole &= std::abs(in[i]) <= 0x1p24f &&
                 static_cast<float>(static_cast<std::int32_t>(in[i])) == in[i];
        value[i] = static_cast<float>(kind == Kind::inclusive ? sum : before);
    }
    if (whole && magnitude <= 0x1p24) return {std::move(out)};

    out.bound.resize(in.size());
    magnitude = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const double before = magnitude;
        magnitude += std::abs(static_cast<double>(in[i]));
        const double mu = static_cast<double>(kind == Kind::inclusive ? i + 1 : i) * 0x1p-24;
        out.bound[i] = mu / (1 - mu) * (kind == Kind::inclusive ? magnitude : before);
    }
    return {std::move(out)};
}

}  // namespace

AssignmentOracle oracle_scan() {
    return {"scan",
            {{"inclusive_int", scan_int<Kind::inclusive>},
             {"exclusive_int", scan_int<Kind::exclusive>},
             {"inclusive_float", scan_float<Kind::inclusive>},
             {"exclusive_float", scan_float<Kind::exclusive>}}};
}

}  // namespace cugrade::reference
