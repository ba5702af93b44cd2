// How reports for people say what became of a task: points, cases, speed, limits on counters.
// `times` is the sign after a speedup: "×", or "x" in ASCII.
#pragma once

#include <string>
#include <string_view>

#include "core/report.hpp"

namespace cugrade::report {

/// "12 ms", "1.25 s".
[[nodiscard]] std::string seconds_text(double s);

/// "7 of 40"; "- of 12": not judged.
[[nodiscard]] std::string points_of(const Score&);
/// "18/22" of those that were judged.
[[nodiscard]] std::string cases_right(const TaskReport&);

/// A speedup in so many digits, or in as many as show that it is below the next tier, which is
/// reached from its value on. 0: there is none.
[[nodiscard]] double rounded_below(double speedup, double next_tier, int digits);
/// In three digits, or in as many as show that it is below the next tier. The task has been timed.
[[nodiscard]] std::string speedup_text(const TaskReport&);
/// The speedup and what it is worth, or why there is none.
[[nodiscard]] std::string speed_of(const TaskReport&, std::string_view times);
/// The measured times and their confidence.
[[nodiscard]] std::string measured_text(const TaskReport&, const TimingOutcome&,
                                        std::string_view times);
/// The modelled times, what they go into, and what to do about that.
[[nodiscard]] std::string modelled_text(const TimingOutcome&);

/// A counter and its limit.
[[nodiscard]] std::string measure_text(const Measure&);

}  // namespace cugrade::report
