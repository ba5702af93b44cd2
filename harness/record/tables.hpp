// The tables of a class: gradebook.csv, and marks for learning management systems.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "record/rows.hpp"

namespace cugrade::record {

/// Whether somebody in it is listed in a roster.
[[nodiscard]] bool has_roster(const std::vector<Entry>&);

/// The ids of assignments with hand-ins that Moodle has numbered.
[[nodiscard]] std::set<std::string> assignments_of_moodle(const std::vector<Row>&);

/// Writes <folder>/gradebook.csv, canvas.csv if the class has a roster, and one
/// moodle-<assignment>.csv for each assignment with hand-ins from Moodle. Such files of an earlier
/// batch that belong to nothing in the gradebook are removed.
[[nodiscard]] Status write_tables(const std::filesystem::path& folder, const std::vector<Row>&,
                                  bool has_roster);

/// Of the files for learning management systems, one line each: "For Canvas:  <file>".
[[nodiscard]] std::string files_for_lms(const std::filesystem::path& folder,
                                        const std::vector<Row>&, bool has_roster);

}  // namespace cugrade::record
