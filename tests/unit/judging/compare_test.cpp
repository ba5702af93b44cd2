#include "judging/compare.hpp"

#include <chrono>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "core/error.hpp"

using namespace cugrade;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

template <class T>
Array array_of(const std::vector<T>& values, std::vector<std::int64_t> shape = {}) {
    if (shape.empty()) shape = {static_cast<std::int64_t>(values.size())};
    Array out(dtype_of<T>::value, std::move(shape));
    std::copy(values.begin(), values.end(), out.as<T>().begin());
    return out;
}

Array poison_for(const Array& like) {
    Array out(like.dtype, like.shape);
    for (std::size_t i = 0; i < out.bytes.size(); ++i)
        out.bytes[i] = static_cast<std::byte>(0x5a + 31 * i);
    return out;
}

template <class T>
Comparison compare_values(const std::vector<T>& want, const std::vector<T>& got,
                          std::vector<double> bound = {}) {
    const Array g = array_of(got);
    return compare({.argument = "out", .value = array_of(want), .bound = std::move(bound)}, g,
                   poison_for(g));
}

template <class T>
bool right(T want, T got, std::vector<double> bound = {}) {
    return compare_values<T>({want}, {got}, std::move(bound)).verdict == Verdict::accepted;
}

}  // namespace

TEST_CASE("integers are compared exactly, at every index and for every type") {
    for (int t = 0; t < 8; ++t) {
        for (const std::int64_t n : {1, 2, 31, 33, 4097}) {
            Array want(static_cast<DType>(t), {n});
            for (std::size_t i = 0; i < want.bytes.size(); ++i)
                want.bytes[i] = static_cast<std::byte>(i * 7);
            const Array poison = poison_for(want);
            const Expected expected{.argument = "out", .value = want, .bound = {}};
            CHECK(compare(expected, want, poison).verdict == Verdict::accepted);
            const std::size_t width = size_of(want.dtype);
            for (std::int64_t i = 0; i < n; ++i) {
                Array got = want;
                got.bytes[static_cast<std::size_t>(i) * width + width - 1] ^= std::byte{1};
                const Comparison found = compare(expected, got, poison);
                REQUIRE(found.mismatch_count == 1);
                REQUIRE(found.wrong == std::vector{i});
                REQUIRE(found.element_count == n);
            }
        }
    }
}

TEST_CASE("large 64-bit integers are not compared as doubles") {
    const std::int64_t big = (std::int64_t{1} << 62) + 1;
    CHECK_FALSE(right<std::int64_t>(big, big - 1));
}

TEST_CASE("floats without a bound are exact but for the sign of zero") {
    CHECK(right(1.0F, 1.0F));
    CHECK_FALSE(right(1.0F, std::nextafter(1.0F, 2.0F)));
    CHECK(right(0.0, -0.0));
    CHECK(right(-0.0F, 0.0F));
    CHECK(right(inf, inf));
    CHECK_FALSE(right(inf, -inf));
    CHECK_FALSE(right(inf, 1.0));
    CHECK_FALSE(right(1.0, inf));
    CHECK(right(nan_value, nan_value));
    CHECK(right(nan_value, -nan_value));
    CHECK_FALSE(right(nan_value, 0.0));
    CHECK_FALSE(right(0.0, nan_value));
}

TEST_CASE("floats within the bound are right, those beyond it wrong") {
    CHECK(right(1.0, 1.25, {0.25}));
    CHECK_FALSE(right(1.0, std::nextafter(1.25, 2.0), {0.25}));
    CHECK(right(1.0F, 0.75F, {0.25}));
    CHECK_FALSE(right(1.0F, 0.7499F, {0.25}));
    CHECK(right(-0.0, 0.0, {0.0}));
    CHECK_FALSE(right(1.0, nan_value, {1e300}));
    CHECK_FALSE(right(nan_value, 1.0, {1e300}));
    CHECK(right(nan_value, nan_value, {0.0}));
    CHECK_FALSE(right(1.0, inf, {1e300}));
    CHECK_FALSE(right(inf, 1e308, {1e308}));
    CHECK(right(inf, inf, {0.0}));
    CHECK_FALSE(right(inf, -inf, {1e308}));
    // One bound per element.
    const Comparison found = compare_values<double>({1, 1, 1}, {1.5, 1.5, 1.5}, {1, 0.1, 0.5});
    CHECK(found.wrong == std::vector<std::int64_t>{1});
}

TEST_CASE("an answer that contradicts itself is the harness's fault") {
    CHECK_THROWS_AS(compare_values<int>({1}, {1}, {0.0}), HarnessFault);
    CHECK_THROWS_AS(compare_values<double>({1, 1, 1}, {1, 1, 1}, {0.0, 0.0}), HarnessFault);
    for (const double bound : {inf, nan_value, -1.0})
        CHECK_THROWS_AS(compare_values<double>({1}, {1}, {bound}), HarnessFault);
    CHECK_THROWS_AS(compare_values<double>({1, 2}, {1}), HarnessFault);
    const Array got = array_of<float>({1});
    CHECK_THROWS_AS(
        compare({.argument = "out", .value = array_of<int>({1}), .bound = {}}, got, got),
        HarnessFault);
}

TEST_CASE("the first mismatches are told in full") {
    const Array want = array_of<std::uint8_t>({1, 2, 3, 4, 5, 6}, {2, 3});
    const Array got = array_of<std::uint8_t>({1, 2, 3, 4, 200, 6}, {2, 3});
    const Comparison found =
        compare({.argument = "out", .value = want, .bound = {}}, got, poison_for(got));
    REQUIRE(found.first.size() == 1);
    CHECK(found.first[0].argument == "out");
    CHECK(found.first[0].index == 4);
    CHECK(found.first[0].coordinates == std::vector<std::int64_t>{1, 1});
    CHECK(found.first[0].expected == "5");
    CHECK(found.first[0].got == "200");
    const Comparison many = compare_values(std::vector<int>(10000, 1), std::vector<int>(10000, 2));
    CHECK(many.first.size() == max_mismatches);
    CHECK(many.first[4].index == 4);
    CHECK(many.first[4].coordinates.empty());
    CHECK(many.mismatch_count == 10000);
    CHECK(many.wrong.size() == 10000);
}

TEST_CASE("what still holds the poison was never written") {
    const Array want = array_of(std::vector<int>(1000, 7));
    const Array poison = poison_for(want);
    const Expected expected{.argument = "out", .value = want, .bound = {}};
    const Comparison all = compare(expected, poison, poison);
    CHECK(all.verdict == Verdict::unwritten_output);
    CHECK(all.still_poison == 1000);

    Array got = want;  // one element of many
    got.as<int>()[999] = poison.as<int>()[999];
    CHECK(compare(expected, got, poison).verdict == Verdict::unwritten_output);

    got = poison;  // written elsewhere, and wrong there: not only unwritten
    for (std::size_t i = 0; i < 500; ++i) got.as<int>()[i] = 8;
    CHECK(compare(expected, got, poison).verdict == Verdict::wrong_answer);

    // Poison that happens to be right is right.
    CHECK(compare({.argument = "out", .value = poison, .bound = {}}, poison, poison).verdict ==
          Verdict::accepted);
    // Nothing to write.
    const Array none(DType::f32, {0});
    CHECK(compare({.argument = "out", .value = none, .bound = {}}, none, none).verdict ==
          Verdict::accepted);
}

TEST_CASE("unwritten floats are found under any bound") {
    Array poison = array_of<float>({std::numeric_limits<float>::quiet_NaN(), 3.5F});
    const Expected expected{.argument = "out", .value = array_of<float>({1, 1}), .bound = {0.1}};
    CHECK(compare(expected, poison, poison).verdict == Verdict::unwritten_output);
}

TEST_CASE("adding to the poison is told apart") {
    const Array want = array_of(std::vector<int>(100, 7));
    const Array poison = poison_for(want);
    Array got = want;
    for (std::size_t i = 0; i < 100; ++i)
        got.as<int>()[i] = static_cast<int>(7u + static_cast<unsigned>(poison.as<int>()[i]));
    CHECK(compare({.argument = "out", .value = want, .bound = {}}, got, poison).added_to_poison ==
          100);
}

TEST_CASE("large outputs are compared quickly") {
    const std::size_t n = std::size_t{4} << 20;
    const std::vector<float> want(n, 1.0F), got(n, 1.0001F);
    const auto start = std::chrono::steady_clock::now();
    CHECK(compare_values(want, got, {0.001}).verdict == Verdict::accepted);
    CHECK(compare_values(want, got).mismatch_count == static_cast<std::int64_t>(n));
    CHECK(compare_values(want, got).wrong.size() == std::size_t{1} << 20);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}
