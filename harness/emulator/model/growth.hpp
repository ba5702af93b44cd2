// Can the counts of a submission be continued to a larger size?
//
// Theory of operation. The time model continues the line through the counts at two sizes. Whoever
// writes a program can bend that line: useless work at the smaller size makes it flat, and the time
// at the timed size comes out as that of the larger model size. So the line is believed only if
//
//   - the work at the larger size has grown nearly as much as the data since the smaller one, and
//   - a third size between the two, which nobody knows beforehand, is not far below the line.
//
// Counts above the line are nobody's gain, and honest: a width that is no multiple of four takes
// the slow way. All kernels of a call are added up, because a program may have a kernel for each
// size. The limits are far from what the test submissions do; docs/modelled-time.md has the
// margins.
#pragma once

#include <optional>
#include <string>

#include "emulator/model/time_model.hpp"

namespace cugrade::model {

/// Of a count that grows as the data do, the part that has to be seen. The least of all right test
/// submissions is 0.46.
inline constexpr double least_growth = 0.4;
/// Of the line through two sizes, the part that the third size has to reach. The least of all right
/// test submissions is 0.96.
inline constexpr double least_between = 0.9;

/// Where the predicted time would be so many times as long if launches grew with the data, their
/// number decides it.
inline constexpr double decisive = 1.5;

/// Why the counts are not to be believed, in one sentence; nothing if they are.
[[nodiscard]] std::optional<std::string> why_not_continued(const Samples&,
                                                           const std::optional<Sample>& between);

/// The same of the number of launches. It is one number at every size in most programs, so it is
/// only doubted where it decides the time.
[[nodiscard]] std::optional<std::string> why_launches_are_not_continued(const Device&,
                                                                        const Calibration&,
                                                                        const Samples&,
                                                                        double elements);

}  // namespace cugrade::model
