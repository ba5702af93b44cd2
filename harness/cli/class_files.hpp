// The reports and the pages of a class, below the folder of a batch.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/policy.hpp"
#include "record/class_view.hpp"
#include "report/format.hpp"
#include "report/seal.hpp"

namespace cugrade::cli {

/// What makes a student's report of one that the record has: how much it tells, and its seal.
struct HandingOut {
    const GradingPolicy& policy;
    const report::Sealer& sealer;
};

/// Threads that write reports and pages: they wait for the disk half of the time. Chosen.
inline constexpr int writers = 8;

/// Writes the reports of all attempts in these formats, each where attempt_file() has it, and
/// removes what lies there of an attempt that lies elsewhere now, or has no report. A file that is
/// there with the same bytes is left alone.
[[nodiscard]] Status write_reports(const std::filesystem::path& out, const record::Row&,
                                   const std::vector<report::Format>&, const HandingOut&);
/// The files in reports/ that hold no attempt's report: somebody has changed them.
[[nodiscard]] std::vector<std::filesystem::path> changed_reports(const std::filesystem::path& out,
                                                                 const record::Row&,
                                                                 const std::vector<report::Format>&,
                                                                 const HandingOut&);

/// What a batch that was killed had not finished of the reports in attempts/.
void remove_unfinished_attempts(const std::filesystem::path& out);

/// Removes the reports and the page of a student at an assignment. Returns whether there were any.
bool remove_student(const std::filesystem::path& out, const record::Who&);

[[nodiscard]] std::filesystem::path class_page_file(const std::filesystem::path& out);

/// For students, where the policy asks for it.
[[nodiscard]] std::filesystem::path leaderboard_file(const std::filesystem::path& out);

/// What there is in the folder, one line each: "Gradebook:   <file>".
[[nodiscard]] std::string files_of_class(const std::filesystem::path& out, bool has_leaderboard);

/// Writes the page of each submission, the leaderboard if the view has one (else none is left), and
/// then the class's, which links to them. A page that is
/// there with the same bytes is left alone: of a thousand, most are after a --resume.
[[nodiscard]] Status write_class_pages(const std::filesystem::path& out, const record::ClassView&);

}  // namespace cugrade::cli
