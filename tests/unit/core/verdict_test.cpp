#include "catch.hpp"
#include "core/verdict.hpp"

using namespace cugrade;

TEST_CASE("every verdict has a name that reads back to it") {
    for (int i = 0; i <= static_cast<int>(Verdict::harness_error); ++i) {
        const auto v = static_cast<Verdict>(i);
        CHECK_FALSE(name(v).empty());
        CHECK_FALSE(meaning(v).empty());
        CHECK(verdict_from_name(name(v)) == v);
    }
    CHECK_FALSE(verdict_from_name("no_such_verdict").has_value());
}

TEST_CASE("the harness's own failure outranks every verdict and is never judged") {
    for (int i = 0; i < static_cast<int>(Verdict::harness_error); ++i) {
        const auto v = static_cast<Verdict>(i);
        CHECK(worst(v, Verdict::harness_error) == Verdict::harness_error);
        CHECK(worst(Verdict::accepted, v) == v);
    }
    CHECK_FALSE(is_judged(Verdict::harness_error));
    CHECK_FALSE(is_judged(Verdict::skipped));
    CHECK(is_judged(Verdict::wrong_answer));
}
