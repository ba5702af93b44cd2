// The one source of randomness: a counter-based generator, so that element i of a data set is a
// function of (seed, i) alone, in any order, on any platform and in any number of threads.
//
// random(seed, i) is output i of SplitMix64 started at `seed`, whose state after i steps is known
// without taking them (G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014; the finaliser is D. Stafford's "Mix13"). Two seeds walk the same cycle
// of 2^64 states from different places: seeds are hashes (seeds.hpp), so that two arrays of 2^26
// elements overlap with a probability of 2^-37.
#pragma once

#include <cstdint>

namespace cugrade::datasets {

/// 64 uniform random bits.
[[nodiscard]] constexpr std::uint64_t random(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/// The seed of an independent sequence: for a second purpose in one generator.
[[nodiscard]] constexpr std::uint64_t substream(std::uint64_t seed, std::uint64_t purpose) {
    return random(~seed, purpose);
}

/// The high half of the 128-bit product: maps 64 random bits to [0, count), monotonically, and with
/// a bias below count / 2^64.
[[nodiscard]] constexpr std::uint64_t scale(std::uint64_t bits, std::uint64_t count) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits) * count) >> 64);
}

/// The high 53 bits as a real number in [0, 1), exactly.
[[nodiscard]] constexpr double unit(std::uint64_t bits) {
    return static_cast<double>(static_cast<std::int64_t>(bits >> 11)) * 0x1p-53;
}

}  // namespace cugrade::datasets
