#include <fmt/format.h>

#include "core/utc.hpp"
#include "record/class_page.hpp"
#include "record/record.hpp"
#include "report/format.hpp"
#include "report/formats.hpp"
#include "report/html.hpp"
#include "report/html_report.hpp"
#include "report/task_text.hpp"

namespace cugrade::record {
namespace {

using report::escaped;
using report::html_table;
using report::points_of;
using report::points_text;

/// What the report for the student has, as far as no policy's hints take from it.
std::string graded_body(const Row& row, const GradingPolicy* policy) {
    const Report report = report::presentable(*row.report);
    return report::report_sections(report, {.policy = report::policy_of(report, policy)}).body +
           fmt::format(
               "<h2>Files</h2>\n<p><a href=\"../../{}\">The report as the student may read "
               "it</a></p>\n",
               report::uri(report_file(row.entry.assignment, row.entry.student, ".html")));
}

/// All hand-ins, the newest first, with the one that counts.
std::string attempts_table(const Row& row) {
    std::string body;
    for (auto one = row.attempts.rbegin(); one != row.attempts.rend(); ++one) {
        const bool is_graded = one->report != nullptr;
        const std::string number =
            is_graded
                ? fmt::format("<a href=\"../../{}\">{}</a>",
                              report::uri(attempt_file(row.entry, *one, ".html")), one->number)
                : std::to_string(one->number);
        body += fmt::format(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
            "<td>{}</td><td>{}</td></tr>\n",
            number, one->handed_in_at ? utc_text(*one->handed_in_at) : "not known",
            is_graded ? points_of(one->report->score) : "",
            is_graded ? points_text(one->mark.points) : "",
            one->counts ? "<strong>counts</strong>" : escaped(why_not(*one, row.rule)),
            escaped(one->mark.why));
    }
    if (body.empty()) return "";
    return "<h2>Attempts</h2>\n" +
           html_table({.name = "Attempts",
                       .head = "<th scope=\"col\">attempt</th><th scope=\"col\">handed in</th>"
                               "<th scope=\"col\" class=\"n\">points</th>"
                               "<th scope=\"col\" class=\"n\">mark</th>"
                               "<th scope=\"col\">which counts</th>"
                               "<th scope=\"col\">lateness</th>",
                       .body = body});
}

std::string mark_of(const Row& row) {
    if (!row.mark) return "";
    return fmt::format("<p><strong>Mark: {} of {}.</strong>{}</p>\n", points_text(row.mark->points),
                       points_text(possible_of(row)),
                       row.mark->why.empty() ? "" : " " + escaped(row.mark->why) + ".");
}

}  // namespace

std::string student_page(const Row& row, const GradingPolicy* policy) {
    std::string who = report::isolated(row.entry.student);
    if (const std::string name = name_of(row); !name.empty()) who += ", " + report::isolated(name);
    if (const std::string section = section_of(row); !section.empty())
        who += ", section " + escaped(section);
    std::string body =
        "<nav aria-label=\"The class\"><a href=\"../../index.html\">The class at a "
        "glance</a></nav>\n"
        "<main>\n<h1>" +
        who + ": " + escaped(row.entry.assignment) + "</h1>\n" + mark_of(row);
    if (row.report == nullptr || !row.entry.problem.empty())
        body += fmt::format("<p class=\"unsure\">Not graded: {}</p>\n",
                            escaped(row.entry.problem.empty() ? "not yet" : row.entry.problem));
    body += attempts_table(row);
    if (row.report != nullptr) body += graded_body(row, policy);
    return report::html_page({.title = row.entry.student + ": " + row.entry.assignment,
                              .body = body + "</main>\n",
                              .style = report::report_style()});
}

}  // namespace cugrade::record
