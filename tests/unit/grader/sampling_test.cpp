#include "grader/timing.hpp"
#include "catch.hpp"

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
