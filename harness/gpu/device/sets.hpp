// The data of timed calls: which row of the base data stands in which row of an input set.
//
// The host makes the data of the timed case once; a GPU makes from it, in each round of timing, as
// many new sets as are resident. So a set has to be new in what decides the answer, and still data
// of the case. All inputs whose first dimension has the same name are columns of one table, and a
// set's table is made of rows of the base table, whole:
//
//     - a window of at least half of the base's rows, anywhere, is repeated from a random phase on.
//       What depends on all rows (a maximum, a histogram) so differs from set to set, which a mere
//       rotation would leave as it is;
//     - then `replaced_rows` random rows become copies of random rows of the base.
//
// What holds for each row (an index is below m, an amount is positive) keeps holding. Windows and
// phases are whole granules of rows, so that a thread copies 16 bytes of a column at a time. The
// rows that are left over, and tables of fewer than two granules, stay where they are.
//
// One piece of code for host and device: the grader makes the same set on the host to have it
// judged by the oracle. Seeds are secret, from the operating system.
#pragma once

#include <cstdint>

#include "datasets/random.hpp"

#ifdef __CUDACC__
#define CUGRADE_HOST_DEVICE __host__ __device__
#else
#define CUGRADE_HOST_DEVICE
#endif

namespace cugrade::device {

inline constexpr std::uint32_t replaced_rows = 64;
/// Tables of fewer rows are too small to have rows replaced, and are moved row by row.
inline constexpr std::uint64_t small_table_rows = 1024;

/// A window of `window` of `count` positions from `start` on (around the end), which is gone
/// through again and again, first from `phase` on. phase < window <= count <= 2 window, start <
/// count.
struct Window {
    std::uint64_t count = 0;
    std::uint64_t start = 0;
    std::uint64_t phase = 0;
    std::uint64_t window = 0;

    /// In units of which `factor` make one of these positions.
    CUGRADE_HOST_DEVICE constexpr Window in_units(std::uint64_t factor) const {
        return {count * factor, start * factor, phase * factor, window * factor};
    }
    /// The position in the base of position i < count.
    CUGRADE_HOST_DEVICE constexpr std::uint64_t source(std::uint64_t i) const {
        std::uint64_t at = i + phase;
        while (at >= window) at -= window;  // twice at most
        at += start;
        return at < count ? at : at - count;
    }
};

/// How the table of one set comes about.
struct TableMap {
    std::uint64_t seed = 0;
    std::uint64_t rows = 0;
    std::uint32_t granule = 1;  ///< rows that stay together
    std::uint32_t replaced = 0;
    Window granules;

    struct Replacement {
        std::uint64_t to, from;
    };
    /// Row `to` becomes the base's row `from`; of two with the same `to` the later one counts.
    CUGRADE_HOST_DEVICE constexpr Replacement replacement(std::uint32_t i) const {
        return {datasets::random(seed, 16 + 2 * std::uint64_t{i}) % rows,
                datasets::random(seed, 17 + 2 * std::uint64_t{i}) % rows};
    }
    CUGRADE_HOST_DEVICE constexpr bool counts(std::uint32_t i) const {
        const std::uint64_t to = replacement(i).to;
        for (std::uint32_t later = i + 1; later < replaced; ++later)
            if (replacement(later).to == to) return false;
        return true;
    }
    /// Before rows are replaced.
    CUGRADE_HOST_DEVICE constexpr std::uint64_t moved_from(std::uint64_t row) const {
        const std::uint64_t g = row / granule;
        return g < granules.count ? granules.source(g) * granule + row % granule : row;
    }
};

[[nodiscard]] CUGRADE_HOST_DEVICE constexpr TableMap table_map(std::uint64_t seed,
                                                               std::uint64_t rows) {
    TableMap map;
    map.seed = seed;
    map.rows = rows;
    map.granule = rows < small_table_rows ? 1 : 16;
    map.replaced = rows < small_table_rows ? 0 : replaced_rows;
    Window& w = map.granules;
    w.count = rows / map.granule;
    if (w.count < 2) {
        w = {};
        return map;
    }
    const std::uint64_t half = (w.count + 1) / 2;
    w.window = half + datasets::random(seed, 0) % (w.count - half + 1);
    w.start = datasets::random(seed, 1) % w.count;
    w.phase = datasets::random(seed, 2) % w.window;
    return map;
}

/// The seed of a table of set `set` in the round whose secret is `round`.
[[nodiscard]] constexpr std::uint64_t table_seed(std::uint64_t round, std::uint64_t set,
                                                 std::uint64_t table) {
    return datasets::random(datasets::random(round, set), table);
}

/// The eight bytes at offset 8 i of what outputs and guard bands are filled with.
[[nodiscard]] CUGRADE_HOST_DEVICE constexpr std::uint64_t poison_word(std::uint64_t seed,
                                                                      std::uint64_t i) {
    return datasets::random(seed, i);
}
[[nodiscard]] CUGRADE_HOST_DEVICE constexpr unsigned char poison_byte(std::uint64_t seed,
                                                                      std::uint64_t offset) {
    return static_cast<unsigned char>(poison_word(seed, offset / 8) >> (8 * (offset % 8)));
}

/// An argument of all resident sets in one allocation: guard band, contents, guard band, again and
/// again, so that a runner imports one address.
struct Blocks {
    std::uint64_t bytes = 0;   ///< of the contents of one set
    std::uint64_t stride = 0;  ///< from one set to the next, a multiple of 256
    std::uint32_t count = 0;

    static constexpr std::uint64_t guard = 4096;  ///< before and, at least, after each

    [[nodiscard]] static constexpr Blocks of(std::uint64_t bytes, std::uint32_t count) {
        return {bytes, 2 * guard + (bytes + 255) / 256 * 256, count};
    }
    [[nodiscard]] CUGRADE_HOST_DEVICE constexpr std::uint64_t total() const {
        return stride * count;
    }
    [[nodiscard]] CUGRADE_HOST_DEVICE constexpr std::uint64_t offset(std::uint64_t set) const {
        return set * stride + guard;
    }
    /// Of the byte at this offset: it is no guard band's.
    [[nodiscard]] constexpr bool in_contents(std::uint64_t at) const {
        return at % stride >= guard && at % stride < guard + bytes;
    }
};

}  // namespace cugrade::device
