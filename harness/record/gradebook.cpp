#include "record/gradebook.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "core/verdict.hpp"
#include "record/csv.hpp"
#include "report/format.hpp"

namespace cugrade::record {

namespace {

/// A column of points: of a task of an assignment.
using Column = std::pair<std::string, std::string>;

std::vector<Column> columns_of(const std::vector<Row>& rows) {
    std::vector<Column> columns;
    for (const Row& row : rows) {
        if (row.report == nullptr) continue;
        for (const TaskReport& task : row.report->tasks)
            if (Column one{row.entry.assignment, task.name};
                std::ranges::find(columns, one) == columns.end())
                columns.push_back(std::move(one));
    }
    return columns;
}

/// Of a task that was not judged at all: nothing, which is not 0.
std::string points_of(const Row& row, const Column& column) {
    if (row.report == nullptr || row.entry.assignment != column.first) return "";
    const auto& tasks = row.report->tasks;
    const auto task = std::ranges::find(tasks, column.second, &TaskReport::name);
    if (task == tasks.end() || !(task->score.judged > 0)) return "";
    return report::points_text(task->score.earned);
}

/// By assignment, then student, whether missing or not.
std::vector<const Row*> in_order(const std::vector<Row>& rows) {
    std::vector<const Row*> out;
    for (const Row& row : rows) out.push_back(&row);
    std::ranges::stable_sort(out, {}, [](const Row* row) {
        return std::tie(row->entry.assignment, row->entry.student);
    });
    return out;
}

}  // namespace

std::string gradebook_csv(const std::vector<Row>& rows) {
    const std::vector<Column> columns = columns_of(rows);
    const bool several = std::ranges::any_of(rows, [&](const Row& row) {
        return row.entry.assignment != rows.front().entry.assignment;
    });
    std::string out =
        "student,assignment,earned,judged,possible,percent,verdict,backend,sha256,report,mark,"
        "adjustment";
    for (const auto& [assignment, task] : columns)
        out += "," + csv_field(several ? assignment + "/" + task : task);
    out += "\r\n";
    for (const Row* one : in_order(rows)) {
        const Row& row = *one;
        if (is_pending(row)) continue;
        out += fmt::format("{},{},", csv_field(printable(row.entry.student)),
                           csv_field(row.entry.assignment));
        if (row.report == nullptr) {
            out += fmt::format(",,,,{},,,",
                               row.entry.is_missing ? "missing" : name(Verdict::harness_error));
        } else {
            const Report& report = *row.report;
            const double percent =
                report.score.judged > 0 ? 100 * report.score.earned / report.score.judged : 0;
            out += fmt::format(
                "{},{},{},{},{},{},{},{}", report::points_text(report.score.earned),
                report::points_text(report.score.judged),
                report::points_text(report.score.possible), report::points_text(percent),
                name(report.verdict), csv_field(report.provenance.backend),
                report.submission_sha256,
                csv_field(printable(report_file(row.entry.assignment, row.entry.student, ".txt"))));
        }
        out += row.mark ? fmt::format(",{},{}", report::points_text(row.mark->points),
                                      csv_field(row.mark->why))
                        : std::string(",,");
        for (const Column& column : columns) out += "," + points_of(row, column);
        out += "\r\n";
    }
    return out;
}

}  // namespace cugrade::record
