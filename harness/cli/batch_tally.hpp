// What came of the submissions of a batch: a line for each, and all of them counted.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "cli/batch_plan.hpp"
#include "cluster/executor.hpp"
#include "record/class_summary.hpp"

namespace cugrade::cli {

/// Of the columns of those lines.
struct LineWidths {
    std::size_t student = 0, assignment = 0;
    void widen(const BatchItem&);
};
/// "ada  scan  100/100  accepted  2.0 s" and the end of the line.
[[nodiscard]] std::string line_of(const BatchItem&, const cluster::Graded&, const LineWidths&);

struct BatchTally {
    std::size_t graded = 0;
    double shares = 0;        ///< of the judged points, summed over who is graded
    record::Tenths tenths{};  ///< the same, by tenth of the points
    std::map<Verdict, int> verdicts;
    std::vector<std::string> to_decide;  ///< by a person, and why
    std::vector<std::string> ungraded;   ///< and why
};
/// `results` are those of the items.
[[nodiscard]] BatchTally tally_of(const std::vector<BatchItem>&,
                                  const std::vector<cluster::Graded>& results);
/// `to_do`: how many were to be graded.
[[nodiscard]] std::string as_text(const BatchTally&, std::size_t to_do);

}  // namespace cugrade::cli
