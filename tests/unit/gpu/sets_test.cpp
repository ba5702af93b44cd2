// The data of timed calls, on the host: the same code makes it on a GPU.
#include "gpu/device/sets.hpp"

#include <cstring>
#include <set>

#include "catch.hpp"

using namespace cugrade::device;

namespace {

/// The rows of a set, as indices of the base's.
std::vector<std::uint64_t> rows_of(const TableMap& map) {
    std::vector<std::uint64_t> out(map.rows);
    for (std::uint64_t row = 0; row < map.rows; ++row) out[row] = map.moved_from(row);
    for (std::uint32_t i = 0; i < map.replaced; ++i)
        if (map.counts(i)) out[map.replacement(i).to] = map.replacement(i).from;
    return out;
}

}  // namespace

TEST_CASE("a set is made of rows of the base") {
    for (const std::uint64_t rows : {1, 2, 31, 1023, 1024, 1031, 4096, 100003})
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            const auto set = rows_of(table_map(seed, rows));
            REQUIRE(set.size() == rows);
            REQUIRE(*std::max_element(set.begin(), set.end()) < rows);
        }
}

TEST_CASE("a set has at least half of the base's rows") {
    for (const std::uint64_t rows : {64, 1024, 1031, 4096, 100003})
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            const auto map = table_map(seed, rows);
            const auto set = rows_of(map);
            const std::set<std::uint64_t> different(set.begin(), set.end());
            REQUIRE(different.size() + map.replaced + map.granule >= rows / 2);
        }
}

TEST_CASE("sets differ in their order and in what they hold") {
    constexpr std::uint64_t rows = 4096;
    std::set<std::vector<std::uint64_t>> orders, contents;
    int without_row_0 = 0;
    for (std::uint64_t set = 0; set < 64; ++set) {
        auto of_set = rows_of(table_map(table_seed(77, set, 0), rows));
        orders.insert(of_set);
        std::sort(of_set.begin(), of_set.end());
        contents.insert(of_set);
        without_row_0 += of_set.front() != 0;
    }
    CHECK(orders.size() == 64);
    CHECK(contents.size() == 64);
    // The row that holds the maximum, say: a remembered answer is wrong in about a quarter.
    CHECK(without_row_0 > 4);
    CHECK(without_row_0 < 40);
}

TEST_CASE("the columns of a table move together, and tables do not") {
    const auto one = rows_of(table_map(table_seed(5, 3, 0), 2048));
    CHECK(one == rows_of(table_map(table_seed(5, 3, 0), 2048)));
    CHECK(one != rows_of(table_map(table_seed(5, 3, 1), 2048)));
    CHECK(one != rows_of(table_map(table_seed(6, 3, 0), 2048)));
}

TEST_CASE("a window in smaller units is the same window") {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const auto map = table_map(seed, 5000);
        const Window units = map.granules.in_units(4);
        for (std::uint64_t i = 0; i < units.count; ++i)
            REQUIRE(units.source(i) == map.granules.source(i / 4) * 4 + i % 4);
    }
}

TEST_CASE("of two replacements of a row the later one counts") {
    int twice = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const auto map = table_map(seed, 1024);  // 64 of 1024: two meet in most sets
        std::set<std::uint64_t> to;
        for (std::uint32_t i = 0; i < map.replaced; ++i) {
            if (!map.counts(i)) {
                ++twice;
                continue;
            }
            REQUIRE(to.insert(map.replacement(i).to).second);
        }
    }
    CHECK(twice > 0);
}

TEST_CASE("poison by words and by bytes is the same") {
    for (std::uint64_t i = 0; i < 100; ++i) {
        const std::uint64_t word = poison_word(9, i / 8);
        unsigned char bytes[8];
        std::memcpy(bytes, &word, 8);
        REQUIRE(bytes[i % 8] == poison_byte(9, i));
    }
}

TEST_CASE("contents are aligned, and fenced on both sides") {
    for (const std::uint64_t bytes : {0, 1, 8, 255, 256, 257, 1000003}) {
        const Blocks blocks = Blocks::of(bytes, 3);
        CHECK(blocks.total() == 3 * blocks.stride);
        for (std::uint32_t set = 0; set < 3; ++set) {
            CHECK(blocks.offset(set) % 256 == 0);
            CHECK(blocks.offset(set) >= set * blocks.stride + Blocks::guard);
            CHECK(blocks.offset(set) + bytes + Blocks::guard <= (set + 1) * blocks.stride);
            CHECK_FALSE(blocks.in_contents(blocks.offset(set) - 1));
            CHECK(blocks.in_contents(blocks.offset(set)) == (bytes > 0));
            CHECK_FALSE(blocks.in_contents(blocks.offset(set) + bytes));
        }
    }
}
