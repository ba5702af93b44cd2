#include "judging/wrong_places.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>

namespace cugrade::diagnosis {
namespace {

using std::int64_t;
using std::optional;

constexpr std::array<int64_t, 6> block_sizes{1024, 512, 256, 128, 64, 32};
/// ln of the odds against chance that a place needs, corrected for the number of places tried.
constexpr double enough = 13;

/// The smallest part after the last multiple of a block size that holds all of the wrong elements.
optional<Place> last_partial_block(const Wrong& w) {
    if (w.plane) {
        for (const int64_t block : {8, 16, 32}) {
            const int64_t rows = w.height / block * block, columns = w.width / block * block;
            if (rows == 0 || columns == 0 || w.m * 2 < w.n - rows * columns) continue;
            if (std::ranges::all_of(w.indices, [&](int64_t i) {
                    return w.row(i) >= rows || w.column(i) >= columns;
                }))
                return Place{
                    fmt::format("in the last partial tiles (rows from {} and columns from {} on)",
                                rows, columns),
                    "The sizes are no multiples of the block's: is the grid rounded up, and "
                    "does each thread test its own row and column?"};
        }
    }
    int64_t start = 0;
    for (const int64_t block : block_sizes)
        if (w.n % block != 0 && w.n / block * block <= w.indices.front())
            start = std::max(start, w.n / block * block);
    if (start == 0 || w.m * 2 < w.n - start) return {};
    return Place{
        fmt::format("in the last partial block (from index {} on)", start),
        "The size is no multiple of the block size: is the number of blocks rounded up, and "
        "what do the threads past the end do?"};
}

optional<Place> from_an_index_on(const Wrong& w) {
    const int64_t first = w.indices.front();
    if (first == 0 || w.m < 8 || w.m * 10 < (w.n - first) * 9) return {};
    for (const int64_t block : block_sizes)
        if (first % block == 0)
            return Place{
                fmt::format("at index {} or later, where nothing is right", first),
                fmt::format("That is a multiple of {}: do all blocks do their part, and does "
                            "each know what those before it found?",
                            block)};
    return Place{fmt::format("at index {} or later, where nothing is right", first),
                 "Does the grid cover all elements, and can an index be too large for its type?"};
}

optional<Place> one_end(const Wrong& w) {
    if (w.m != 1 || w.n < 8) return {};
    if (w.indices[0] == 0)
        return Place{"at the very first place", "What is different for the first thread?"};
    if (w.indices[0] == w.n - 1)
        return Place{"at the very last place",
                     "Does the last thread do its part, and does a loop or a "
                     "test stop one too early?"};
    return {};
}

optional<Place> border(const Wrong& w) {
    if (w.m < 2) return {};
    const auto distance = [&](int64_t i) {
        const int64_t c = w.column(i), along = std::min(c, w.width - 1 - c);
        const int64_t r = w.row(i);
        return w.plane ? std::min(along, std::min(r, w.height - 1 - r)) : along;
    };
    int64_t radius = 0;
    for (const int64_t i : w.indices) radius = std::max(radius, distance(i) + 1);
    const int64_t inner_width = w.width - 2 * radius;
    const int64_t inner_height = w.plane ? w.height - 2 * radius : 1;
    if (radius > 64 || inner_width <= 0 || inner_height <= 0) return {};
    const int64_t ring = w.n - inner_width * inner_height;
    // Chance puts all of them into the ring with a probability of (ring / n)^m.
    const double odds =
        static_cast<double>(w.m) * std::log(static_cast<double>(w.n) / static_cast<double>(ring));
    if (odds < enough && (w.m * 2 < ring || ring * 8 > w.n)) return {};
    return Place{
        fmt::format("at the border (within {} of the first or last {})", radius,
                    w.plane ? "row or column" : "element"),
        "What is read outside of the data? Compare the ghost cells with the rule of the task.",
        "ghost_policy"};
}

optional<Place> every_nth(const Wrong& w) {
    for (const int64_t step : {1024, 512, 256, 128, 64, 32, 16, 8, 4, 3, 2}) {
        if (w.n < 2 * step) continue;
        const int64_t rest = w.indices[0] % step;
        const int64_t members = (w.n - rest + step - 1) / step;
        if (w.m * 4 < members * 3 ||
            static_cast<double>(w.m - 1) * std::log(static_cast<double>(step)) < enough)
            continue;
        if (!std::ranges::all_of(w.indices, [&](int64_t i) { return i % step == rest; })) continue;
        if (rest == 0)
            return Place{
                fmt::format("at the first place of every {}", step),
                "What does the first thread of a group read that another one writes, or that "
                "lies outside of its group?"};
        if (rest == step - 1)
            return Place{
                fmt::format("at the last place of every {}", step),
                "What does the last thread of a group read that another one writes, or that "
                "lies outside of its group?"};
        return Place{fmt::format("where the index is {} modulo {}", rest, step),
                     "Which threads handle these, and what is different for them?"};
    }
    return {};
}

optional<Place> tile_edges(const Wrong& w) {
    struct Best {
        double odds = enough;
        int64_t radius = 0, size = 0;
        std::string_view axis;
    } best;
    // Coordinates along one axis, or both: within `radius` of an inner multiple of `size`.
    const auto try_axes = [&](int64_t size, bool columns, bool rows, std::string_view axis) {
        const auto distance = [&](int64_t x, int64_t extent) {
            const int64_t below = x % size + 1, above = size - x % size;
            const bool inner_below = x >= size, inner_above = x / size < (extent - 1) / size;
            return std::min(inner_below ? below : extent, inner_above ? above : extent);
        };
        int64_t radius = 0;
        for (const int64_t i : w.indices) {
            int64_t nearest = std::numeric_limits<int64_t>::max();
            if (columns) nearest = std::min(nearest, distance(w.column(i), w.width));
            if (rows) nearest = std::min(nearest, distance(w.row(i), w.height));
            radius = std::max(radius, nearest);
            if (4 * radius > size) return;
        }
        const auto part = [&](int64_t extent) {  // number of coordinates that are that close
            const int64_t edges = (extent - 1) / size;
            return std::min(1.0,
                            static_cast<double>(2 * radius * edges) / static_cast<double>(extent));
        };
        const double inside = (columns ? 1 - part(w.width) : 1) * (rows ? 1 - part(w.height) : 1);
        if (inside <= 0 || inside >= 1) return;
        const double odds = -static_cast<double>(w.m) * std::log(1 - inside);
        if (odds > best.odds) best = {odds, radius, size, axis};
    };
    if (w.plane) {
        for (int64_t size = 4; size <= 64; ++size) {
            try_axes(size, true, false, "columns");
            try_axes(size, false, true, "rows");
            try_axes(size, true, true, "rows or columns");
        }
    } else {
        for (const int64_t size : {8, 16, 32, 64, 128, 256, 512, 1024})
            try_axes(size, true, false, "indices");
    }
    if (best.size == 0) return {};
    return Place{
        fmt::format("at tile edges ({} within {} of a multiple of {})", best.axis, best.radius,
                    best.size),
        "A thread there needs what belongs to the neighbouring tile: is the halo loaded, and "
        "loaded before it is read?",
        "halo_missing"};
}

constexpr auto places = std::to_array<optional<Place> (*)(const Wrong&)>(
    {last_partial_block, one_end, every_nth, border, tile_edges, from_an_index_on});

}  // namespace

optional<Place> place_of(const Wrong& w) {
    if (w.m == w.n || w.m != static_cast<int64_t>(w.indices.size())) return {};
    for (const auto& find : places)
        if (auto place = find(w)) return place;
    return {};
}

}  // namespace cugrade::diagnosis
