#include "core/sweep.hpp"

#include "catch.hpp"

using namespace cugrade;

namespace {

SweepPoint point(std::uint64_t n, double us, double width = 0) {
    return {.n = n,
            .message = {},
            .median_us = us,
            .low_us = us - width,
            .high_us = us + width,
            .samples = 5};
}
SweptProgram program(std::string name, std::vector<SweepPoint> points) {
    return {.name = std::move(name), .file = {}, .sha256 = {}, .basis = "events", .points = points};
}

}  // namespace

TEST_CASE("lines cross where the faster program becomes the slower one") {
    const auto naive = program("naive", {point(10, 1), point(100, 10), point(1000, 100)});
    const auto tree = program("tree", {point(10, 10), point(100, 10), point(1000, 10)});
    const auto found = crossings(naive, tree);
    REQUIRE(found.size() == 1);
    CHECK(found[0].faster == "tree");
    CHECK(found[0].slower == "naive");
    CHECK(found[0].from == 1000);
    CHECK(found[0].at == Approx(100));  // which decides nothing, but lies on both lines
    CHECK(crossings(tree, naive).front().faster == "tree");
    CHECK(faster_in_the_end(naive, tree) == &tree);
    CHECK(faster_in_the_end(tree, naive) == &tree);
}

TEST_CASE("a size at which the intervals overlap decides nothing") {
    const auto a = program("a", {point(1, 10), point(2, 10, 3), point(4, 10)});
    const auto b = program("b", {point(1, 20), point(2, 8, 3), point(4, 20)});
    CHECK(crossings(a, b).empty());
    CHECK(faster_in_the_end(a, b) == &a);
    const auto same = program("same", {point(1, 10), point(2, 10), point(4, 10)});
    CHECK(faster_in_the_end(a, same) == nullptr);
}

TEST_CASE("lines may cross twice, and points without a time are left out") {
    auto a = program("a", {point(1, 1), point(2, 4), point(4, 1), point(8, 1)});
    const auto b = program("b", {point(1, 2), point(2, 2), point(4, 2), point(8, 2)});
    const auto twice = crossings(a, b);
    REQUIRE(twice.size() == 2);
    CHECK(twice[0].faster == "b");
    CHECK(twice[0].from == 2);
    CHECK(twice[0].at == Approx(std::sqrt(2)));
    CHECK(twice[1].faster == "a");
    CHECK(twice[1].from == 4);
    a.points[1].verdict = Verdict::wrong_answer;
    CHECK(crossings(a, b).empty());
}

TEST_CASE("only sizes that both programs were timed at are compared") {
    const auto a = program("a", {point(1, 1), point(2, 1)});
    const auto b = program("b", {point(2, 5), point(4, 5)});
    CHECK(faster_in_the_end(a, b) == &a);
    CHECK(faster_in_the_end(a, program("c", {point(8, 1)})) == nullptr);
}
