// Reproduces a report from what it holds: its command, hashes, seeds and score.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cli/choices.hpp"
#include "core/error.hpp"
#include "core/report.hpp"

namespace cugrade::cli {

struct Replayed {
    std::vector<std::string> differences;  ///< and doubts about the report; empty: reproduced
    std::vector<std::string> notes;        ///< of what need not be the same, such as the machine
};

/// Grades again with the options in the report's command, and compares. `source`: the submission;
/// empty: the file that the report names, beside the report or here. Of `choices` count the policy,
/// the secret and how much is done at once. Errors: it is no report, its command holds what a
/// replay does not do, its secret is not given, or grading failed.
[[nodiscard]] Result<Replayed> replay(const std::filesystem::path& report,
                                      const std::filesystem::path& source,
                                      const GradingChoices& choices,
                                      const std::function<void(const std::string&)>& progress);

/// What two reports of one submission may not differ in, and what they may.
[[nodiscard]] Replayed compare_reports(const Report& then, const Report& now);

}  // namespace cugrade::cli
