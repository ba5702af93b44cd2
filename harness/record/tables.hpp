// The tables of a class: gradebook.csv, and marks for learning management systems.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/policy.hpp"
#include "core/report.hpp"
#include "record/changes.hpp"
#include "record/class_view.hpp"
#include "record/record.hpp"

namespace cugrade::record {

/// A hand-in and what came of it; neither report nor problem: it is not graded yet.
struct Row {
    const Entry* entry = nullptr;    ///< not null
    const Report* report = nullptr;  ///< null: there is none
    Mark mark = {};                  ///< of what there is a report of
};

/// The rows of a class. `reports` are those of the entries, null where there is none.
[[nodiscard]] std::vector<Row> rows_of(const std::vector<Entry>&,
                                       const std::vector<const Report*>& reports,
                                       const GradingPolicy&, const std::vector<Decision>&);
/// The same, with the reports of what counts.
[[nodiscard]] std::vector<Row> rows_of(const std::vector<Entry>&, const std::vector<Standing>&,
                                       const GradingPolicy&, const std::vector<Decision>&);

/// Whether somebody in it is listed in a roster.
[[nodiscard]] bool has_roster(const std::vector<Entry>&);

/// Writes <folder>/gradebook.csv and, if the class has a roster, canvas.csv and one
/// moodle-<assignment>.csv for each assignment with hand-ins from Moodle.
[[nodiscard]] Status write_tables(const std::filesystem::path& folder, const std::vector<Row>&,
                                  bool has_roster);

/// What the class's pages show: all rows, of those that are not graded yet, too. The reports and
/// the policy have to outlive it.
[[nodiscard]] ClassView class_view(const std::vector<Row>&, const GradingPolicy&,
                                   std::vector<std::string> distrusted = {});

/// Of the files for learning management systems, one line each: "For Canvas:  <file>".
[[nodiscard]] std::string files_for_lms(const std::filesystem::path& folder,
                                        const std::vector<Row>&);

}  // namespace cugrade::record
