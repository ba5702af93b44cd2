#include "record/times.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <regex>

#include <fmt/format.h>

#include "build/build_submission.hpp"
#include "core/printable.hpp"
#include "core/utc.hpp"
#include "record/alike.hpp"
#include "record/csv.hpp"

namespace cugrade::record {
namespace {

constexpr std::string_view came_at = "Last modified (submission)";
constexpr std::string_view or_worksheet =
    "; or give Moodle's grading worksheet, written while Moodle's language is English";

std::optional<int> month_of(const std::string& name) {
    constexpr std::string_view names[] = {"January",   "February", "March",    "April",
                                          "May",       "June",     "July",     "August",
                                          "September", "October",  "November", "December"};
    const auto* const found = std::ranges::find(names, name);
    if (found == std::end(names)) return std::nullopt;
    return static_cast<int>(found - std::begin(names)) + 1;
}

/// "Tuesday, 3 November 2026, 11:59 PM", and as American English has it "Tuesday, November 3, 2026,
/// 11:59 PM"; also by a clock of 24 hours.
std::optional<ClockTime> clock_time(const std::string& text) {
    static const std::regex world(
        "(?:[A-Za-z]+, )?(\\d{1,2}) ([A-Za-z]+) (\\d{4}), (\\d{1,2}):(\\d{2})(?: ?([AaPp])[Mm])?");
    static const std::regex american(
        "(?:[A-Za-z]+, )?([A-Za-z]+) (\\d{1,2}), (\\d{4}), (\\d{1,2}):(\\d{2})(?: ?([AaPp])[Mm])?");
    std::smatch part;
    const bool is_world = std::regex_match(text, part, world);
    if (!is_world && !std::regex_match(text, part, american)) return std::nullopt;
    const auto month = month_of(part[is_world ? 2 : 1].str());
    if (!month) return std::nullopt;
    ClockTime out{.year = std::stoi(part[3].str()),
                  .month = *month,
                  .day = std::stoi(part[is_world ? 1 : 2].str()),
                  .hour = std::stoi(part[4].str()),
                  .minute = std::stoi(part[5].str())};
    if (!part[6].matched) return out;
    if (out.hour < 1 || out.hour > 12) return std::nullopt;
    const bool is_afternoon = part[6].str() == "P" || part[6].str() == "p";
    out.hour = out.hour % 12 + (is_afternoon ? 12 : 0);
    return out;
}

/// Moodle's; mod/assign/feedback/offline writes it.
Result<std::vector<Time>> read_worksheet(const std::vector<CsvRow>& rows, const std::string& file,
                                         const std::string& zone) {
    constexpr std::string_view prefix = "Participant ";
    const std::size_t number = *column_of(rows.front(), "Identifier"),
                      at = *column_of(rows.front(), came_at);
    if (zone.empty())
        return wrong_table(
            file, rows.front().line, "the times of Moodle's worksheet do not say their zone",
            "give the zone of your Moodle profile: --time-zone Europe/Berlin, or +01:00");
    const auto name = column_of(rows.front(), "Full name"),
               email = column_of(rows.front(), "Email address");
    const auto read_at = [](const CsvRow& row, std::optional<std::size_t> column) {
        return column ? as_read(row.fields[*column]) : std::string();
    };
    std::vector<Time> out;
    for (std::size_t r = 1; r < rows.size(); ++r) {
        const std::string &id = rows[r].fields[number], &text = rows[r].fields[at];
        if (text.empty() || text == "-") continue;  // nothing is handed in
        if (!id.starts_with(prefix))
            return wrong_table(file, rows[r].line,
                               fmt::format("`{}` is no identifier", printable(id)),
                               "give the worksheet as Moodle has written it: Participant 12345");
        const auto clock = clock_time(text);
        const auto time = clock ? unix_time(*clock, zone) : std::nullopt;
        if (!clock || !unix_time(*clock, "Z"))
            return wrong_table(
                file, rows[r].line, fmt::format("`{}` is no time", printable(text)),
                "let Moodle write the worksheet in English: Tuesday, 3 November 2026, "
                "11:59 PM");
        if (!time)
            return Error{.kind = ErrorKind::usage,
                         .message = fmt::format("there is no time zone `{}`", printable(zone)),
                         .key = "--time-zone",
                         .remedy =
                             "give a name of /usr/share/zoneinfo (the package tzdata has them), or "
                             "+01:00"};
        out.push_back({.student = "",
                       .assignment = "",
                       .at = *time,
                       .reason = "",
                       .participant = id.substr(prefix.size()),
                       .name = read_at(rows[r], name),
                       .email = read_at(rows[r], email)});
    }
    return out;
}

}  // namespace

Result<std::vector<Time>> read_times(std::string_view text, const std::string& file,
                                     std::string_view column, const std::string& zone) {
    const auto rows = read_csv(text, file);
    if (!rows) return rows.error();
    if (rows->empty())
        return wrong_table(file, 0, "the table is empty",
                           fmt::format("begin it with the line id,{}", column));
    const auto place = [&](std::string_view name) { return column_of(rows->front(), name); };
    if (column == "submitted_at" && place("Identifier") && place(came_at))
        return read_worksheet(*rows, file, zone);
    const auto id = place("id"), at = place(column), assignment = place("assignment"),
               reason = place("reason");
    for (const auto& [found, name] : {std::pair(id, std::string_view("id")), std::pair(at, column)})
        if (!found)
            return wrong_table(file, rows->front().line,
                               fmt::format("there is no column `{}`", name),
                               fmt::format("begin the table with the line id,{}{}", column,
                                           column == "submitted_at" ? or_worksheet : ""));
    std::vector<Time> out;
    for (std::size_t r = 1; r < rows->size(); ++r) {
        const CsvRow& row = (*rows)[r];
        const auto time = unix_time(row.fields[*at]);
        if (!time)
            return wrong_table(file, row.line,
                               fmt::format("`{}` is no time", printable(row.fields[*at])),
                               "write it with its zone: 2026-11-30T23:59:00+01:00");
        out.push_back({.student = safe_name(row.fields[*id]),
                       .assignment = assignment ? row.fields[*assignment] : "",
                       .at = *time,
                       .reason = reason ? row.fields[*reason] : ""});
    }
    return out;
}

const Time* find(const std::vector<Time>& times, std::string_view student,
                 std::string_view assignment, std::string_view participant) {
    const Time* out = nullptr;
    for (const Time& one : times) {
        if (!one.participant.empty()) {
            if (one.participant == participant) out = &one;
            continue;
        }
        if (one.student != student) continue;
        if (one.assignment == assignment ||
            (one.assignment.empty() && (out == nullptr || out->assignment.empty())))
            out = &one;
    }
    return out;
}

const Time* find_person(const std::vector<Time>& times, const Student& student) {
    const auto only = [&](std::string Time::*key, const std::string& of) {
        const Time* found = nullptr;
        for (const Time& one : times) {
            if (of.empty() || one.*key != of) continue;
            if (found != nullptr) return static_cast<const Time*>(nullptr);
            found = &one;
        }
        return found;
    };
    const Time* by_email = only(&Time::email, as_read(student.email));
    return by_email != nullptr ? by_email : only(&Time::name, as_read(student.name));
}

}  // namespace cugrade::record
