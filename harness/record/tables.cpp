#include "record/tables.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/files.hpp"
#include "record/gradebook.hpp"
#include "record/lms.hpp"

namespace cugrade::record {
namespace {

namespace fs = std::filesystem;

fs::path canvas_file(const fs::path& folder) { return folder / "canvas.csv"; }
fs::path moodle_file(const fs::path& folder, const std::string& assignment) {
    return folder / fmt::format("moodle-{}.csv", assignment);
}

Status write_for_lms(const fs::path& folder, const std::vector<Row>& rows) {
    if (auto status = write_atomically(canvas_file(folder), canvas_csv(rows)); !status)
        return status;
    std::map<std::string, std::vector<Row>> of_moodle;
    for (const Row& row : rows)
        if (!row.entry.participant.empty()) of_moodle[row.entry.assignment].push_back(row);
    for (const auto& [assignment, own] : of_moodle)
        if (auto status = write_atomically(moodle_file(folder, assignment), moodle_csv(own));
            !status)
            return status;
    return Done{};
}

}  // namespace

bool has_roster(const std::vector<Entry>& entries) {
    return std::ranges::any_of(entries,
                               [](const Entry& entry) { return entry.listed.has_value(); });
}

Status write_tables(const fs::path& folder, const std::vector<Row>& rows, bool has_roster) {
    if (auto status = write_atomically(folder / "gradebook.csv", gradebook_csv(rows)); !status)
        return status;
    return has_roster ? write_for_lms(folder, rows) : Done{};
}

std::string files_for_lms(const fs::path& folder, const std::vector<Row>& rows) {
    std::string text = fmt::format("For Canvas:  {}\n", canvas_file(folder).string());
    std::set<std::string> of_moodle;
    for (const Row& row : rows)
        if (!row.entry.participant.empty()) of_moodle.insert(row.entry.assignment);
    for (const std::string& assignment : of_moodle)
        text += fmt::format("For Moodle:  {}\n", moodle_file(folder, assignment).string());
    return text;
}

}  // namespace cugrade::record
