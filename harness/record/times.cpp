#include "record/times.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "build/build_submission.hpp"
#include "core/printable.hpp"
#include "core/utc.hpp"
#include "record/csv.hpp"

namespace cugrade::record {

Result<std::vector<Time>> read_times(std::string_view text, const std::string& file,
                                     std::string_view column) {
    const auto wrong = [&](int line, std::string message, std::string remedy) {
        return Error{.kind = ErrorKind::configuration,
                     .message = std::move(message),
                     .file = file,
                     .line = line,
                     .remedy = std::move(remedy)};
    };
    const auto rows = read_csv(text, file);
    if (!rows) return rows.error();
    if (rows->empty())
        return wrong(0, "the table is empty", fmt::format("begin it with the line id,{}", column));
    const auto& names = rows->front().fields;
    const auto place = [&](std::string_view name) -> std::optional<std::size_t> {
        const auto found = std::ranges::find(names, name);
        if (found == names.end()) return std::nullopt;
        return static_cast<std::size_t>(found - names.begin());
    };
    const auto id = place("id"), at = place(column), assignment = place("assignment"),
               reason = place("reason");
    for (const auto& [found, name] : {std::pair(id, std::string_view("id")), std::pair(at, column)})
        if (!found)
            return wrong(rows->front().line, fmt::format("there is no column `{}`", name),
                         fmt::format("begin the table with the line id,{}", column));
    std::vector<Time> out;
    for (std::size_t r = 1; r < rows->size(); ++r) {
        const CsvRow& row = (*rows)[r];
        const auto time = unix_time(row.fields[*at]);
        if (!time)
            return wrong(row.line, fmt::format("`{}` is no time", printable(row.fields[*at])),
                         "write it with its zone: 2026-11-30T23:59:00+01:00");
        out.push_back({.student = safe_name(row.fields[*id]),
                       .assignment = assignment ? row.fields[*assignment] : "",
                       .at = *time,
                       .reason = reason ? row.fields[*reason] : ""});
    }
    return out;
}

const Time* find(const std::vector<Time>& times, std::string_view student,
                 std::string_view assignment) {
    const Time* out = nullptr;
    for (const Time& one : times) {
        if (one.student != student) continue;
        if (one.assignment == assignment ||
            (one.assignment.empty() && (out == nullptr || out->assignment.empty())))
            out = &one;
    }
    return out;
}

}  // namespace cugrade::record
