// Times of several programs for one task over sizes: the value that tables, CSV, JSON and figures
// of a sweep are made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/provenance.hpp"
#include "core/verdict.hpp"

namespace cugrade {

/// One program at one size.
struct SweepPoint {
    std::uint64_t n = 0;
    Verdict verdict = Verdict::accepted;            ///< times count only where it is `accepted`
    std::string message;                            ///< what is wrong, or why it was skipped
    double median_us = 0, low_us = 0, high_us = 0;  ///< 95 % interval of the median
    int samples = 0;
    [[nodiscard]] bool timed() const { return verdict == Verdict::accepted; }
};

struct SweptProgram {
    std::string name;    ///< "CPU oracle", "baseline", "solution", or of a submission's file
    std::string file;    ///< as it was named; empty for the oracle
    std::string sha256;  ///< of the file; empty for the oracle
    std::string basis;   ///< "wall clock", "events" or "modelled"
    std::vector<SweepPoint> points;  ///< one per size, in order
};

struct SweptSize {
    std::uint64_t n = 0;     ///< elements of the swept argument
    std::string parameters;  ///< "height=64 width=64"
    double bytes = 0;        ///< bytes that a call has to move
    double roof_us = 0;      ///< least time of a call whose data is not cached
};

struct Sweep {
    static constexpr int schema_version = 1;
    std::string assignment, task;
    std::string argument;  ///< whose elements n counts
    Provenance provenance;
    std::string command;
    double bandwidth_gb_s = 0, launch_us = 0;  ///< of the roof
    std::string roof_source;
    std::vector<SweptSize> sizes;
    std::vector<SweptProgram> programs;
};

/// Where the lines of two programs cross: below, `slower` is the faster one.
struct Crossing {
    std::string faster, slower;  ///< from `from` on
    std::uint64_t from = 0;      ///< the first size at which it is so
    double at = 0;               ///< where the two lines intersect in a log-log figure
};
/// All crossings of two programs, in order. Sizes at which their intervals overlap are ignored.
[[nodiscard]] std::vector<Crossing> crossings(const SweptProgram&, const SweptProgram&);
/// Which of the two is faster at the largest size where their intervals are disjoint; nothing if
/// there is no such size.
[[nodiscard]] const SweptProgram* faster_in_the_end(const SweptProgram&, const SweptProgram&);

}  // namespace cugrade
