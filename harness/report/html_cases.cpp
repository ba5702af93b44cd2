#include "report/html_cases.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/explained.hpp"
#include "report/html.hpp"
#include "report/html_causes.hpp"
#include "report/html_parts.hpp"
#include "report/places.hpp"
#include "report/task_text.hpp"

namespace cugrade::report {
namespace {

std::string wrong_values(const CaseOutcome& c) {
    if (c.mismatches.empty()) return "";
    std::string body;
    for (const Mismatch& one : c.mismatches)
        body += fmt::format(
            "<tr><th scope=\"row\"><code>{}</code></th><td class=\"n\">{}</td><td "
            "class=\"n\">{}</td></tr>\n",
            escaped(element_text(one)), escaped(one.expected), escaped(one.got));
    return html_table({.name = fmt::format("Wrong values of case {}", c.id),
                       .head = "<th scope=\"col\">element</th><th scope=\"col\" "
                               "class=\"n\">expected</th><th scope=\"col\" class=\"n\">got</th>",
                       .body = body});
}

std::string findings(const CaseOutcome& c, const Style& style) {
    std::string out;
    for (const CheckerFinding& one : c.findings) {
        // The message says what decided the verdict; here is where that is.
        const std::string what = one.message == c.message ? "" : prose(one.message);
        if (what.empty() && !one.location) continue;
        out += fmt::format("<li>{}{}", one.warning ? "warning: " : "", what);
        if (one.location) out += " at " + place_link(style, *one.location);
        if (one.location && one.second_location && *one.second_location != *one.location)
            out += " and " + place_link(style, *one.second_location);
        out += "</li>\n";
    }
    return out.empty() ? "" : "<ul>\n" + out + "</ul>\n";
}

/// What a row has no room for.
std::string details(const CaseOutcome& c, bool is_explained, const Style& style) {
    if (c.verdict == Verdict::accepted && c.findings.empty()) return "";
    std::string out;
    if (is_explained && !c.message.empty()) out += fmt::format("<p>{}</p>\n", prose(c.message));
    if (!c.pattern.empty()) out += fmt::format("<p>{}</p>\n", prose(c.pattern));
    out += wrong_values(c);
    if (c.mismatch_count > 0)
        out += fmt::format("<p>{} of {} elements wrong</p>\n", c.mismatch_count,
                           std::max(c.element_count, c.mismatch_count));
    if (c.location && c.findings.empty())
        out += fmt::format("<p>at {}</p>\n", place_link(style, *c.location));
    out += findings(c, style);
    if (out.empty()) return "";
    return fmt::format("<details><summary>case {} in detail</summary>\n{}</details>", c.id, out);
}

}  // namespace

std::string cases_of(const Report& report, std::size_t number, const Style& style) {
    const TaskReport& task = report.tasks[number];
    const auto& cases = task.outcome.cases;
    if (cases.empty()) return "";
    const auto what_happened = [&](const CaseOutcome& c, const Cause* cause) {
        if (cause == nullptr) return prose(c.message);
        const auto index = static_cast<std::size_t>(cause - task.outcome.causes.data());
        return fmt::format("<a href=\"#{}\">{}</a>", cause_id(first_alike(report, number), index),
                           escaped(title_of(*cause)));
    };
    std::string body;
    for (const CaseOutcome& c : cases) {
        const Cause* cause = cause_of(task.outcome, c);
        body += fmt::format(
            "<tr><th scope=\"row\" class=\"n\">{}</th><td>{}</td><td class=\"{}\">{}</td>"
            "<td>{}</td><td>{}{}</td><td class=\"n\">{}</td></tr>\n",
            c.id, c.visibility == Visibility::hidden ? "hidden" : "public", class_of(c.verdict),
            name(c.verdict), escaped(c.description), what_happened(c, cause),
            details(c, cause != nullptr, style),
            is_judged(c.verdict) ? seconds_text(c.seconds) : "");
    }
    return fmt::format(
        "<details class=\"cases\"><summary>Cases: {} right</summary>\n{}</details>\n",
        cases_right(task),
        html_table({.name = "Cases of " + task.name,
                    .head = "<th scope=\"col\" class=\"n\">case</th>"
                            "<th scope=\"col\">who sees it</th>"
                            "<th scope=\"col\">verdict</th>"
                            "<th scope=\"col\">data</th>"
                            "<th scope=\"col\">what happened</th>"
                            "<th scope=\"col\" class=\"n\">time</th>",
                    .body = body}));
}

}  // namespace cugrade::report
