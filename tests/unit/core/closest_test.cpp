#include "core/closest.hpp"

#include "catch.hpp"

using namespace cugrade;

TEST_CASE("the closest known word is offered, and none that is far away") {
    const std::vector<std::string> known{"correctness", "performance", "tiers"};
    CHECK(closest("corectness", known) == "correctness");
    CHECK(closest("preformance", known) == "performance");
    CHECK(closest("tier", known) == "tiers");
    CHECK(closest("teirs", known) == "tiers");
    CHECK(closest("colour", known).empty());
    CHECK(closest("x", known).empty());
    CHECK(closest("", known).empty());
}

TEST_CASE("the beginning of a name stands for it") {
    const std::vector<std::string> ids{"patterns", "reduction", "scan"};
    CHECK(closest("redcution", ids) == "reduction");
    CHECK(closest("scam", ids) == "scan");
    CHECK(closest("pat", ids) == "patterns");
    CHECK(closest("matrix", ids).empty());
}
