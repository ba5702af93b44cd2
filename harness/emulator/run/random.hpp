// The random numbers of schedules: the same for the same seed, on every machine.
#pragma once

#include <cstdint>

namespace cugrade::emulator {

/// splitmix64 (Steele, Lea, Flood 2014).
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }
    std::uint64_t below(std::uint64_t n) { return n <= 1 ? 0 : next() % n; }

private:
    std::uint64_t state_;
};

}  // namespace cugrade::emulator
