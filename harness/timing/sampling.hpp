// How many samples a speedup needs, and its confidence interval. Plain numbers, no clock and no
// GPU.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "core/policy.hpp"

namespace cugrade {

/// Median and the 95 % confidence interval of the median, by order statistics (binomial): Hollander
/// and Wolfe, Nonparametric Statistical Methods, section 3.6. Fewer than six samples give the
/// range.
struct MedianInterval {
    double median = 0, low = 0, high = 0;
};
[[nodiscard]] MedianInterval median_interval(std::vector<double> samples);
[[nodiscard]] double median(std::vector<double> samples);
/// Of what `value` (a member, or a function) is for each of them.
template <class Range, class Value>
[[nodiscard]] double median_of(const Range& all, Value value) {
    std::vector<double> values;
    for (const auto& one : all) values.push_back(std::invoke(value, one));
    return median(std::move(values));
}

[[nodiscard]] bool reaches_no_tier(const std::vector<Tier>&, double speedup);

/// Decides when to stop. A pair is one round of the baseline and one of the submission, made next
/// to each other, so that what both suffer from (clocks, heat) is not in their ratio.
class Sampling {
public:
    struct Limits {
        std::size_t fewest_pairs = 10;
        double least_s = 1;       ///< measured this long, speedups vary little between gradings
        double precision = 0.01;  ///< share of the median that is exact enough
        double patience_s = 2;    ///< for that precision where no boundary is near
        double most_s = 3;        ///< a task shall have its GPU for 6 s at most, all else included
    };
    Sampling(std::vector<Tier> tiers, Limits limits) : tiers_(std::move(tiers)), limits_(limits) {}

    void add(double baseline_us, double submission_us);
    [[nodiscard]] std::size_t pairs() const { return ratios_.size(); }

    /// True from `least_s` on, if the samples agree on the tier: as soon as the interval is narrow,
    /// or it is clear of all boundaries after `patience_s`. Also once the time is over.
    [[nodiscard]] bool enough(double elapsed_s) const;
    /// The interval of the speedup, from the ratios of all pairs, at least `precision` to either
    /// side: gradings differ by that much.
    [[nodiscard]] MedianInterval interval() const;
    /// The highest boundary of a tier that the interval does not decide.
    [[nodiscard]] std::optional<double> boundary() const;

private:
    /// Whether the samples' own interval is on one side of where each tier begins to be given,
    /// which is `precision` below its boundary.
    [[nodiscard]] bool decided() const;

    std::vector<Tier> tiers_;
    Limits limits_;
    std::vector<double> ratios_;
};

}  // namespace cugrade
