#include <fmt/format.h>

#include "core/utc.hpp"
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
                           "<th scope=\"col\">task</th><th scope=\"col\">cause or verdict</th>"
                           "<th scope=\"col\">place</th><th scope=\"col\" class=\"n\">cases</th>"
                           "<th scope=\"col\">what</th>",
                       .body = body});
}

std::string graded_body(const Row& row) {
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
                     report::uri(report_file(row.entry.assignment, row.entry.student, ".txt")),
                     escaped(report.replay));
}

/// All hand-ins, the newest first, with the one that counts.
std::string attempts_table(const Row& row) {
    std::string body;
    for (auto one = row.attempts.rbegin(); one != row.attempts.rend(); ++one) {
        const bool is_graded = one->report != nullptr;
        const std::string number =
            is_graded ? fmt::format("<a href=\"../../{}\">{}</a>",
                                    report::uri(attempt_file(row.entry, *one, ".txt")), one->number)
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

std::string student_page(const Row& row) {
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
    if (row.report != nullptr) body += graded_body(row);
    return report::html_page(
        {.title = row.entry.student + ": " + row.entry.assignment, .body = body + "</main>\n"});
}

}  // namespace cugrade::record
