// The lists at the end of a batch, for the terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/batch_plan.hpp"
#include "cli/class_tables.hpp"
#include "core/report.hpp"
#include "record/class_summary.hpp"
#include "record/tables.hpp"

namespace cugrade::cli {

/// A paragraph with one line for each, and a second one with the remedy of an error's text; nothing
/// if there is none.
[[nodiscard]] std::string listed(std::string_view heading, const std::vector<std::string>& lines);
/// The same, of the first ones and how many more there are.
[[nodiscard]] std::string first_of(std::string_view heading, std::vector<std::string> lines);
/// "ada, bob and 7 more", for an error.
[[nodiscard]] std::string some_of(std::vector<std::string> names);
/// Of marks that are not the newest hand-in's points, or would not be without an extension: who,
/// and why.
[[nodiscard]] std::vector<std::string> adjusted(const std::vector<record::Row>&);
/// The error of --only where what others' reports depend on is not as it was.
[[nodiscard]] Error others_have_changed(std::vector<std::string> students,
                                        const std::vector<std::string_view>& what);
/// Ids in the tables of times that neither the roster (null: there is none) nor the hand-ins have:
/// a line for each table.
[[nodiscard]] std::vector<std::string> names_of_nobody(const std::vector<record::Entry>&,
                                                       const record::Roster*, const ClassTables&);
/// Of hand-ins that Canvas calls late, whose time nobody knows.
[[nodiscard]] std::vector<std::string> late_by_name(const BatchPlan&,
                                                    const std::vector<record::Entry>&);
/// Who of the roster handed in nothing, and what is nobody's.
[[nodiscard]] std::string about_the_roster(const BatchPlan&);

/// Who may be one student and is graded as two, and what Gradescope names and did not export.
[[nodiscard]] std::string about_names(const BatchPlan&);

/// Why a report is the harness's own failure.
[[nodiscard]] std::string harness_message(const Report&);
/// How many of those that are graded have which tenth of the points.
[[nodiscard]] std::string bars(const record::Tenths&, std::size_t graded);

}  // namespace cugrade::cli
