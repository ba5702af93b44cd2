#include "report/html_report.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "report/formats.hpp"
#include "report/html.hpp"
#include "report/html_cases.hpp"
#include "report/html_causes.hpp"
#include "report/html_parts.hpp"
#include "report/html_source.hpp"
#include "report/html_speed.hpp"
#include "report/task_text.hpp"

namespace cugrade::report {
namespace {

constexpr std::string_view style_of_reports = R"(
body{overflow-wrap:anywhere}
table{overflow-wrap:normal}
figure{margin:.6rem 0;max-width:44rem}figcaption{margin:.2rem 0}
code,pre{font:.92em/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
summary{cursor:pointer;padding:.3rem 0}
.cases td>a{display:inline-block;min-height:1.5rem}
ul{padding-left:1.3rem;margin:.4rem 0}
.big{font-size:1.9rem;font-weight:700;margin:.2rem 0}.big small{font-size:1.1rem;font-weight:400}
.lead{font-size:1.06rem}
.label{border:1px solid;border-radius:.8rem;padding:0 .55rem;font-size:.9rem;font-weight:600;
white-space:nowrap}
.facts{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;align-items:baseline}
.card{border:1px solid var(--line);border-left:5px solid var(--bad);border-radius:.35rem;
padding:.2rem 1rem .6rem;margin:.8rem 0;max-width:62rem}
.card.warning{border-left-color:var(--unsure)}.card h3{margin:.6rem 0 .2rem}
:target{background:var(--band)}
.excerpt{white-space:pre;overflow-wrap:normal;margin:.5rem 0}
.code,.source code{unicode-bidi:bidi-override;direction:ltr}
mark{background:none;color:inherit;font-weight:700;text-decoration:underline 2px var(--bad);
text-underline-offset:.2em}
.source{padding-left:3.4rem;margin:.4rem 0;tab-size:4}
.source li::marker{content:counter(list-item) "\2002";color:var(--quiet);font-size:.85em}
.source li{padding-left:.3rem}
.source code{white-space:pre-wrap;display:block}
.noted{background:var(--band)}
.note{border-left:3px solid var(--bad);padding:0 .6rem;margin:.1rem 0 .3rem}.note p{margin:0}
@media (min-width:64rem){.source li.noted{display:list-item}
.noted{position:relative}.source code{max-width:62%}
.note{float:right;width:37%;margin-top:-1.4em}.noted::after{content:"";display:block;clear:both}}
@media (max-width:30rem){body{padding:.8rem}.card{padding:.1rem .6rem .4rem}}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:.5rem 0}dd{margin:0}
.score svg{max-width:44rem}.rest{fill:var(--line)}
@media print{details::details-content{content-visibility:visible;display:block;block-size:auto}
summary{list-style:none}.cases tr{break-inside:auto}.source li{break-inside:avoid}
.card{break-inside:avoid}.excerpt{white-space:pre-wrap}
.bar{print-color-adjust:exact}}
)";

/// What was earned of what is possible. The words are beside it.
std::string score_bar(const Score& score) {
    if (!(score.possible > 0)) return "";
    const auto percent = [&](double points) {
        return std::clamp(100 * points / score.possible, 0.0, 100.0);
    };
    return fmt::format(
        "<svg aria-hidden=\"true\" width=\"100%\" height=\"12\"><rect class=\"rest\" "
        "width=\"100%\" "
        "height=\"12\" rx=\"3\"/><rect class=\"bar\" width=\"{:.1f}%\" height=\"12\" "
        "rx=\"3\"/></svg>\n",
        percent(score.earned));
}

std::string score_section(const Report& report) {
    const bool is_whole = report.score.judged == report.score.possible;
    return fmt::format(
        "<section class=\"score\" aria-label=\"Score\">\n<p class=\"big\">{} <small>of {} "
        "points</small></p>\n{}{}<p>Verdict: {}. {}.</p>\n</section>\n",
        points_text(report.score.earned), points_text(report.score.judged), score_bar(report.score),
        is_whole ? "" : fmt::format("<p>{}.</p>\n", escaped(score_line(report))),
        name(report.verdict), with_capital(meaning(report.verdict)));
}

/// One row per task, which leads to its section.
std::string tasks_table(const Report& report) {
    const bool has_causes = std::ranges::any_of(
        report.tasks, [](const TaskReport& task) { return !task.outcome.causes.empty(); });
    std::string body;
    for (std::size_t t = 0; t < report.tasks.size(); ++t) {
        const TaskReport& task = report.tasks[t];
        const auto& causes = task.outcome.causes;
        const std::string why = causes.empty() ? "" : escaped(title_of(causes.front()));
        body += fmt::format(
            "<tr><th scope=\"row\"><a href=\"#{}\">{}</a></th><td>{}</td><td class=\"n\">{}</td>"
            "<td class=\"n\">{}</td><td>{}</td>{}</tr>\n",
            task_id(t), escaped(task.name), verdict_label(task.verdict), points_of(task.score),
            cases_right(task), escaped(speed_of(task, "×")),
            has_causes ? fmt::format("<td>{}</td>", why) : "");
    }
    return "<section aria-labelledby=\"tasks\"><h2 id=\"tasks\">Tasks</h2>\n" +
           html_table({.name = "Tasks",
                       .head = std::string("<th scope=\"col\">task</th><th scope=\"col\">verdict"
                                           "</th><th scope=\"col\" class=\"n\">points</th>"
                                           "<th scope=\"col\" class=\"n\">cases right</th>"
                                           "<th scope=\"col\">speed</th>") +
                               (has_causes ? "<th scope=\"col\">why</th>" : ""),
                       .body = body}) +
           "</section>\n";
}

std::string task_section(const Report& report, std::size_t number, const Style& style) {
    const TaskReport& task = report.tasks[number];
    return fmt::format(
               "<section aria-labelledby=\"{0}\"><h2 id=\"{0}\">{1} <small "
               "class=\"quiet\">{2}</small></h2>\n<p class=\"facts\">{3}<span>{4} points</span>"
               "<span>{5}</span></p>\n",
               task_id(number), escaped(task.name), escaped(task.title),
               verdict_label(task.verdict), points_of(task.score), meaning(task.verdict)) +
           cards_of(report, number, style) + speed_section(report, number, style) +
           cases_of(report, number, style) + "</section>\n";
}

/// Those that fail first, but for functions that are not written yet, which come last.
std::vector<std::size_t> order_of(const Report& report) {
    std::vector<std::size_t> order(report.tasks.size());
    for (std::size_t t = 0; t < order.size(); ++t) order[t] = t;
    std::ranges::stable_sort(order, {}, [&](std::size_t t) {
        const Verdict verdict = report.tasks[t].verdict;
        return verdict == Verdict::function_missing                          ? 2
               : verdict == Verdict::accepted || verdict == Verdict::skipped ? 1
                                                                             : 0;
    });
    return order;
}

std::string compiler_section(const Report& report) {
    if (report.compile_output.empty()) return "";
    return fmt::format(
        "<section aria-labelledby=\"compiler\"><h2 id=\"compiler\">What the compiler said</h2>\n"
        "<pre tabindex=\"0\" role=\"group\" aria-labelledby=\"compiler\">{}</pre>\n</section>\n",
        markup(report.compile_output));
}

std::string how_section(const Report& report) {
    std::string out = "<section aria-labelledby=\"how\"><h2 id=\"how\">How it was graded</h2>\n";
    if (!report.notes.empty()) {
        out += "<ul>\n";
        for (const std::string& note : report.notes) out += "<li>" + prose(note) + "</li>\n";
        out += "</ul>\n";
    }
    std::string time = seconds_text(report.seconds);
    for (std::size_t i = 0; i < report.phases.size(); ++i)
        time += fmt::format("{}{} {}", i == 0 ? ": " : ", ", report.phases[i].name,
                            seconds_text(report.phases[i].seconds));
    const Provenance& by = report.provenance;
    const std::array<std::pair<std::string_view, std::string>, 8> rows{{
        {"time", time},
        {"back end", by.backend + (by.device.empty() ? "" : ": " + by.device)},
        {"driver", by.driver},
        {"toolkit", by.toolkit},
        {"cugrade", by.cugrade_version},
        {"submission", report.submission_sha256},
        {"policy", report.policy_sha256},
        {"started", by.started},
    }};
    out += "<dl>\n";
    for (const auto& [key, value] : rows)
        if (!value.empty()) out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", key, escaped(value));
    if (!report.replay.empty())
        out += fmt::format("<dt>again</dt><dd><code>{}</code></dd>\n", escaped(report.replay));
    return out + "</dl>\n</section>\n";
}

}  // namespace

std::string_view report_style() { return style_of_reports; }

ReportSections report_sections(const Report& report, const Style& style) {
    ReportSections out{.body = score_section(report) + tasks_table(report),
                       .links = {{"#tasks", "Tasks"}}};
    for (const std::size_t t : order_of(report)) {
        out.body += task_section(report, t, style);
        out.links.emplace_back("#" + task_id(t), escaped(report.tasks[t].name));
    }
    if (const std::string compiler = compiler_section(report); !compiler.empty()) {
        out.body += compiler;
        out.links.emplace_back("#compiler", "The compiler");
    }
    if (const std::string source = source_section(report, style); !source.empty()) {
        out.body += source;
        out.links.emplace_back("#source", "The source");
    }
    out.body += how_section(report);
    out.links.emplace_back("#how", "How it was graded");
    return out;
}

std::string write_html(const Report& raw, const Style& style) {
    const Report report = presentable(raw);
    const auto [body, links] = report_sections(report, style);
    std::string nav;
    for (const auto& [target, words] : links)
        nav += fmt::format("<li><a href=\"{}\">{}</a></li>", target, words);
    const std::string head = fmt::format(
        "<header><h1>{}</h1>\n<p class=\"quiet\">{}{}{}</p></header>\n"
        "<nav aria-label=\"On this page\"><ul>{}</ul></nav>\n<main>\n",
        escaped(report.assignment_title), isolated(report.submission_file),
        report.student.empty() ? "" : ", student " + isolated(report.student),
        ", " + escaped(report.provenance.backend), nav);
    const std::string title = report.student.empty()
                                  ? report.assignment_title
                                  : report.student + ": " + report.assignment_title;
    return html_page({.title = title, .body = head + body + "</main>\n", .style = report_style()});
}

}  // namespace cugrade::report
