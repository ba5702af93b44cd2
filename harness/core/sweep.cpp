#include "core/sweep.hpp"

#include <cmath>
#include <functional>

namespace cugrade {
namespace {

/// Calls f(of a, of b) for each size at which both were timed and one is faster for certain.
void for_decided(const SweptProgram& a, const SweptProgram& b,
                 const std::function<void(const SweepPoint&, const SweepPoint&)>& f) {
    for (const SweepPoint& p : a.points)
        for (const SweepPoint& q : b.points)
            if (p.n == q.n && p.timed() && q.timed() &&
                (p.high_us < q.low_us || q.high_us < p.low_us))
                f(p, q);
}

}  // namespace

std::vector<Crossing> crossings(const SweptProgram& a, const SweptProgram& b) {
    std::vector<Crossing> out;
    double last = 0, last_n = 0;  // logarithm of the quotient of their times: below 0, a is faster
    for_decided(a, b, [&](const SweepPoint& p, const SweepPoint& q) {
        const double now = std::log(p.median_us / q.median_us);
        const auto n = static_cast<double>(p.n);
        if (last * now < 0)
            out.push_back({.faster = now < 0 ? a.name : b.name,
                           .slower = now < 0 ? b.name : a.name,
                           .from = p.n,
                           .at = last_n * std::pow(n / last_n, last / (last - now))});
        last = now;
        last_n = n;
    });
    return out;
}

const SweptProgram* faster_in_the_end(const SweptProgram& a, const SweptProgram& b) {
    const SweptProgram* out = nullptr;
    for_decided(a, b, [&](const SweepPoint& p, const SweepPoint& q) {
        out = p.median_us < q.median_us ? &a : &b;
    });
    return out;
}

}  // namespace cugrade
