#include "record/leaderboard.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/printable.hpp"
#include "record/chosen_names.hpp"
#include "record/class_page.hpp"
#include "record/class_summary.hpp"
#include "report/html.hpp"

namespace cugrade::record {
namespace {

using report::escaped;
using report::isolated;

bool is_ranked(const LeaderboardPolicy& policy, const std::string& assignment,
               const std::string& task) {
    return policy.tasks.empty() ||
           std::ranges::find(policy.tasks, LeaderboardPolicy::Task{assignment, task}) !=
               policy.tasks.end();
}

/// The model knows kernels only, so the speed of what computes on the host is none.
bool is_host_work(const Report& report, const TaskReport& task) {
    return std::ranges::any_of(report.notes, [&](const std::string& note) {
        return note.starts_with(task.name + ": ") &&
               note.find(done_on_the_host) != std::string::npos;
    });
}

/// The timing of a task that may be in a ranking; null: none.
const TimingOutcome* ranked_timing(const Report& report, const TaskReport& task) {
    const auto& timing = task.outcome.timing;
    if (task.verdict != Verdict::accepted || !timing || timing->speedup <= 0) return nullptr;
    const bool is_modelled = timing->basis == TimingOutcome::Basis::modelled;
    return is_modelled && is_host_work(report, task) ? nullptr : &*timing;
}

bool is_in_doubt(const Report& report) {
    return !for_a_person(report).empty() ||
           std::ranges::any_of(report.tasks, [](const TaskReport& task) {
               return task.verdict == Verdict::tampering || task.verdict == Verdict::suspicious;
           });
}

/// The chosen name, or that there is none; nothing: the student does not appear.
std::optional<std::string> shown_name(const ClassView& view, const Row& row) {
    const auto chosen = view.chosen_names->of.find(row.entry.student);
    if (chosen != view.chosen_names->of.end()) return chosen->second;
    if (view.policy->leaderboard->anonymous) return std::string(anonymous_name);
    return std::nullopt;
}

/// Three digits, which is what a measurement repeats; without an exponent.
std::string speedup_text(double speedup) {
    return speedup < 999.5 ? fmt::format("{:.3g}", speedup) : fmt::format("{:.0f}", speedup);
}

/// A ranking while it is filled.
struct Tally {
    Ranking ranking;
    std::vector<std::pair<double, Place>> all;
};

Tally& tally_of(std::vector<Tally>& tallies, const Report& report, const TaskReport& task,
                const TimingOutcome& timing) {
    const bool is_modelled = timing.basis == TimingOutcome::Basis::modelled;
    const std::string& device = is_modelled ? timing.modelled_on : timing.measured_on;
    const auto same = std::ranges::find_if(tallies, [&](const Tally& one) {
        return one.ranking.assignment == report.assignment && one.ranking.task == task.name &&
               one.ranking.is_modelled == is_modelled && one.ranking.device == device;
    });
    if (same != tallies.end()) return *same;
    return tallies.emplace_back(Tally{.ranking = {.assignment = report.assignment,
                                                  .assignment_title = report.assignment_title,
                                                  .task = task.name,
                                                  .task_title = task.title,
                                                  .is_modelled = is_modelled,
                                                  .device = device,
                                                  .places = {}},
                                      .all = {}});
}

/// Who shows the same speedup is in order of the name, for the order of the rows is that of ids.
Ranking ranked(Tally tally) {
    std::ranges::stable_sort(tally.all, [](const auto& a, const auto& b) {
        if (a.second.speedup != b.second.speedup) return a.first > b.first;
        return a.second.name < b.second.name;
    });
    std::vector<Place>& out = tally.ranking.places;
    for (auto& [speedup, place] : tally.all) {
        const bool is_tied = !out.empty() && out.back().speedup == place.speedup;
        place.rank = is_tied ? out.back().rank : out.size() + 1;
        out.push_back(std::move(place));
    }
    return std::move(tally.ranking);
}

std::string clock_of(const Ranking& ranking) {
    return fmt::format("{}{}", ranking.is_modelled ? "modelled" : "measured",
                       ranking.device.empty() ? "" : " on " + ranking.device);
}

constexpr std::string_view no_ranking = "Nobody is in a ranking yet.";

/// The table of a ranking; with the students for staff.
std::string table_of(const Ranking& ranking, bool is_for_staff) {
    std::string body;
    for (const Place& place : ranking.places)
        body += fmt::format(
            "<tr><td class=\"n\">{}</td><th scope=\"row\">{}</th>{}<td class=\"n\">{}</td></tr>\n",
            place.rank, isolated(place.name),
            is_for_staff
                ? fmt::format("<td><a href=\"{}\">{}</a></td>", report::uri(page_file(*place.row)),
                              isolated(place.row->entry.student))
                : "",
            place.speedup);
    const std::string head = fmt::format(
        "<th scope=\"col\" class=\"n\">rank</th><th scope=\"col\">name</th>{}<th scope=\"col\" "
        "class=\"n\">times the baseline</th>",
        is_for_staff ? "<th scope=\"col\">student</th>" : "");
    return report::html_table({.name = fmt::format("Ranking of {} in {}, {}", ranking.task,
                                                   ranking.assignment_title, clock_of(ranking)),
                               .head = head,
                               .body = body});
}

}  // namespace

std::vector<Ranking> rankings_of(const ClassView& view) {
    if (view.chosen_names == nullptr || view.policy == nullptr || !view.policy->leaderboard)
        return {};
    std::vector<Tally> tallies;
    for (const Row& row : view.rows) {
        if (row.report == nullptr || is_in_doubt(*row.report)) continue;
        const auto name = shown_name(view, row);
        if (!name) continue;
        for (const TaskReport& task : row.report->tasks) {
            if (!is_ranked(*view.policy->leaderboard, row.report->assignment, task.name)) continue;
            const TimingOutcome* timing = ranked_timing(*row.report, task);
            if (timing == nullptr) continue;
            tally_of(tallies, *row.report, task, *timing)
                .all.push_back({timing->speedup, Place{.rank = 0,
                                                       .name = *name,
                                                       .speedup = speedup_text(timing->speedup),
                                                       .row = &row}});
        }
    }
    std::vector<Ranking> out;
    out.reserve(tallies.size());
    for (Tally& one : tallies) out.push_back(ranked(std::move(one)));
    return out;
}

std::string leaderboard_page(const ClassView& view) {
    std::string sections;
    std::string assignment;
    for (const Ranking& ranking : rankings_of(view)) {
        if (ranking.assignment != assignment)
            sections += fmt::format("<h2>{}</h2>\n", escaped(ranking.assignment_title));
        assignment = ranking.assignment;
        sections += fmt::format("<h3>{}</h3>\n<p>{}; {}.</p>\n{}", escaped(ranking.task),
                                escaped(ranking.task_title), escaped(clock_of(ranking)),
                                table_of(ranking, false));
    }
    if (sections.empty()) sections = fmt::format("<p>{}</p>\n", no_ranking);
    const std::string body = fmt::format(
        "<header><h1>Leaderboard</h1>\n<p class=\"quiet\">Right solutions by how many times as "
        "fast as the baseline they are. Who is here has chosen the name.</p></header>\n<main>\n"
        "{}</main>\n",
        sections);
    return report::html_page({.title = "Leaderboard", .body = body});
}

std::string leaderboard_section(const ClassView& view) {
    if (view.chosen_names == nullptr) return "";
    std::string out =
        "<section aria-labelledby=\"leaderboard\"><h2 id=\"leaderboard\">Leaderboard</h2>\n"
        "<p>Without the students it is <a href=\"leaderboard.html\">leaderboard.html</a>, which "
        "students may have.</p>\n";
    if (!view.chosen_names->nobodys.empty())
        out += fmt::format(
            "<p class=\"unsure\">Names were chosen for who is not in the class: "
            "{}.</p>\n",
            escaped(fmt::format("{}", fmt::join(view.chosen_names->nobodys, ", "))));
    const auto rankings = rankings_of(view);
    for (const Ranking& ranking : rankings)
        out +=
            fmt::format("<h3>{}: {}, {}</h3>\n{}", escaped(ranking.assignment_title),
                        escaped(ranking.task), escaped(clock_of(ranking)), table_of(ranking, true));
    if (rankings.empty()) out += fmt::format("<p>{}</p>\n", no_ranking);
    return out + "</section>\n";
}

void write_leaderboard(report::Page& page, const ClassView& view) {
    using report::Tone;
    constexpr std::size_t most = 10;  // chosen: the first ones, so that a class fits on a screen
    if (view.chosen_names == nullptr) return;
    page.line({{"Leaderboard", Tone::strong}});
    const auto rankings = rankings_of(view);
    for (const Ranking& ranking : rankings) {
        page.line({{fmt::format("  {}/{}", printable(ranking.assignment), printable(ranking.task)),
                    Tone::strong},
                   {": times the baseline, " + printable(clock_of(ranking))}});
        const std::size_t shown = std::min(most, ranking.places.size());
        for (std::size_t i = 0; i < shown; ++i) {
            const Place& place = ranking.places[i];
            page.line({{fmt::format("    {:>3}  {:>7}  {}", place.rank, place.speedup,
                                    printable(place.name))}});
        }
        if (shown < ranking.places.size())
            page.line(
                {{fmt::format("         and {} more", ranking.places.size() - shown), Tone::dim}});
    }
    if (rankings.empty()) page.line({{fmt::format("  {}", no_ranking)}});
    for (const std::string& one : view.chosen_names->nobodys)
        page.paragraph(
            2, 2, fmt::format("A name was chosen for {}, who is not in the class", printable(one)),
            Tone::unsure);
    page.blank();
}

}  // namespace cugrade::record
