// The tables of a class: gradebook.csv, and marks for learning management systems.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/policy.hpp"
#include "core/report.hpp"
#include "record/class_view.hpp"
#include "record/record.hpp"

namespace cugrade::record {

/// A hand-in and what came of it; neither report nor problem: it is not graded yet.
struct Row {
    const Entry* entry = nullptr;    ///< not null
    const Report* report = nullptr;  ///< null: there is none
    Mark mark = {};                  ///< of what there is a report of
};

[[nodiscard]] Mark mark_of(const Entry&, const Report&, const GradingPolicy&,
                           const std::vector<Decision>&);

/// The rows of a class. `report_of(i)` is that of the entry of this number, or null.
template <class F>
[[nodiscard]] std::vector<Row> rows_of(const std::vector<Entry>& entries, F report_of,
                                       const GradingPolicy& policy,
                                       const std::vector<Decision>& decisions) {
    std::vector<Row> out;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        out.push_back({&entries[i], report_of(i)});
        if (out.back().report != nullptr)
            out.back().mark = mark_of(entries[i], *out.back().report, policy, decisions);
    }
    return out;
}

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
