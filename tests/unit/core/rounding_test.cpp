#include "core/rounding.hpp"

#include <limits>

#include "catch.hpp"

using namespace cugrade;

TEST_CASE("a number keeps so many digits, wherever its point is") {
    CHECK(rounded(1.23456, 3) == 1.23);
    CHECK(rounded(-0.00123456, 3) == -0.00123);
    CHECK(rounded(123456.0, 3) == 123000);
    CHECK(rounded(999.9, 3) == 1000);
    CHECK(rounded(0.0, 3) == 0);
    CHECK(rounded(std::numeric_limits<double>::infinity(), 3) > 1e300);
    CHECK(rounded(std::uint64_t{4000032}, 2) == 4000000);
    CHECK(rounded(std::uint64_t{0}, 2) == 0);
    CHECK(rounded(std::uint64_t{7}, 2) == 7);
}

TEST_CASE("beside a limit it stays on its side") {
    CHECK(rounded_beside(1.234, 1.5, 3) == 1.23);
    CHECK(rounded_beside(1.5004, 1.5, 3) == 1.5004);
    CHECK(rounded_beside(1.5, 1.5, 3) == 1.5);
    CHECK(rounded_beside(1.49996, 1.5, 3) == 1.5);
    CHECK(rounded_beside(0.0312501, 0.03125, 3) > 0.03125);
}
