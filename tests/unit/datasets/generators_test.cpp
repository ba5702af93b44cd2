#include "datasets/generators.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <set>

#include <unistd.h>

#include "catch.hpp"
#include "datasets/random.hpp"
#include "datasets/seeds.hpp"

using namespace cugrade;
using datasets::generate;

namespace {

using Numbers = std::map<std::string, double>;

DataSpec spec_of(std::string generator, Numbers numbers) {
    return {.generator = std::move(generator), .numbers = std::move(numbers), .file = {}};
}

Array made(const std::string& generator, const Numbers& numbers, DType type, std::int64_t n,
           std::uint64_t seed = 1) {
    auto array = generate(spec_of(generator, numbers), type, {n}, seed, {});
    if (!array) FAIL(array.error().text());
    return *array;
}

/// "KEY: MESSAGE" of the error that this must be.
std::string error_of(const std::string& generator, const Numbers& numbers, DType type,
                     std::int64_t n = 10) {
    const auto array = generate(spec_of(generator, numbers), type, {n}, 1, {});
    REQUIRE_FALSE(array.ok());
    CHECK(array.error().kind == ErrorKind::configuration);
    CHECK_FALSE(array.error().remedy.empty());
    return array.error().key + ": " + array.error().message;
}

std::string hash(const Array& array) {
    return datasets::sha256({reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size()})
        .substr(0, 16);
}

using Catch::Matchers::ContainsSubstring;

}  // namespace

TEST_CASE("the random bits are SplitMix64's") {
    // The first outputs for the seed 1234567, as published with many implementations of it.
    CHECK(datasets::random(1234567, 0) == 6457827717110365317u);
    CHECK(datasets::random(1234567, 1) == 3203168211198807973u);
    CHECK(datasets::random(1234567, 2) == 9817491932198370423u);
}

TEST_CASE("every generator gives the same bytes on every platform") {
    struct Row {
        std::string generator;
        Numbers numbers;
        DType type;
        std::string sha256;  // the first 16 digits, over 1000 elements from seed 42
    };
    const std::vector<Row> rows{
        {"uniform", {{"high", 100}, {"low", 0}}, DType::u8, "565c52467b66281e"},
        {"uniform", {{"high", 100}, {"low", 0}}, DType::i8, "565c52467b66281e"},
        {"uniform", {{"high", 100}, {"low", 0}}, DType::u16, "6d913c177b481543"},
        {"uniform", {{"high", 100}, {"low", 0}}, DType::i16, "6d913c177b481543"},
        {"uniform", {{"high", 100}, {"low", 0}}, DType::u32, "3f78cc270e0267a3"},
        {"uniform", {{"high", 100}, {"low", 0}}, DType::i32, "3f78cc270e0267a3"},
        {"uniform", {{"high", 100}, {"low", 0}}, DType::u64, "7e6f2644fbf892a8"},
        {"uniform", {{"high", 100}, {"low", 0}}, DType::i64, "7e6f2644fbf892a8"},
        {"uniform", {{"high", 100}, {"low", 0}}, DType::f32, "675d828b8224cbc0"},
        {"uniform", {{"high", 100}, {"low", 0}}, DType::f64, "815bf88ff1c7ba4a"},
        {"uniform", {{"high", 1}, {"low", -1}}, DType::f32, "d46f865b0fe2d839"},
        {"uniform", {{"high", 1}, {"low", -1}}, DType::f64, "08af9192973b7972"},
        {"uniform", {{"high", 8}, {"integers", 1}, {"low", -8}}, DType::f32, "0391e3e3e620ca4a"},
        {"uniform", {{"high", 8}, {"integers", 1}, {"low", -8}}, DType::f64, "1219a7bf28882393"},
        {"constant", {{"value", 7}}, DType::u8, "df1329c8b6c7cf37"},
        {"constant", {{"value", 7}}, DType::i8, "df1329c8b6c7cf37"},
        {"constant", {{"value", 7}}, DType::u16, "09d765084bde89a8"},
        {"constant", {{"value", 7}}, DType::i16, "09d765084bde89a8"},
        {"constant", {{"value", 7}}, DType::u32, "961b1b4c0d0cb4da"},
        {"constant", {{"value", 7}}, DType::i32, "961b1b4c0d0cb4da"},
        {"constant", {{"value", 7}}, DType::u64, "4f62cb3477b7d311"},
        {"constant", {{"value", 7}}, DType::i64, "4f62cb3477b7d311"},
        {"constant", {{"value", 7}}, DType::f32, "66826ba9a5261e4b"},
        {"constant", {{"value", 7}}, DType::f64, "12b21f8939a66ede"},
        {"zipf", {{"exponent", 1.1}, {"high", 99}, {"low", 0}}, DType::u8, "fb51b558e623bc28"},
        {"zipf", {{"exponent", 1.1}, {"high", 99}, {"low", 0}}, DType::i8, "fb51b558e623bc28"},
        {"zipf", {{"exponent", 1.1}, {"high", 99}, {"low", 0}}, DType::u16, "b7d30ce6bee03fbd"},
        {"zipf", {{"exponent", 1.1}, {"high", 99}, {"low", 0}}, DType::i16, "b7d30ce6bee03fbd"},
        {"zipf", {{"exponent", 1.1}, {"high", 99}, {"low", 0}}, DType::u32, "183a9728899f0f0b"},
        {"zipf", {{"exponent", 1.1}, {"high", 99}, {"low", 0}}, DType::i32, "183a9728899f0f0b"},
        {"zipf", {{"exponent", 1.1}, {"high", 99}, {"low", 0}}, DType::u64, "2b67071ac924e055"},
        {"zipf", {{"exponent", 1.1}, {"high", 99}, {"low", 0}}, DType::i64, "2b67071ac924e055"},
        {"zipf", {{"exponent", 1.1}, {"high", 99}, {"low", 0}}, DType::f32, "d863c30bae4ffc07"},
        {"zipf", {{"exponent", 1.1}, {"high", 99}, {"low", 0}}, DType::f64, "b42c70f471128e2c"},
        {"zipf", {{"exponent", 0.7}, {"high", 65535}, {"low", 0}}, DType::u32, "1693db3303558181"},
        {"sorted", {{"high", 97}, {"low", 3}}, DType::u8, "2a2f5cfd88b54181"},
        {"sorted", {{"high", 97}, {"low", 3}}, DType::i8, "2a2f5cfd88b54181"},
        {"sorted", {{"high", 97}, {"low", 3}}, DType::u16, "cf27cda56ba2a296"},
        {"sorted", {{"high", 97}, {"low", 3}}, DType::i16, "cf27cda56ba2a296"},
        {"sorted", {{"high", 97}, {"low", 3}}, DType::u32, "3cc758ef23fe438d"},
        {"sorted", {{"high", 97}, {"low", 3}}, DType::i32, "3cc758ef23fe438d"},
        {"sorted", {{"high", 97}, {"low", 3}}, DType::u64, "4ded92c8a51d8143"},
        {"sorted", {{"high", 97}, {"low", 3}}, DType::i64, "4ded92c8a51d8143"},
        {"sorted", {{"high", 97}, {"low", 3}}, DType::f32, "2093882b6ed0c6b1"},
        {"sorted", {{"high", 97}, {"low", 3}}, DType::f64, "eff1692be7c8f39b"},
        {"ramp", {{"modulo", 30}, {"start", 1}, {"step", 3}}, DType::u8, "d67e1bc227eaa46f"},
        {"ramp", {{"modulo", 30}, {"start", 1}, {"step", 3}}, DType::i8, "d67e1bc227eaa46f"},
        {"ramp", {{"modulo", 30}, {"start", 1}, {"step", 3}}, DType::u16, "d794bc62beb7da67"},
        {"ramp", {{"modulo", 30}, {"start", 1}, {"step", 3}}, DType::i16, "d794bc62beb7da67"},
        {"ramp", {{"modulo", 30}, {"start", 1}, {"step", 3}}, DType::u32, "0f5eb8d7554125ce"},
        {"ramp", {{"modulo", 30}, {"start", 1}, {"step", 3}}, DType::i32, "0f5eb8d7554125ce"},
        {"ramp", {{"modulo", 30}, {"start", 1}, {"step", 3}}, DType::u64, "c76068aef2bb9afc"},
        {"ramp", {{"modulo", 30}, {"start", 1}, {"step", 3}}, DType::i64, "c76068aef2bb9afc"},
        {"ramp", {{"modulo", 30}, {"start", 1}, {"step", 3}}, DType::f32, "a053484140ac6d28"},
        {"ramp", {{"modulo", 30}, {"start", 1}, {"step", 3}}, DType::f64, "22e16954f1ada29e"},
        {"ramp", {{"start", 0.1}, {"step", 0.3}}, DType::f32, "81bbd8356e0da720"},
        {"ramp", {{"start", 0.1}, {"step", 0.3}}, DType::f64, "3a978911efcec304"},
        {"alternating", {{"magnitude", 3}}, DType::i8, "0e640ba137c9e769"},
        {"alternating", {{"magnitude", 3}}, DType::i16, "60b5206be6da95a4"},
        {"alternating", {{"magnitude", 3}}, DType::i32, "69263ecf29cf184d"},
        {"alternating", {{"magnitude", 3}}, DType::i64, "64245d3a8dcc0f5b"},
        {"alternating", {{"magnitude", 3}}, DType::f32, "d5e197fba6825b5d"},
        {"alternating", {{"magnitude", 3}}, DType::f64, "0221fa6e140c7a97"},
        {"one_hot", {{"value", 9}}, DType::u8, "60224250e39431b3"},
        {"one_hot", {{"value", 9}}, DType::i8, "60224250e39431b3"},
        {"one_hot", {{"value", 9}}, DType::u16, "2ac6a41abf089310"},
        {"one_hot", {{"value", 9}}, DType::i16, "2ac6a41abf089310"},
        {"one_hot", {{"value", 9}}, DType::u32, "5182ff046f7201a9"},
        {"one_hot", {{"value", 9}}, DType::i32, "5182ff046f7201a9"},
        {"one_hot", {{"value", 9}}, DType::u64, "42f021a1fb43864f"},
        {"one_hot", {{"value", 9}}, DType::i64, "42f021a1fb43864f"},
        {"one_hot", {{"value", 9}}, DType::f32, "01d4c225517f4f2f"},
        {"one_hot", {{"value", 9}}, DType::f64, "818300a3be07ae81"},
        {"mixed_magnitudes",
         {{"high_exponent", 20}, {"low_exponent", -20}},
         DType::f32,
         "417759ed4e277432"},
        {"mixed_magnitudes",
         {{"high_exponent", 20}, {"low_exponent", -20}},
         DType::f64,
         "4aa8d25316999cad"},
        {"runs", {{"high", 50}, {"low", 0}, {"mean_length", 7.5}}, DType::u8, "ac5293482904fcf4"},
        {"runs", {{"high", 50}, {"low", 0}, {"mean_length", 7.5}}, DType::i8, "ac5293482904fcf4"},
        {"runs", {{"high", 50}, {"low", 0}, {"mean_length", 7.5}}, DType::u16, "dcceaadf9bcecaeb"},
        {"runs", {{"high", 50}, {"low", 0}, {"mean_length", 7.5}}, DType::i16, "dcceaadf9bcecaeb"},
        {"runs", {{"high", 50}, {"low", 0}, {"mean_length", 7.5}}, DType::u32, "8a88ded84da53659"},
        {"runs", {{"high", 50}, {"low", 0}, {"mean_length", 7.5}}, DType::i32, "8a88ded84da53659"},
        {"runs", {{"high", 50}, {"low", 0}, {"mean_length", 7.5}}, DType::u64, "d316bc06a7be6d26"},
        {"runs", {{"high", 50}, {"low", 0}, {"mean_length", 7.5}}, DType::i64, "d316bc06a7be6d26"},
        {"runs", {{"high", 50}, {"low", 0}, {"mean_length", 7.5}}, DType::f32, "ecbadfe4b64a3816"},
        {"runs", {{"high", 50}, {"low", 0}, {"mean_length", 7.5}}, DType::f64, "9660fcc38bbfe3d0"},
        {"permutation", {}, DType::u16, "69dd01103e285cd1"},
        {"permutation", {}, DType::i16, "69dd01103e285cd1"},
        {"permutation", {}, DType::u32, "68689cf75098ed4a"},
        {"permutation", {}, DType::i32, "68689cf75098ed4a"},
        {"permutation", {}, DType::u64, "d17edc4212e56af8"},
        {"permutation", {}, DType::i64, "d17edc4212e56af8"},
        {"permutation", {}, DType::f32, "3f39bf2289e0e819"},
        {"permutation", {}, DType::f64, "240636924e6b124e"},
    };
    std::set<std::string> covered;
    for (const Row& row : rows) {
        INFO(row.generator << " " << name(row.type));
        CHECK(hash(made(row.generator, row.numbers, row.type, 1000, 42)) == row.sha256);
        covered.insert(row.generator);
    }
    for (const auto& info : datasets::generators())
        if (info.name != "file") CHECK(covered.contains(std::string(info.name)));
}

TEST_CASE("an element depends on the seed and its index, not on the size") {
    const std::vector<std::pair<std::string, Numbers>> rows{
        {"uniform", {{"low", -1}, {"high", 1}}},
        {"zipf", {{"low", 0}, {"high", 255}, {"exponent", 1.1}}},
        {"mixed_magnitudes", {{"low_exponent", -20}, {"high_exponent", 20}}},
        {"runs", {{"low", 0}, {"high", 9}, {"mean_length", 5}}},
        {"ramp", {{"start", 3}, {"step", 0.5}}},
        {"alternating", {{"magnitude", 2}}},
    };
    for (const auto& [generator, numbers] : rows) {
        INFO(generator);
        const Array longer = made(generator, numbers, DType::f64, 1000, 7);
        const Array shorter = made(generator, numbers, DType::f64, 100, 7);
        CHECK(std::equal(shorter.bytes.begin(), shorter.bytes.end(), longer.bytes.begin()));
        const bool random = generator != "ramp" && generator != "alternating";
        CHECK((made(generator, numbers, DType::f64, 100, 8).bytes != shorter.bytes) == random);
    }
}

TEST_CASE("uniform integers reach both ends and every value equally often") {
    const Array a = made("uniform", {{"low", -3}, {"high", 4}}, DType::i8, 80000);
    std::map<int, int> count;
    for (const auto v : a.as<std::int8_t>()) ++count[v];
    REQUIRE(count.size() == 8);
    CHECK(count.begin()->first == -3);
    double chi2 = 0;
    for (const auto& [value, k] : count) chi2 += std::pow(k - 10000, 2) / 10000;
    CHECK(chi2 < 24.3);  // 7 degrees of freedom: exceeded with a probability of 0.001
}

TEST_CASE("uniform covers the whole range of wide integers") {
    const Array a = made("uniform", {{"low", -0x1p63}, {"high", 0x1p62}}, DType::i64, 1000);
    const auto [least, most] = std::ranges::minmax(a.as<std::int64_t>());
    CHECK(least < std::numeric_limits<std::int64_t>::min() / 10 * 9);
    CHECK(most > std::int64_t{1} << 61);
    CHECK(most <= std::int64_t{1} << 62);
    const Array one = made("uniform", {{"low", 5}, {"high", 5}}, DType::u64, 10);
    CHECK(std::ranges::all_of(one.as<std::uint64_t>(), [](auto v) { return v == 5; }));
}

TEST_CASE("uniform reals fill the range and never reach its upper end") {
    for (const DType type : {DType::f32, DType::f64}) {
        const Array a = made("uniform", {{"low", -1}, {"high", 3}}, type, 100000);
        double sum = 0, squares = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const double v = a.number(i);
            REQUIRE(v >= -1);
            REQUIRE(v < 3);
            sum += v;
            squares += v * v;
        }
        const double mean = sum / 1e5, variance = squares / 1e5 - mean * mean;
        CHECK(std::abs(mean - 1) < 0.02);  // five standard deviations
        CHECK(std::abs(variance - 4.0 / 3) < 0.03);
    }
    // A range so narrow that rounding would reach the upper end in half of the draws.
    const float low = 1, high = std::nextafter(1.0F, 2.0F);
    const Array narrow = made("uniform", {{"low", low}, {"high", high}}, DType::f32, 1000);
    CHECK(std::ranges::all_of(narrow.as<float>(), [&](float v) { return v == low; }));
}

TEST_CASE("integer-valued floats are integers within the range") {
    const Array a = made("uniform", {{"low", -8}, {"high", 8}, {"integers", 1}}, DType::f32, 10000);
    const auto values = a.as<float>();
    CHECK(std::ranges::all_of(values, [](float v) { return v == std::floor(v); }));
    CHECK(std::ranges::min(values) == -8);
    CHECK(std::ranges::max(values) == 8);
}

TEST_CASE("zipf follows its law") {
    const double s = 1.2;
    const Array a = made("zipf", {{"low", 10}, {"high", 265}, {"exponent", s}}, DType::u32, 200000);
    double total = 0;
    for (int k = 1; k <= 256; ++k) total += std::pow(k, -s);
    std::vector<int> count(256);
    for (const auto v : a.as<std::uint32_t>()) {
        REQUIRE(v >= 10);
        REQUIRE(v <= 265);
        ++count[v - 10];
    }
    double chi2 = 0;
    for (int k = 1; k <= 256; ++k) {
        const double expected = 200000 * std::pow(k, -s) / total;
        chi2 += std::pow(count[static_cast<std::size_t>(k) - 1] - expected, 2) / expected;
    }
    CHECK(chi2 < 330);  // 255 degrees of freedom: exceeded with a probability of 0.001
    const Array flat = made("zipf", {{"low", 0}, {"high", 1}, {"exponent", 0}}, DType::u8, 10000);
    const auto ones = std::ranges::count(flat.as<std::uint8_t>(), 1);
    CHECK(std::abs(static_cast<double>(ones) - 5000) < 250);
    const Array steep =
        made("zipf", {{"low", 0}, {"high", 99999}, {"exponent", 64}}, DType::u32, 1000);
    CHECK(std::ranges::all_of(steep.as<std::uint32_t>(), [](auto v) { return v == 0; }));
}

TEST_CASE("sorted ascends through its range") {
    for (const std::int64_t n : {0, 1, 2, 1000}) {
        const Array reals = made("sorted", {{"low", 0}, {"high", 1}}, DType::f32, n);
        CHECK(std::ranges::is_sorted(reals.as<float>()));
        const Array integers = made("sorted", {{"low", -100}, {"high", 100}}, DType::i32, n);
        CHECK(std::ranges::is_sorted(integers.as<std::int32_t>()));
        if (n < 1000) continue;
        CHECK(integers.as<std::int32_t>().front() == -100);
        CHECK(integers.as<std::int32_t>().back() == 100);
    }
}

TEST_CASE("ramp, alternating, constant and one_hot are what they say") {
    const Array ramp = made("ramp", {{"start", 10}, {"step", -2}, {"modulo", 4}}, DType::u8, 6);
    CHECK(std::ranges::equal(ramp.as<std::uint8_t>(), std::vector{10, 8, 6, 4, 10, 8}));
    const Array signs = made("alternating", {{"magnitude", 3}}, DType::i16, 3);
    CHECK(std::ranges::equal(signs.as<std::int16_t>(), std::vector{3, -3, 3}));
    const Array same = made("constant", {{"value", 200}}, DType::u8, 3);
    CHECK(std::ranges::equal(same.as<std::uint8_t>(), std::vector{200, 200, 200}));
    const Array at =
        made("one_hot", {{"value", 5}, {"position", 1}, {"background", -1}}, DType::f32, 3);
    CHECK(std::ranges::equal(at.as<float>(), std::vector{-1, 5, -1}));
    std::set<std::size_t> places;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const Array hot = made("one_hot", {{"value", 1}}, DType::u8, 8, seed);
        CHECK(std::ranges::count(hot.as<std::uint8_t>(), 1) == 1);
        places.insert(static_cast<std::size_t>(std::ranges::find(hot.as<std::uint8_t>(), 1) -
                                               hot.as<std::uint8_t>().begin()));
    }
    CHECK(places.size() == 8);
}

TEST_CASE("mixed magnitudes have every exponent and both signs") {
    for (const DType type : {DType::f32, DType::f64}) {
        const Array a =
            made("mixed_magnitudes", {{"low_exponent", -3}, {"high_exponent", 4}}, type, 4000);
        std::map<int, int> exponents;
        int negative = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            ++exponents[std::ilogb(a.number(i))];
            negative += a.number(i) < 0;
        }
        CHECK(exponents.size() == 8);
        CHECK(exponents.begin()->first == -3);
        for (const auto& [e, k] : exponents) CHECK(std::abs(k - 500) < 110);
        CHECK(std::abs(negative - 2000) < 160);
    }
}

TEST_CASE("runs have the mean length asked for") {
    const Array a =
        made("runs", {{"low", 0}, {"high", 1e6}, {"mean_length", 20}}, DType::i32, 100000);
    const auto v = a.as<std::int32_t>();
    int runs = 1;
    for (std::size_t i = 1; i < v.size(); ++i) runs += v[i] != v[i - 1];
    CHECK(std::abs(runs - 5000) < 350);
}

TEST_CASE("a permutation has every index once and no fixed order") {
    const Array a = made("permutation", {}, DType::u32, 10000);
    auto values =
        std::vector<std::uint32_t>(a.as<std::uint32_t>().begin(), a.as<std::uint32_t>().end());
    std::size_t fixed = 0;
    for (std::size_t i = 0; i < values.size(); ++i) fixed += values[i] == i;
    CHECK(fixed < 8);
    CHECK_FALSE(std::ranges::is_sorted(values));
    std::ranges::sort(values);
    for (std::size_t i = 0; i < values.size(); ++i) REQUIRE(values[i] == i);
    CHECK(made("permutation", {}, DType::u8, 256).size() == 256);
    // All six orders of three, equally often.
    std::map<std::vector<std::uint8_t>, int> orders;
    for (std::uint64_t seed = 0; seed < 6000; ++seed) {
        const Array three = made("permutation", {}, DType::u8, 3, datasets::random(0, seed));
        ++orders[{three.as<std::uint8_t>().begin(), three.as<std::uint8_t>().end()}];
    }
    CHECK(orders.size() == 6);
    for (const auto& [order, k] : orders) CHECK(std::abs(k - 1000) < 150);
}

TEST_CASE("every generator makes empty arrays and several dimensions") {
    for (const std::int64_t n : {0, 1}) {
        CHECK(made("uniform", {{"low", 0}, {"high", 1}}, DType::f32, n).size() ==
              static_cast<std::size_t>(n));
        CHECK(made("permutation", {}, DType::u8, n).size() == static_cast<std::size_t>(n));
        CHECK(made("ramp", {{"start", 0}, {"step", 1}}, DType::u8, n).size() ==
              static_cast<std::size_t>(n));
        CHECK(made("one_hot", {{"value", 1}}, DType::u8, n).size() == static_cast<std::size_t>(n));
        CHECK(made("runs", {{"low", 0}, {"high", 1}, {"mean_length", 2}}, DType::u8, n).size() ==
              static_cast<std::size_t>(n));
    }
    const auto grid = generate(spec_of("constant", {{"value", 1}}), DType::u8, {3, 4}, 1, {});
    REQUIRE(grid.ok());
    CHECK(grid->shape == std::vector<std::int64_t>{3, 4});
    CHECK(grid->size() == 12);
}

TEST_CASE("bad specifications are refused, with key and remedy") {
    CHECK_THAT(error_of("unifrom", {}, DType::f32),
               ContainsSubstring("generator: there is no generator `unifrom`"));
    CHECK_THAT(error_of("uniform", {{"low", 0}}, DType::f32),
               ContainsSubstring("high: `uniform` needs a `high`"));
    CHECK_THAT(error_of("uniform", {{"low", 0}, {"high", 1}, {"hgih", 1}}, DType::f32),
               ContainsSubstring("hgih: "));
    CHECK_THAT(error_of("uniform", {{"low", 0}, {"high", 256}}, DType::u8),
               ContainsSubstring("type u8 cannot be 256"));
    CHECK_THAT(error_of("uniform", {{"low", -1}, {"high", 1}}, DType::u64),
               ContainsSubstring("low: "));
    CHECK_THAT(error_of("uniform", {{"low", 0}, {"high", 0x1p64}}, DType::u64),
               ContainsSubstring("high: "));
    CHECK_THAT(error_of("uniform", {{"low", 0}, {"high", 0x1p63}}, DType::i64),
               ContainsSubstring("high: "));
    CHECK_THAT(error_of("uniform", {{"low", 0.5}, {"high", 2}}, DType::i32),
               ContainsSubstring("low: "));
    CHECK_THAT(error_of("uniform", {{"low", 2}, {"high", 1}}, DType::i32),
               ContainsSubstring("low is 2 and high is 1"));
    CHECK_THAT(error_of("uniform", {{"low", 1}, {"high", 1}}, DType::f32),
               ContainsSubstring("empty"));
    CHECK_THAT(error_of("uniform", {{"low", NAN}, {"high", 1}}, DType::f32),
               ContainsSubstring("low: "));
    CHECK_THAT(error_of("uniform", {{"low", 0}, {"high", 1e39}}, DType::f32),
               ContainsSubstring("high: "));
    CHECK_THAT(error_of("uniform", {{"low", -1e308}, {"high", 1e308}}, DType::f64),
               ContainsSubstring("not finite"));
    CHECK_THAT(error_of("uniform", {{"low", 0}, {"high", 1}, {"integers", 2}}, DType::f32),
               ContainsSubstring("integers: "));
    CHECK_THAT(error_of("uniform", {{"low", 0}, {"high", 16777217}, {"integers", 1}}, DType::f32),
               ContainsSubstring("high: "));
    CHECK_THAT(error_of("zipf", {{"low", 0}, {"high", 1e7}, {"exponent", 1}}, DType::u32),
               ContainsSubstring("too many"));
    CHECK_THAT(error_of("zipf", {{"low", 0}, {"high", 9}, {"exponent", -1}}, DType::u32),
               ContainsSubstring("exponent: "));
    CHECK_THAT(error_of("ramp", {{"start", 0}, {"step", 1}}, DType::u8, 257),
               ContainsSubstring("ramp ends at 256"));
    CHECK_THAT(error_of("ramp", {{"start", 3}, {"step", -1}}, DType::u8, 5),
               ContainsSubstring("ramp ends at -1"));
    CHECK_THAT(error_of("ramp", {{"start", 0}, {"step", 0.5}}, DType::i32),
               ContainsSubstring("step: "));
    CHECK_THAT(error_of("ramp", {{"start", 0}, {"step", 1}, {"modulo", 0}}, DType::i32),
               ContainsSubstring("modulo: "));
    CHECK_THAT(error_of("alternating", {{"magnitude", 1}}, DType::u32),
               ContainsSubstring("u32 has no negative"));
    CHECK_THAT(error_of("one_hot", {{"value", 1}, {"position", 10}}, DType::u32, 10),
               ContainsSubstring("position 10"));
    CHECK_THAT(
        error_of("mixed_magnitudes", {{"low_exponent", 0}, {"high_exponent", 127}}, DType::f32),
        ContainsSubstring("high_exponent: "));
    CHECK_THAT(
        error_of("mixed_magnitudes", {{"low_exponent", 0}, {"high_exponent", 1}}, DType::i32),
        ContainsSubstring("generator: "));
    CHECK_THAT(error_of("runs", {{"low", 0}, {"high", 1}, {"mean_length", 0}}, DType::i32),
               ContainsSubstring("mean_length: "));
    CHECK_THAT(error_of("permutation", {}, DType::u8, 257),
               ContainsSubstring("u8 cannot hold the indices of 257"));
    CHECK_THAT(error_of("permutation", {}, DType::i8, 129), ContainsSubstring("i8 cannot hold"));
    CHECK_THAT(error_of("constant", {{"value", 1}}, DType::u8, -1), ContainsSubstring("shape: "));
    const auto huge = generate(spec_of("constant", {{"value", 1}}), DType::u8,
                               {std::int64_t{1} << 40, std::int64_t{1} << 40, 0}, 1, {});
    CHECK_FALSE(huge.ok());
}

TEST_CASE("data from a file takes the type of the argument if nothing is lost") {
    const auto folder =
        std::filesystem::temp_directory_path() / ("cugrade-generators-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "text.txt") << "abc";
    const DataSpec text{.generator = "file", .numbers = {}, .file = "text.txt"};
    const auto bytes = generate(text, DType::u8, {3}, 1, folder);
    REQUIRE(bytes.ok());
    CHECK(std::ranges::equal(bytes->as<std::uint8_t>(), std::string("abc")));
    const auto floats = generate(text, DType::f32, {1, 3}, 1, folder);
    REQUIRE(floats.ok());
    CHECK(floats->as<float>()[2] == 'c');
    CHECK(floats->shape == std::vector<std::int64_t>{1, 3});

    std::ofstream(folder / "wide.pgm") << "P2 2 1 65535 300 7\n";
    const DataSpec image{.generator = "file", .numbers = {}, .file = "wide.pgm"};
    CHECK(generate(image, DType::i32, {1, 2}, 1, folder).ok());
    const auto narrow = generate(image, DType::u8, {1, 2}, 1, folder);
    REQUIRE_FALSE(narrow.ok());
    CHECK_THAT(narrow.error().message, ContainsSubstring("element 0 is 300"));
    const auto transposed = generate(image, DType::i32, {2, 1}, 1, folder);
    REQUIRE_FALSE(transposed.ok());
    CHECK_THAT(transposed.error().message, ContainsSubstring("holds [1, 2]"));
    CHECK_THAT(transposed.error().file, ContainsSubstring("wide.pgm"));
    const auto missing =
        generate({.generator = "file", .numbers = {}, .file = "none"}, DType::u8, {1}, 1, folder);
    REQUIRE_FALSE(missing.ok());
    CHECK(missing.error().key == "file");
    CHECK_FALSE(
        generate({.generator = "file", .numbers = {}, .file = ""}, DType::u8, {1}, 1, folder).ok());
    CHECK_FALSE(
        datasets::check({.generator = "uniform", .numbers = {{"low", 0}, {"high", 1}}, .file = "x"},
                        DType::u8)
            .ok());
    std::filesystem::remove_all(folder);
}

TEST_CASE("large arrays are made quickly") {
    // Generous: shared machines and unoptimised builds; see docs/data.md for what is usual.
    const auto start = std::chrono::steady_clock::now();
    CHECK(made("uniform", {{"low", -1}, {"high", 1}}, DType::f32, 4 << 20).size() == 4u << 20);
    CHECK(made("permutation", {}, DType::u32, 1 << 20).size() == 1u << 20);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}
