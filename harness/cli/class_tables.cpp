#include "cli/class_tables.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/command_table.hpp"
#include "cli/failure.hpp"
#include "core/files.hpp"
#include "record/times.hpp"

namespace cugrade::cli {
namespace {

std::string text_of(const std::string& file) {
    auto text = read_file(file);
    if (text) return *std::move(text);
    Error error = text.error();
    error.kind = ErrorKind::usage;
    throw Failure(std::move(error));
}

std::vector<record::Time> times_of(const std::string& file, std::string_view column,
                                   const std::string& zone) {
    if (file.empty()) return {};
    return value_of(record::read_times(text_of(file), file, column, zone));
}

/// When a hand-in came; null: nobody has told.
const record::Time* came_at(const std::vector<record::Time>& times, const record::Entry& entry) {
    const record::Time* out =
        record::find(times, entry.student, entry.assignment, entry.participant);
    return out == nullptr && entry.participant.empty() && entry.listed
               ? record::find_person(times, *entry.listed)
               : out;
}

/// Moodle's numbers are of one assignment of one course: another one's worksheet has none of them.
void check_worksheet(const std::vector<record::Entry>& entries,
                     const std::vector<record::Time>& times, const std::string& file) {
    const bool is_worksheet = std::ranges::any_of(
        times, [](const record::Time& one) { return !one.participant.empty(); });
    const bool fits = std::ranges::any_of(
        entries, [&](const record::Entry& entry) { return came_at(times, entry) != nullptr; });
    if (is_worksheet && !fits)
        throw Failure(Error{.kind = ErrorKind::usage,
                            .message = "no hand-in has a number of this worksheet",
                            .file = file,
                            .remedy = "give the worksheet of this assignment and a --roster, and "
                                      "leave the names of Moodle's download as they are"});
}

}  // namespace

std::optional<record::Roster> read_roster(const std::string& file) {
    if (file.empty()) return std::nullopt;
    return value_of(record::Roster::read(text_of(file), file));
}

std::optional<record::ChosenNames> read_chosen_names(const GradingPolicy& policy,
                                                     const std::vector<record::Entry>& entries) {
    if (!policy.leaderboard) return std::nullopt;
    const std::string& file = policy.leaderboard->names;
    return value_of(record::read_chosen_names(text_of(file), file, entries));
}

void ClassTables::add(CLI::App& command) {
    command
        .add_option("--roster", roster,
                    "The class, a CSV file with the columns id and, if there are, name, lms_id, "
                    "section, email, group: names students, and writes marks for Canvas and Moodle")
        ->type_name(takes::file);
    command
        .add_option("--submitted", submitted,
                    "When hand-ins came, a CSV file with the columns id, submitted_at and, if "
                    "there is, assignment, or Moodle's grading worksheet; deadlines are in the "
                    "policy")
        ->type_name(takes::file);
    command.add_option("--time-zone", time_zone,
                       "Of the times in Moodle's worksheet, which do not say: Europe/Berlin, "
                       "+01:00");
    command
        .add_option("--extensions", extensions,
                    "Later deadlines, a CSV file with the columns id, until and, if there are, "
                    "assignment, reason")
        ->type_name(takes::file);
}

std::vector<std::pair<std::string, std::vector<std::string>>> students_of(
    const ClassTables& tables) {
    std::vector<std::pair<std::string, std::vector<std::string>>> out;
    for (const auto& [file, column] :
         {std::pair(&tables.submitted, "submitted_at"), std::pair(&tables.extensions, "until")}) {
        std::vector<std::string> named;
        for (const record::Time& one : times_of(*file, column, tables.time_zone))
            if (!one.student.empty()) named.push_back(one.student);
        out.emplace_back(*file, std::move(named));
    }
    return out;
}

void set_times(std::vector<record::Entry>& entries, const ClassTables& tables) {
    const auto came = times_of(tables.submitted, "submitted_at", tables.time_zone);
    const auto extended = times_of(tables.extensions, "until", "");
    check_worksheet(entries, came, tables.submitted);
    for (record::Entry& entry : entries) {
        const auto* time = came_at(came, entry);
        if (time != nullptr) entry.handed_in.at = time->at;
        time = record::find(extended, entry.student, entry.assignment);
        if (time != nullptr)
            entry.handed_in.extension = {.until = time->at, .reason = time->reason};
    }
}

}  // namespace cugrade::cli
