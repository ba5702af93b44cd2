#include "timing/sampling.hpp"

#include <algorithm>
#include <cmath>

namespace cugrade {

MedianInterval median_interval(std::vector<double> samples) {
    std::ranges::sort(samples);
    const std::size_t n = samples.size();
    if (n == 0) return {};
    MedianInterval out;
    out.median = n % 2 == 1 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
    // Each sample is below the median with probability one half. `outside` is the largest k such
    // that k or fewer samples lie below it with a probability of at most 2.5 %.
    const auto log_factorial = [](std::size_t i) {
        return std::lgamma(static_cast<double>(i) + 1);
    };
    std::size_t outside = 0;
    double of_fewer = 0;
    for (std::size_t k = 0; k < n / 2; ++k) {
        of_fewer += std::exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k) -
                             static_cast<double>(n) * std::log(2.0));
        if (of_fewer > 0.025) break;
        outside = k;
    }
    out.low = samples[outside];
    out.high = samples[n - 1 - outside];
    return out;
}

double median(std::vector<double> samples) { return median_interval(std::move(samples)).median; }

bool reaches_no_tier(const std::vector<Tier>& tiers, double speedup) {
    return std::ranges::none_of(tiers, [&](const Tier& tier) { return speedup >= tier.speedup; });
}

void Sampling::add(double baseline_us, double submission_us) {
    ratios_.push_back(baseline_us / submission_us);
}

MedianInterval Sampling::interval() const {
    MedianInterval out = median_interval(ratios_);
    out.low = std::min(out.low, out.median * (1 - limits_.precision));
    out.high = std::max(out.high, out.median * (1 + limits_.precision));
    return out;
}

std::optional<double> Sampling::boundary() const {
    const MedianInterval speedup = interval();
    std::optional<double> inside;
    for (const Tier& tier : tiers_)
        if (speedup.low < tier.speedup && tier.speedup <= speedup.high) inside = tier.speedup;
    return inside;
}

bool Sampling::decided() const {
    const MedianInterval sampled = median_interval(ratios_);
    return std::ranges::none_of(tiers_, [&](const Tier& tier) {
        const double given_from = tier.speedup / (1 + limits_.precision);
        return sampled.low < given_from && given_from <= sampled.high;
    });
}

bool Sampling::enough(double elapsed_s) const {
    if (ratios_.empty()) return false;
    if (elapsed_s >= limits_.most_s) return true;
    if (ratios_.size() < limits_.fewest_pairs || elapsed_s < limits_.least_s || !decided())
        return false;
    const MedianInterval speedup = interval();
    if (speedup.high <= speedup.median * (1 + limits_.precision) &&
        speedup.low >= speedup.median * (1 - limits_.precision))
        return true;
    return elapsed_s >= limits_.patience_s && !boundary();
}

}  // namespace cugrade
