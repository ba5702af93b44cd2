#include "record/class_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "record/class_script.hpp"
#include "record/class_summary.hpp"
#include "record/leaderboard.hpp"
#include "record/record.hpp"
#include "report/format.hpp"
#include "report/html.hpp"
#include "report/html_parts.hpp"

namespace cugrade::record {
namespace {

using report::escaped;
using report::html_table;
using report::isolated;
using report::points_text;

// Chosen: a pattern's first students are enough to look at it, and a class of thousands stays below
// the size of a page.
constexpr std::size_t errors_shown = 8;
constexpr std::size_t students_shown = 12;

std::string link_to(const Row& row) {
    return fmt::format("<a href=\"{}\">{}</a>", report::uri(page_file(row)),
                       isolated(row.entry.student));
}

/// The verdict, or what there is instead of one: also what the filter offers.
std::string_view verdict_of(const Row& row) {
    if (row.report != nullptr) return name(row.report->verdict);
    return row.entry.is_missing ? "missing" : "not graded";
}

std::string_view tone_of(const Row& row) {
    if (row.report == nullptr || !is_judged(row.report->verdict)) return "unsure";
    return row.report->verdict == Verdict::accepted ? "good" : "bad";
}

std::string text_of(const std::map<Verdict, std::size_t>& counts) {
    std::string out;
    for (const auto& [verdict, count] : counts)
        out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, name(verdict));
    return out;
}

std::string heads(std::initializer_list<std::string_view> names) {
    std::string out;
    for (std::string_view one : names) {
        const bool is_number = one.starts_with('#');
        if (is_number) one.remove_prefix(1);
        out += fmt::format("<th scope=\"col\"{}>{}</th>", is_number ? " class=\"n\"" : "", one);
    }
    return out;
}

/// A bar of a table's row, which prints, too. The number is in the cell beside it.
std::string bar(double share) {
    constexpr double width = 240;
    return fmt::format(
        "<svg aria-hidden=\"true\" width=\"{0:g}\" height=\"14\"><rect class=\"bar\" y=\"1\" "
        "width=\"{1:.1f}\" height=\"12\"/></svg>",
        width, width * share);
}

std::string first_things(const ClassView& view) {
    std::string body;
    for (const Concern& one : concerns_of(view))
        body += fmt::format(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td "
            "class=\"unsure\">{}</td><td>{}</td></tr>\n",
            link_to(*one.row), escaped(one.row->entry.assignment), one.what, escaped(one.why));
    std::string out =
        "<section aria-labelledby=\"first\"><h2 id=\"first\">Look at these first</h2>\n";
    out += body.empty() ? "<p>Nothing is ungraded, and nothing waits for a decision.</p>\n"
                        : html_table({.name = "Ungraded, and for a person to decide",
                                      .head = heads({"student", "assignment", "what", "why"}),
                                      .body = body});
    if (!view.distrusted.empty()) {
        out += "<h3>Graded anew, because what lay there cannot be trusted</h3>\n<ul>\n";
        for (const std::string& one : view.distrusted)
            out += fmt::format("<li>{}</li>\n", escaped(one));
        out += "</ul>\n";
    }
    return out + "</section>\n";
}

std::string points_section(const AssignmentSummary& assignment) {
    const std::size_t most = std::max<std::size_t>(1, std::ranges::max(assignment.tenths));
    std::string body;
    for (std::size_t t = 0; t < assignment.tenths.size(); ++t)
        body += fmt::format(
            "<tr><th scope=\"row\" class=\"n\">{} to {} %</th><td class=\"n\">{}</td><td>{}</td>"
            "</tr>\n",
            10 * t, 10 * (t + 1), assignment.tenths[t],
            bar(static_cast<double>(assignment.tenths[t]) / static_cast<double>(most)));
    const Quartiles& shares = assignment.shares;
    return fmt::format(
               "<h3>Points</h3>\n<p>Of the judged points: {} % on average; median {} %, quartiles "
               "{} % and {} %.</p>\n",
               percent_text(assignment.mean_share), percent_text(shares.median),
               percent_text(shares.low), percent_text(shares.high)) +
           html_table({.name = "Distribution of points in " + assignment.title,
                       .head = heads({"judged points", "#students",
                                      "<span class=\"quiet\">distribution</span>"}),
                       .body = body});
}

std::string tasks_section(const AssignmentSummary& assignment) {
    std::string body;
    for (const TaskSummary& task : assignment.tasks)
        body += fmt::format(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
            "<td class=\"n\">{}</td><td>{}</td></tr>\n",
            escaped(task.name), escaped(task.title), task.judged, percent_text(task.mean_share),
            task.failed(), text_of(task.failures));
    return "<h3>Tasks</h3>\n" + html_table({.name = "Tasks of " + assignment.title,
                                            .head = heads({"task", "title", "#judged", "#mean %",
                                                           "#not right", "with these verdicts"}),
                                            .body = body});
}

std::string errors_section(const AssignmentSummary& assignment) {
    std::string body;
    std::size_t rarer = 0;
    for (const TaskSummary& task : assignment.tasks) {
        rarer += task.errors.size() - std::min(task.errors.size(), errors_shown);
        for (std::size_t i = 0; i < std::min(task.errors.size(), errors_shown); ++i) {
            const ErrorPattern& error = task.errors[i];
            std::string students;
            for (std::size_t s = 0; s < std::min(error.students.size(), students_shown); ++s)
                students += (s > 0 ? ", " : "") + link_to(*error.students[s]);
            if (error.students.size() > students_shown)
                students += fmt::format(", and {} more", error.students.size() - students_shown);
            body += fmt::format(
                "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td>{}</td><td>{}</td>"
                "<td>{}</td></tr>\n",
                escaped(task.name), error.students.size(), name(error.verdict),
                report::prose(error.text, 300), students);
        }
    }
    if (body.empty()) return "<h3>Errors</h3>\n<p>None.</p>\n";
    return "<h3>Errors</h3>\n" +
           html_table({.name = "Commonest errors in " + assignment.title,
                       .head = heads({"task", "#students", "verdict", "what is wrong", "who"}),
                       .body = body}) +
           (rarer > 0
                ? fmt::format("<p class=\"quiet\">{} rarer ones are on the students' pages.</p>\n",
                              rarer)
                : "");
}

std::string cases_section(const AssignmentSummary& assignment) {
    std::string body;
    for (const TaskSummary& task : assignment.tasks)
        for (const CaseSummary& one : task.cases)
            body += fmt::format(
                "<tr><th scope=\"row\">{} {}</th><td>{}</td><td>{}</td><td class=\"n\">{}</td>"
                "<td class=\"n\">{}</td><td>{}</td></tr>\n",
                escaped(task.name), one.id,
                one.visibility == Visibility::hidden ? "hidden" : "public",
                escaped(one.description, 200), one.judged, one.failed(), text_of(one.failures));
    return "<h3>Cases</h3>\n" +
           html_table({.name = "Cases of " + assignment.title,
                       .head = heads({"case", "seen by students", "data", "#judged", "#not right",
                                      "with these verdicts"}),
                       .body = body});
}

/// Speedups on a logarithmic scale: columns of students, the quartiles as a box, tiers as lines. An
/// SVG of our own: the figures of sweeps are gnuplot's, which is a program, and a page is computed
/// without any.
class SpeedFigure {
public:
    explicit SpeedFigure(const SpeedSummary& speed) : speed_(speed) {
        low_ = std::log10(speed.speedups.front());
        high_ = std::log10(speed.speedups.back());
        for (const TierSummary& one : speed.tiers) {
            low_ = std::min(low_, std::log10(one.tier.speedup));
            high_ = std::max(high_, std::log10(one.tier.speedup));
        }
        constexpr double margin = 0.1;  // a column at the edge is seen whole; all may be alike
        low_ -= margin;
        high_ += margin;
    }

    [[nodiscard]] std::string svg(std::string_view label) const {
        std::string out = fmt::format(
            "<svg role=\"img\" aria-label=\"{}\" width=\"{:g}\" height=\"{:g}\" viewBox=\"0 0 {:g} "
            "{:g}\">\n",
            label, width, height, width, height);
        std::array<std::size_t, bins> counts{};
        for (const double one : speed_.speedups)
            ++counts[std::min(bins - 1, static_cast<std::size_t>(x(one) / width * bins))];
        const auto most = static_cast<double>(std::ranges::max(counts));
        for (std::size_t b = 0; b < bins; ++b)
            if (counts[b] > 0) {
                const double tall = std::max(2.0, columns * static_cast<double>(counts[b]) / most);
                out += fmt::format(
                    "<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
                    "height=\"{:.1f}\"/>",
                    static_cast<double>(b) * width / bins, floor - tall, width / bins - 1, tall);
            }
        const Quartiles& q = speed_.quartiles;
        out += fmt::format(
            "\n<line class=\"axis\" x1=\"0\" x2=\"{0:g}\" y1=\"{1:g}\" y2=\"{1:g}\"/>"
            "<rect class=\"box\" x=\"{2:.1f}\" y=\"{3:g}\" width=\"{4:.1f}\" height=\"10\"/>"
            "<line class=\"box\" x1=\"{5:.1f}\" x2=\"{5:.1f}\" y1=\"{3:g}\" y2=\"{6:g}\"/>\n",
            width, floor, x(q.low), floor + 5, x(q.high) - x(q.low), x(q.median), floor + 15);
        for (const TierSummary& one : speed_.tiers)
            out += fmt::format(
                "<line class=\"tier\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"14\" y2=\"{1:g}\"/>"
                "<text x=\"{0:.1f}\" y=\"11\" text-anchor=\"middle\">{2:g}×</text>\n",
                x(one.tier.speedup), floor + 18, one.tier.speedup);
        return out + "</svg>\n";
    }

private:
    static constexpr double width = 640, height = 120, floor = 98, columns = 80;
    static constexpr std::size_t bins = 64;

    [[nodiscard]] double x(double speedup) const {
        return width * (std::log10(speedup) - low_) / (high_ - low_);
    }

    const SpeedSummary& speed_;
    double low_, high_;
};

std::string speed_section(const AssignmentSummary& assignment) {
    std::string out;
    for (const TaskSummary& task : assignment.tasks) {
        const SpeedSummary& speed = task.speed;
        if (speed.speedups.empty()) continue;
        const Quartiles& q = speed.quartiles;
        const std::string text = fmt::format(
            "{} {} speedups from {:.3g} to {:.3g} times the baseline: median {:.3g}, quartiles "
            "{:.3g} and {:.3g}",
            speed.speedups.size(), speed.is_modelled ? "modelled" : "measured", q.least, q.most,
            q.median, q.low, q.high);
        out += fmt::format("<h4>{}</h4>\n<p>{}.</p>\n{}", escaped(task.name), text,
                           SpeedFigure(speed).svg(escaped(task.name) + ": " + text));
        std::string body;
        for (const TierSummary& one : speed.tiers)
            body += fmt::format(
                "<tr><th scope=\"row\" class=\"n\">{:g}</th><td class=\"n\">{}</td><td "
                "class=\"n\">{}</td></tr>\n",
                one.tier.speedup, percent_text(one.tier.credit), one.reached);
        if (!body.empty())
            out += html_table({.name = "Tiers of " + task.name,
                               .head = heads({"#times the baseline", "#% of the points for speed",
                                              "#students who reach it"}),
                               .body = body});
    }
    return "<h3>Speed</h3>\n" + (out.empty() ? "<p>No speedups.</p>\n" : out);
}

std::string assignment_section(const AssignmentSummary& assignment) {
    const std::string id = "a-" + report::uri(assignment.id);
    std::string out = fmt::format(
        "<section aria-labelledby=\"{0}\"><h2 id=\"{0}\">{1}</h2>\n<p>{2} graded, {3} not graded, "
        "{4} for a person to decide, {5} missing; {6} points possible.</p>\n",
        id, escaped(assignment.title), assignment.graded, assignment.ungraded, assignment.to_decide,
        assignment.missing, points_text(assignment.possible));
    if (assignment.graded > 0)
        out += points_section(assignment) + tasks_section(assignment) + errors_section(assignment) +
               speed_section(assignment) + cases_section(assignment);
    return out + "</section>\n";
}

std::string time_section(const std::vector<AssignmentSummary>& assignments) {
    std::string body;
    for (const AssignmentSummary& one : assignments) {
        if (one.graded == 0) continue;
        std::string slowest;
        for (const Row* row : one.slowest)
            slowest += fmt::format("{}{} {:.1f} s", slowest.empty() ? "" : ", ", link_to(*row),
                                   row->report->seconds);
        body += fmt::format(
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{:.1f}</td><td "
            "class=\"n\">{:.1f}</td><td "
            "class=\"n\">{:.1f}</td><td>{}</td></tr>\n",
            escaped(one.title), one.grading_s / 60, one.gpu_s / 60,
            one.grading_s / static_cast<double>(one.graded), slowest);
    }
    return "<section aria-labelledby=\"time\"><h2 id=\"time\">Time spent grading</h2>\n" +
           (body.empty()
                ? "<p>None.</p>\n"
                : html_table({.name = "Time spent grading",
                              .head = heads({"assignment", "#minutes in all", "#minutes with a GPU",
                                             "#seconds each", "the slowest"}),
                              .body = body})) +
           "</section>\n";
}

/// The tasks that are judged and not right, with their verdicts.
std::string wrong_tasks(const Report& report) {
    std::string out;
    for (const TaskReport& task : report.tasks)
        if (is_judged(task.verdict) && task.verdict != Verdict::accepted)
            out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", task.name, name(task.verdict));
    return out;
}

/// "2 of 3": the attempt that counts, of so many. Empty: nothing was handed in, or nothing counts.
std::string attempt_text(const Row& row) {
    const Attempt* chosen = counted(row);
    return chosen == nullptr ? ""
                             : fmt::format("{} of {}", chosen->number, row.attempts.back().number);
}

std::string mark_cell(const Row& row) {
    if (!row.mark) return "<td class=\"n\"></td>";
    return fmt::format(
        "<td class=\"n\"{}>{}</td>",
        row.mark->why.empty() ? "" : fmt::format(" title=\"{}\"", escaped(row.mark->why)),
        points_text(row.mark->points));
}

std::string student_row(const Row& row) {
    const std::string name = name_of(row);
    std::string out = fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td>",
                                  row.entry.is_missing ? isolated(row.entry.student) : link_to(row),
                                  name.empty() ? "" : isolated(name), escaped(section_of(row)),
                                  escaped(row.entry.assignment));
    if (row.report == nullptr)
        return out + fmt::format(
                         "<td></td><td></td><td></td>{}<td></td><td class=\"{}\">{}</td>"
                         "<td></td><td></td><td></td></tr>\n",
                         mark_cell(row), tone_of(row), verdict_of(row));
    const Report& report = *row.report;
    return out + fmt::format(
                     "<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>{}"
                     "<td>{}</td><td class=\"{}\">{}</td><td>{}</td><td class=\"n\">{:.1f}</td>"
                     "<td><a href=\"{}\">report</a></td></tr>\n",
                     points_text(report.score.earned), points_text(report.score.judged),
                     percent_text(share_of(report.score)), mark_cell(row), attempt_text(row),
                     tone_of(row), verdict_of(row), escaped(wrong_tasks(report)), report.seconds,
                     report::uri(report_file(row.entry.assignment, row.entry.student, ".html")));
}

std::string choice(std::string_view name, const std::set<std::string>& values) {
    std::string out = fmt::format("<label>{0}<select name=\"{0}\"><option>all</option>", name);
    for (const std::string& one : values)
        out += one.empty() ? "<option value=\"\">none</option>"
                           : fmt::format("<option value=\"{0}\">{0}</option>", escaped(one));
    return out + "</select></label>\n";
}

std::string students_section(const ClassView& view) {
    std::set<std::string> verdicts, assignments, sections;
    std::string body;
    for (const Row& row : view.rows) {
        verdicts.emplace(verdict_of(row));
        assignments.insert(row.entry.assignment);
        sections.insert(section_of(row));
        body += student_row(row);
    }
    std::string head;
    using Column = std::pair<std::string_view, bool>;
    for (const auto& [name, is_number] :
         {Column{"student", false}, Column{"name", false}, Column{"section", false},
          Column{"assignment", false}, Column{"points", true}, Column{"judged", true},
          Column{"percent", true}, Column{"mark", true}, Column{"attempt", false},
          Column{"verdict", false}, Column{"not right", false}, Column{"seconds", true}})
        head += fmt::format("<th scope=\"col\" data-column=\"{0}\"{1}>{0}</th>", name,
                            is_number ? " class=\"n\"" : "");
    head += "<th scope=\"col\">files</th>";
    return "<section aria-labelledby=\"all\"><h2 id=\"all\">Students</h2>\n"
           "<form id=\"filter\" role=\"search\" aria-label=\"Students\" hidden>\n"
           "<label>text<input name=\"text\" type=\"search\" autocomplete=\"off\"></label>\n" +
           choice("verdict", verdicts) + choice("assignment", assignments) +
           choice("section", sections) +
           "<button type=\"reset\">show all</button>\n"
           "<span id=\"shown\" role=\"status\"></span></form>\n" +
           html_table({.name = "Students",
                       .head = head,
                       .body = body,
                       .id = "students",
                       .is_long = true}) +
           "</section>\n";
}

}  // namespace

std::string page_file(const Row& row) {
    return fmt::format("pages/{}/{}.html", row.entry.assignment, row.entry.student);
}

std::string class_page(const ClassView& view) {
    const std::vector<AssignmentSummary> assignments = summaries_of(view);
    std::string links;
    std::string sections;
    for (const AssignmentSummary& one : assignments) {
        links += fmt::format("<li><a href=\"#a-{}\">{}</a></li>", report::uri(one.id),
                             escaped(one.title));
        sections += assignment_section(one);
    }
    const std::string leaderboard = leaderboard_section(view);
    if (!leaderboard.empty()) links += "<li><a href=\"#leaderboard\">Leaderboard</a></li>";
    const std::string body =
        "<header><h1>The class at a glance</h1>\n"
        "<p class=\"quiet\">For staff only: this page and those below <code>pages/</code> name "
        "students and their marks.</p></header>\n"
        "<nav aria-label=\"On this page\"><ul><li><a href=\"#first\">Look at these first</a></li>" +
        links +
        "<li><a href=\"#time\">Time spent grading</a></li><li><a href=\"#all\">Students</a></li>"
        "</ul></nav>\n<main>\n" +
        first_things(view) + sections + leaderboard + time_section(assignments) +
        students_section(view) + "</main>\n";
    return report::html_page(
        {.title = "The class at a glance", .body = body, .script = class_script});
}

}  // namespace cugrade::record
