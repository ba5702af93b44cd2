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

/// Marks by file. Canvas finds students by the roster, Moodle by the names of its hand-ins.
std::map<fs::path, std::string> marks_for_lms(const fs::path& folder, const std::vector<Row>& rows,
                                              bool has_roster) {
    std::map<fs::path, std::string> marks;
    if (has_roster) marks.emplace(canvas_file(folder), canvas_csv(rows));
    std::map<std::string, std::vector<Row>> of_moodle;
    for (const Row& row : rows)
        if (!row.entry.participant.empty()) of_moodle[row.entry.assignment].push_back(row);
    for (const auto& [assignment, own] : of_moodle)
        marks.emplace(moodle_file(folder, assignment), moodle_csv(own));
    return marks;
}

/// Old marks beside a new gradebook could be imported by mistake.
Status remove_all_but(const std::map<fs::path, std::string>& marks, const fs::path& folder) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        const bool is_moodles = name.starts_with("moodle-") && name.ends_with(".csv");
        if ((is_moodles || entry.path() == canvas_file(folder)) && !marks.contains(entry.path()))
            fs::remove(entry.path(), error);
        if (error) break;
    }
    if (!error) return Done{};
    return Error{
        .kind = ErrorKind::harness,
        .message = fmt::format("marks of an earlier batch cannot be removed: {}", error.message()),
        .file = folder.string()};
}

}  // namespace

bool has_roster(const std::vector<Entry>& entries) {
    return std::ranges::any_of(entries,
                               [](const Entry& entry) { return entry.listed.has_value(); });
}

std::set<std::string> assignments_of_moodle(const std::vector<Row>& rows) {
    std::set<std::string> ids;
    for (const Row& row : rows)
        if (!row.entry.participant.empty()) ids.insert(row.entry.assignment);
    return ids;
}

Status write_tables(const fs::path& folder, const std::vector<Row>& rows, bool has_roster) {
    if (auto status = write_atomically(folder / "gradebook.csv", gradebook_csv(rows)); !status)
        return status;
    const auto marks = marks_for_lms(folder, rows, has_roster);
    for (const auto& [file, text] : marks)
        if (auto status = write_atomically(file, text); !status) return status;
    return remove_all_but(marks, folder);
}

std::string files_for_lms(const fs::path& folder, const std::vector<Row>& rows, bool has_roster) {
    std::string text;
    if (has_roster) text += fmt::format("For Canvas:  {}\n", canvas_file(folder).string());
    for (const std::string& assignment : assignments_of_moodle(rows))
        text += fmt::format("For Moodle:  {}\n", moodle_file(folder, assignment).string());
    return text;
}

}  // namespace cugrade::record
