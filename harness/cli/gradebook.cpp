#include "cli/gradebook.hpp"

#include <fmt/format.h>

#include "cli/terminal.hpp"
#include "core/verdict.hpp"
#include "report/format.hpp"

namespace cugrade::cli {

std::string csv_field(std::string_view text) {
    std::string out(text);
    if (!out.empty() && std::string_view("=+-@\t\r").find(out[0]) != std::string_view::npos)
        out.insert(0, 1, '\'');
    if (out.find_first_of(",\"\r\n") == std::string::npos) return out;
    std::string quoted = "\"";
    for (const char c : out) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

std::string gradebook_csv(const std::vector<GradebookRow>& rows) {
    std::string out =
        "student,assignment,earned,judged,possible,percent,verdict,backend,sha256,report\r\n";
    for (const GradebookRow& row : rows) {
        out += fmt::format("{},{},", csv_field(printable(row.student)), csv_field(row.assignment));
        if (row.report == nullptr) {
            out += fmt::format(",,,,{},,,\r\n", name(Verdict::harness_error));
            continue;
        }
        const Report& report = *row.report;
        const double percent =
            report.score.judged > 0 ? 100 * report.score.earned / report.score.judged : 0;
        out += fmt::format("{},{},{},{},{},{},{},{}\r\n", report::points_text(report.score.earned),
                           report::points_text(report.score.judged),
                           report::points_text(report.score.possible), report::points_text(percent),
                           name(report.verdict), csv_field(report.provenance.backend),
                           report.submission_sha256, csv_field(printable(row.report_file)));
    }
    return out;
}

}  // namespace cugrade::cli
