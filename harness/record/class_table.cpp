#include "record/class_table.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "record/class_summary.hpp"
#include "record/leaderboard.hpp"
#include "report/page.hpp"

namespace cugrade::record {
namespace {

using report::Page;
using report::Tone;

constexpr std::size_t errors_listed = 3;    // chosen: of each task, so that a class fits on a screen
constexpr std::size_t students_listed = 4;  // of an error

std::string share_text(double share) { return percent_text(share) + " %"; }

void write_concerns(Page& page, const ClassView& view) {
    const auto concerns = concerns_of(view);
    if (concerns.empty()) return;
    page.line({{"Look at these first", Tone::strong}});
    for (const Concern& one : concerns)
        page.paragraph(
            2, 2,
            fmt::format("{} ({}): {}: {}", printable(one.row->entry.student),
                        printable(one.row->entry.assignment), one.what,
                        printable(one.why.substr(0, one.why.find('\n')))),
            Tone::unsure);
    page.blank();
}

void write_points(Page& page, const AssignmentSummary& assignment) {
    constexpr double widest = 40;
    const auto most =
        static_cast<double>(std::max<std::size_t>(1, std::ranges::max(assignment.tenths)));
    page.line(
        {{fmt::format("  {} on average, median {}, quartiles {} and {}",
                      share_text(assignment.mean_share), share_text(assignment.shares.median),
                      share_text(assignment.shares.low), share_text(assignment.shares.high))}});
    for (std::size_t t = 0; t < assignment.tenths.size(); ++t) {
        const double share = static_cast<double>(assignment.tenths[t]) / most;
        page.line({{fmt::format("  {:>3} to {:>3} %  {:>4}  ", 10 * t, 10 * (t + 1),
                                assignment.tenths[t])},
                   {std::string(static_cast<std::size_t>(widest * share), '#'), Tone::dim}});
    }
}

void write_errors(Page& page, const TaskSummary& task) {
    for (std::size_t i = 0; i < std::min(task.errors.size(), errors_listed); ++i) {
        const ErrorPattern& error = task.errors[i];
        std::string who;
        for (std::size_t s = 0; s < std::min(error.students.size(), students_listed); ++s)
            who += (s > 0 ? ", " : "") + printable(error.students[s]->entry.student);
        if (error.students.size() > students_listed)
            who += fmt::format(" and {} more", error.students.size() - students_listed);
        page.paragraph(4, 6,
                       fmt::format("{} {}: {} ({})", error.students.size(), name(error.verdict),
                                   printable(error.text), who));
    }
    if (task.errors.size() <= errors_listed) return;
    const std::size_t more = task.errors.size() - errors_listed;
    std::set<const Row*> others;
    for (std::size_t i = errors_listed; i < task.errors.size(); ++i)
        others.insert(task.errors[i].students.begin(), task.errors[i].students.end());
    page.paragraph(4, 6,
                   fmt::format("and {} more {}, of {} {}: index.html has all", more,
                               more == 1 ? "error" : "errors", others.size(),
                               others.size() == 1 ? "student" : "students"),
                   Tone::dim);
}

/// The case that most fail, which is where to look first.
std::string hardest_case(const TaskSummary& task) {
    const auto hardest = std::ranges::max_element(task.cases, {}, &CaseSummary::failed);
    if (hardest == task.cases.end() || hardest->failed() == 0) return "";
    return fmt::format(", most in case {} ({})", hardest->id, hardest->failed());
}

void write_task(Page& page, const TaskSummary& task) {
    page.line({{"  " + printable(task.name), Tone::strong},
               {fmt::format(": {} of {} not right{}; {} of the points", task.failed(), task.judged,
                            hardest_case(task), share_text(task.mean_share))}});
    write_errors(page, task);
    const SpeedSummary& speed = task.speed;
    if (speed.speedups.empty()) return;
    std::string text = fmt::format("{} speedups: median {:.3g}, quartiles {:.3g} and {:.3g}",
                                   speed.speedups.size(), speed.quartiles.median,
                                   speed.quartiles.low, speed.quartiles.high);
    for (const TierSummary& one : speed.tiers)
        text += fmt::format("; {} reach {:g}", one.reached, one.tier.speedup);
    page.paragraph(4, 2, text, Tone::dim);
}

}  // namespace

std::string class_table(const ClassView& view, const report::Style& style) {
    Page page(style);
    write_concerns(page, view);
    for (const AssignmentSummary& assignment : summaries_of(view)) {
        page.line({{printable(assignment.title), Tone::strong},
                   {fmt::format(" ({})", printable(assignment.id)), Tone::dim}});
        page.line({{fmt::format("  {} graded, {} not graded, {} for a person to decide, {} missing",
                                assignment.graded, assignment.ungraded, assignment.to_decide,
                                assignment.missing)}});
        if (assignment.graded > 0) write_points(page, assignment);
        for (const TaskSummary& task : assignment.tasks) write_task(page, task);
        if (!assignment.slowest.empty())
            page.line({{fmt::format("  {:.1f} min of grading; the slowest: {}, {:.1f} s",
                                    assignment.grading_s / 60,
                                    printable(assignment.slowest[0]->entry.student),
                                    assignment.slowest[0]->report->seconds),
                        Tone::dim}});
        page.blank();
    }
    write_leaderboard(page, view);
    return page.text();
}

}  // namespace cugrade::record
