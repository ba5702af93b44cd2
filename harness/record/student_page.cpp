#include <fmt/format.h>

#include "record/class_page.hpp"
#include "record/record.hpp"
#include "report/annotations.hpp"
#include "report/format.hpp"
#include "report/formats.hpp"
#include "report/html.hpp"
#include "report/not_judged.hpp"

namespace cugrade::record {
namespace {

using report::escaped;
using report::html_table;
using report::points_text;

std::string points_of(const Score& score) {
    if (!(score.possible > 0)) return "";
    return score.judged > 0
               ? fmt::format("{} of {}", points_text(score.earned), points_text(score.judged))
               : fmt::format("- of {}", points_text(score.possible));
}

std::string speed_of(const TaskReport& task) {
    const auto& timing = task.outcome.timing;
    if (!timing) return escaped(report::text(task.outcome.untimed));
    return fmt::format("{:.3g}{}", timing->speedup,
                       timing->basis == TimingOutcome::Basis::modelled ? " (modelled)" : "");
}

std::string tasks_of(const Report& report) {
    std::string body;
    for (const TaskReport& task : report.tasks)
        body += fmt::format(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
            "<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
            escaped(task.name), name(task.verdict), points_of(task.score),
            points_of(task.correctness),
            task.technique ? points_of(task.technique->score) : std::string(),
            points_of(task.performance), speed_of(task));
    return html_table({.name = "Tasks",
                       .head = "<th scope=\"col\">task</th><th scope=\"col\">verdict</th>"
                               "<th scope=\"col\" class=\"n\">points</th>"
                               "<th scope=\"col\" class=\"n\">right results</th>"
                               "<th scope=\"col\" class=\"n\">technique</th>"
                               "<th scope=\"col\" class=\"n\">speed</th>"
                               "<th scope=\"col\" class=\"n\">times the baseline</th>",
                       .body = body});
}

std::string errors_of(const Report& report) {
    std::string body;
    for (const report::Annotation& one : report::annotations_of(report)) {
        std::string place;
        if (one.location) {
            place = escaped(one.location->file);
            if (one.location->line > 0) place += fmt::format(":{}", one.location->line);
        }
        body += fmt::format(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td class=\"n\">{}</td><td>{}</td>"
            "</tr>\n",
            escaped(one.task), escaped(one.rule), place, one.cases, escaped(one.text));
    }
    if (body.empty()) return "<p>Nothing.</p>\n";
    return html_table({.name = "What is wrong",
                       .head =
                           "<th scope=\"col\">task</th><th scope=\"col\">verdict or warning</th>"
                           "<th scope=\"col\">place</th><th scope=\"col\" class=\"n\">cases</th>"
                           "<th scope=\"col\">what</th>",
                       .body = body});
}

std::string graded_body(const ClassRow& row) {
    const Report report = report::presentable(*row.report);
    std::string out = fmt::format(
        "<p><strong>{}</strong> Verdict: {}.</p>\n<p class=\"quiet\">{}; {}{}{}; {:.1f} s</p>\n",
        escaped(report::score_line(report) + "."), name(report.verdict),
        escaped(report.submission_file), escaped(report.provenance.backend),
        report.provenance.device.empty() ? "" : ": ", escaped(report.provenance.device),
        report.seconds);
    out += "<h2>Tasks</h2>\n" + tasks_of(report) + "<h2>What is wrong</h2>\n" + errors_of(report);
    if (!report.compile_output.empty())
        out += fmt::format("<h2>The compiler</h2>\n<pre tabindex=\"0\">{}</pre>\n",
                           report::markup(report.compile_output));
    if (!report.notes.empty()) {
        out += "<h2>Notes</h2>\n<ul>\n";
        for (const std::string& note : report.notes)
            out += fmt::format("<li>{}</li>\n", escaped(note));
        out += "</ul>\n";
    }
    return out + fmt::format(
                     "<h2>Files</h2>\n<p><a href=\"../../{}\">The report as the student may read "
                     "it</a>; again: <code>{}</code></p>\n",
                     report::uri(report_file(row.assignment, row.student, ".txt")),
                     escaped(report.replay));
}

}  // namespace

std::string student_page(const ClassRow& row) {
    std::string who = report::isolated(row.student);
    if (!row.name.empty()) who += ", " + report::isolated(row.name);
    if (!row.section.empty()) who += ", section " + escaped(row.section);
    const std::string body =
        "<nav aria-label=\"The class\"><a href=\"../../index.html\">The class at a "
        "glance</a></nav>\n"
        "<main>\n<h1>" +
        who + ": " + escaped(row.assignment) + "</h1>\n" +
        (row.report != nullptr
             ? graded_body(row)
             : fmt::format("<p class=\"unsure\">Not graded: {}</p>\n",
                           escaped(row.problem.empty() ? "not yet" : row.problem))) +
        "</main>\n";
    return report::html_page({.title = row.student + ": " + row.assignment, .body = body});
}

}  // namespace cugrade::record
