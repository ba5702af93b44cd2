#include "record/tables.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

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
    std::vector<Graded> all;
    std::map<std::string, std::vector<Graded>> by_assignment;
    for (const Row& row : rows) {
        const Entry& entry = *row.entry;
        auto* of_moodle = entry.participant.empty() ? nullptr : &by_assignment[entry.assignment];
        if (!entry.listed || row.report == nullptr) continue;
        all.push_back({&*entry.listed, entry.participant, row.report, row.mark});
        if (of_moodle != nullptr) of_moodle->push_back(all.back());
    }
    if (auto status = write_atomically(canvas_file(folder), canvas_csv(all)); !status)
        return status;
    for (const auto& [assignment, graded] : by_assignment)
        if (auto status = write_atomically(moodle_file(folder, assignment), moodle_csv(graded));
            !status)
            return status;
    return Done{};
}

Mark mark_of(const Entry& entry, const Report& report, const GradingPolicy& policy,
             const std::vector<Decision>& decisions) {
    const auto decided = std::ranges::find_if(decisions, [&](const Decision& one) {
        return one.assignment == entry.assignment && one.student == entry.student;
    });
    const auto own = policy.assignments.find(entry.assignment);
    return mark_of(report.score, entry.handed_in,
                   own == policy.assignments.end() ? AssignmentPolicy{} : own->second,
                   decided == decisions.end() ? nullptr : &*decided);
}

}  // namespace

std::vector<Row> rows_of(const std::vector<Entry>& entries,
                         const std::vector<const Report*>& reports, const GradingPolicy& policy,
                         const std::vector<Decision>& decisions) {
    std::vector<Row> out;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        out.push_back({&entries[i], reports[i]});
        if (reports[i] != nullptr)
            out.back().mark = mark_of(entries[i], *reports[i], policy, decisions);
    }
    return out;
}

std::vector<Row> rows_of(const std::vector<Entry>& entries, const std::vector<Standing>& standings,
                         const GradingPolicy& policy, const std::vector<Decision>& decisions) {
    std::map<std::pair<std::string_view, std::string_view>, const Report*> found;
    for (const Standing& one : standings)
        if (one.report) found[{one.grading.assignment, one.grading.student}] = &*one.report;
    std::vector<const Report*> reports;
    for (const Entry& entry : entries) {
        const auto report = found.find({entry.assignment, entry.student});
        reports.push_back(report == found.end() ? nullptr : report->second);
    }
    return rows_of(entries, reports, policy, decisions);
}

bool has_roster(const std::vector<Entry>& entries) {
    return std::ranges::any_of(entries,
                               [](const Entry& entry) { return entry.listed.has_value(); });
}

Status write_tables(const fs::path& folder, const std::vector<Row>& rows, bool has_roster) {
    std::vector<GradebookRow> table;
    for (const Row& row : rows) {
        const Entry& entry = *row.entry;
        if (row.report == nullptr && entry.problem.empty() && !entry.is_missing) continue;
        table.push_back({.student = entry.student,
                         .assignment = entry.assignment,
                         .report = row.report,
                         .report_file = entry.is_missing
                                            ? std::string()
                                            : report_file(entry.assignment, entry.student, ".txt"),
                         .is_missing = entry.is_missing,
                         .mark = row.mark});
    }
    if (auto status = write_atomically(folder / "gradebook.csv", gradebook_csv(table)); !status)
        return status;
    return has_roster ? write_for_lms(folder, rows) : Done{};
}

ClassView class_view(const std::vector<Row>& rows, const GradingPolicy& policy,
                     std::vector<std::string> distrusted) {
    ClassView view{.rows = {}, .policy = &policy, .distrusted = std::move(distrusted)};
    for (const Row& row : rows) {
        const Entry& entry = *row.entry;
        view.rows.push_back({.student = entry.student,
                             .assignment = entry.assignment,
                             .name = entry.listed ? entry.listed->name : "",
                             .section = entry.listed ? entry.listed->section : "",
                             .report = row.report,
                             .problem = entry.problem,
                             .is_missing = entry.is_missing});
    }
    return view;
}

std::string files_for_lms(const fs::path& folder, const std::vector<Row>& rows) {
    std::string text = fmt::format("For Canvas:  {}\n", canvas_file(folder).string());
    std::set<std::string> of_moodle;
    for (const Row& row : rows)
        if (!row.entry->participant.empty()) of_moodle.insert(row.entry->assignment);
    for (const std::string& assignment : of_moodle)
        text += fmt::format("For Moodle:  {}\n", moodle_file(folder, assignment).string());
    return text;
}

}  // namespace cugrade::record
