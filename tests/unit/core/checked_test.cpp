#include "core/checked.hpp"

#include "catch.hpp"

using cugrade::Checked;

TEST_CASE("a checked number knows whether it left its range") {
    const std::uint64_t large = std::uint64_t{1} << 40;
    CHECK((Checked(large) * large).or_largest() == UINT64_MAX);
    CHECK_FALSE((Checked(large) * large).at_most(UINT64_MAX));
    CHECK_FALSE((Checked(UINT64_MAX) + std::uint64_t{1}).at_most(UINT64_MAX));
    CHECK((Checked(UINT64_MAX) + std::uint64_t{0}).at_most(UINT64_MAX));
    // What wraps to a small number does not become small by what follows.
    CHECK_FALSE((Checked(large) * large * std::uint64_t{0}).at_most(UINT64_MAX));
    CHECK((Checked(std::uint64_t{6}) * std::uint64_t{7}).within(42) == 42);
    CHECK((Checked(std::uint64_t{6}) * std::uint64_t{7}).within(41) == std::nullopt);
    CHECK_FALSE((Checked(std::uint32_t{1} << 31) * std::uint32_t{2}).at_most(UINT32_MAX));
}

TEST_CASE("rounding up to a multiple is checked, too") {
    CHECK(Checked(std::uint64_t{0}).rounded_up(64).or_largest() == 0);
    CHECK(Checked(std::uint64_t{1}).rounded_up(64).or_largest() == 64);
    CHECK(Checked(std::uint64_t{64}).rounded_up(64).or_largest() == 64);
    CHECK_FALSE(Checked(UINT64_MAX - 1).rounded_up(64).at_most(UINT64_MAX));
}
