#include "catch.hpp"
#include "timing/sampling.hpp"

using namespace cugrade;

TEST_CASE("the median interval brackets the median and narrows with more samples") {
    std::vector<double> few, many;
    for (int i = 0; i < 9; ++i) few.push_back(100 + i);
    for (int i = 0; i < 900; ++i) many.push_back(100 + i / 100.0);
    const auto a = median_interval(few);
    const auto b = median_interval(many);
    CHECK(a.median == 104);
    CHECK(a.low <= a.median);
    CHECK(a.high >= a.median);
    CHECK(b.high - b.low < a.high - a.low);
}

TEST_CASE("the median interval is that of the binomial distribution") {
    // So many samples outside on either side, by the table of Hollander and Wolfe.
    const std::pair<int, int> table[] = {{5, 0},  {6, 0},  {8, 0},  {9, 1},  {10, 1},
                                         {11, 1}, {12, 2}, {20, 5}, {40, 13}};
    for (const auto& [n, outside] : table) {
        INFO(n);
        std::vector<double> samples;
        for (int i = 0; i < n; ++i) samples.push_back(i);
        CHECK(median_interval(samples).low == outside);
        CHECK(median_interval(samples).high == n - 1 - outside);
    }
}

TEST_CASE("the median interval of few samples is their range") {
    const auto one = median_interval({7});
    CHECK(one.median == 7);
    CHECK(one.low == 7);
    CHECK(one.high == 7);
    const auto three = median_interval({3, 1, 2});
    CHECK(three.low == 1);
    CHECK(three.median == 2);
    CHECK(three.high == 3);
}

TEST_CASE("one outlier does not move the median") {
    CHECK(median_interval({10, 10, 10, 10, 10, 10, 1e9}).median == 10);
}

namespace {

const std::vector<Tier> tiers{{2, 0.25}, {4, 0.5}, {16, 1}};

/// Pairs whose ratios go round in `ratios`.
Sampling sampled(const std::vector<double>& ratios, std::size_t pairs) {
    Sampling out(tiers, {});
    for (std::size_t i = 0; i < pairs; ++i) out.add(1000 * ratios[i % ratios.size()], 1000);
    return out;
}

}  // namespace

TEST_CASE("sampling stops after a second when the speedup is known within one percent") {
    CHECK_FALSE(sampled({10, 10.05}, 1000).enough(0.9));
    CHECK_FALSE(sampled({10, 10.05}, 9).enough(1.1));
    CHECK(sampled({10, 10.05}, 10).enough(1.1));
    CHECK_FALSE(sampled({10, 10.5}, 10).enough(1.1));
    // Wherever the boundaries are: what lies so close to one is given.
    CHECK(sampled({3.99, 4.01}, 10).enough(1.1));
}

TEST_CASE("sampling goes on while samples disagree whether a tier is given") {
    // It is from 4 / 1.01 = 3.96 on.
    CHECK_FALSE(sampled({3.95, 3.97}, 10).enough(2.9));
    CHECK(sampled({3.95, 3.97}, 10).enough(3));
    CHECK(sampled({3.94, 3.95}, 10).enough(1.1));
    CHECK(sampled({3.97, 3.98}, 10).enough(1.1));
}

TEST_CASE("sampling stops early where no boundary of a tier is near") {
    const auto clear = sampled({9, 11}, 10);
    CHECK_FALSE(clear.boundary());
    CHECK_FALSE(clear.enough(1.9));
    CHECK(clear.enough(2.1));
    const auto undecided = sampled({3.5, 4.5}, 10);
    CHECK(undecided.boundary() == 4.0);
    CHECK_FALSE(undecided.enough(2.9));
    CHECK(undecided.enough(3));
}

TEST_CASE("sampling needs a pair, and gives up on more when the time is over") {
    CHECK_FALSE(sampled({}, 0).enough(100));
    CHECK(sampled({10}, 1).enough(3));
    CHECK_FALSE(sampled({10}, 1).enough(2.9));
}

TEST_CASE("what slows down both of a pair is not in the speedup") {
    Sampling sampling(tiers, {});
    for (int i = 1; i <= 20; ++i) sampling.add(1000.0 * i, 100.0 * i);
    CHECK(sampling.interval().median == 10);
    CHECK(sampling.interval().low == 10 * 0.99);
    CHECK(sampling.interval().high == 10 * 1.01);
}

TEST_CASE("what lies within one percent of a boundary is not decided by samples that agree") {
    CHECK(sampled({3.97}, 20).boundary() == 4.0);
    CHECK(sampled({4.03}, 20).boundary() == 4.0);
    CHECK_FALSE(sampled({3.95}, 20).boundary());
    CHECK_FALSE(sampled({4.05}, 20).boundary());
}

TEST_CASE("the highest of several undecided boundaries is named") {
    CHECK(sampled({1.5, 5, 3}, 9).boundary() == 4.0);
}

TEST_CASE("a tier is reached from its speedup on") {
    const std::vector<Tier> tiers{{.speedup = 2, .credit = 0.5}, {.speedup = 8, .credit = 1}};
    CHECK(reaches_no_tier(tiers, 1.99));
    CHECK_FALSE(reaches_no_tier(tiers, 2));
    CHECK_FALSE(reaches_no_tier(tiers, 9));
    CHECK(reaches_no_tier({}, 9));
}
