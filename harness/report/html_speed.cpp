#include "report/html_speed.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "report/html.hpp"
#include "report/html_parts.hpp"
#include "report/task_text.hpp"

namespace cugrade::report {
namespace {

/// The tiers that the task was scored by; empty if they are not known.
std::vector<Tier> tiers_of(const TaskReport& task, const Style& style) {
    if (style.policy == nullptr) return {};
    const auto of = style.policy->tasks.find(task.name);
    return of == style.policy->tasks.end() ? std::vector<Tier>{} : of->second.tiers;
}

/// A speedup among tiers on a logarithmic axis. Places are percentages of the width and heights are
/// fixed, so that words stay as large as they are in a narrow window.
class TierFigure {
public:
    TierFigure(const TimingOutcome& timing, std::vector<double> tiers)
        : timing_(timing), tiers_(std::move(tiers)) {
        low_ = std::min(1.0, timing.speedup);
        high_ = std::max(1.0, timing.speedup);
        for (const double tier : tiers_) {
            low_ = std::min(low_, tier);
            high_ = std::max(high_, tier);
        }
        constexpr double margin = 0.15;  // chosen: what is at an end is seen whole
        const double room = margin * std::max(0.3, std::log10(high_ / low_));
        low_ = std::log10(low_) - room;
        high_ = std::log10(high_) + room;
    }

    [[nodiscard]] std::string svg() const {
        std::string out = fmt::format(
            "<svg role=\"img\" aria-label=\"The speedup among the tiers\" width=\"100%\" "
            "height=\"{}\">\n",
            height);
        const double from = std::min(x(1), x(timing_.speedup));
        out += fmt::format(
            "<rect class=\"bar\" x=\"{:.1f}%\" y=\"{}\" width=\"{:.1f}%\" height=\"14\"/>\n", from,
            floor - 16, std::abs(x(timing_.speedup) - x(1)));
        out += fmt::format("<line class=\"axis\" x1=\"0\" x2=\"100%\" y1=\"{0}\" y2=\"{0}\"/>\n",
                           floor);
        out += tick("axis", 1, "baseline", first_row);
        double before = x(1);
        int row = first_row;
        for (const double tier : tiers_) {
            // A label close to the one before goes into the other row.
            constexpr double close = 14;
            row = std::abs(x(tier) - before) < close && row == first_row ? second_row : first_row;
            before = x(tier);
            out += tick("tier", tier, fmt::format("{:g}×", tier), row);
        }
        if (timing_.basis == TimingOutcome::Basis::measured && timing_.low > 0 &&
            std::isfinite(timing_.high))
            out += fmt::format(
                "<line class=\"box\" x1=\"{:.1f}%\" x2=\"{:.1f}%\" y1=\"{}\" y2=\"{}\"/>\n",
                x(timing_.low), x(timing_.high), floor - 9, floor - 9);
        return out +
               fmt::format(
                   "<text x=\"{:.1f}%\" y=\"{}\" text-anchor=\"{}\">here: {:.3g}×</text>\n</svg>\n",
                   x(timing_.speedup), floor + 17, anchor(x(timing_.speedup)), timing_.speedup);
    }

private:
    static constexpr int height = 82, floor = 60, first_row = 11, second_row = 25;

    [[nodiscard]] double x(double speedup) const {
        return std::clamp(100 * (std::log10(speedup) - low_) / (high_ - low_), 0.0, 100.0);
    }

    [[nodiscard]] static std::string_view anchor(double at) {
        return at < 7 ? "start" : at > 93 ? "end" : "middle";
    }

    [[nodiscard]] std::string tick(std::string_view kind, double speedup, std::string_view words,
                                   int row) const {
        return fmt::format(
            "<line class=\"{0}\" x1=\"{1:.1f}%\" x2=\"{1:.1f}%\" y1=\"{2}\" y2=\"{3}\"/>"
            "<text x=\"{1:.1f}%\" y=\"{4}\" text-anchor=\"{5}\">{6}</text>\n",
            kind, x(speedup), row + 4, floor + 4, row, anchor(x(speedup)), words);
    }

    const TimingOutcome& timing_;
    std::vector<double> tiers_;
    double low_ = 0, high_ = 0;
};

std::string percent_text(double share) { return points_text(100 * share) + " %"; }

/// The figure in words.
std::string caption(const TaskReport& task, const std::vector<Tier>& tiers) {
    const TimingOutcome& timing = *task.outcome.timing;
    std::string out =
        fmt::format("{}× the baseline, {}.", speedup_text(task),
                    timing.basis == TimingOutcome::Basis::modelled ? "modelled" : "measured");
    for (const Tier& tier : tiers)
        out += fmt::format(" {:g}× gives {} of the points for speed{}.", tier.speedup,
                           percent_text(tier.credit),
                           task.credit >= tier.credit ? " and is reached" : "");
    if (tiers.empty() && task.next_tier > 0)
        out += fmt::format(" The next tier is at {:g}×.", task.next_tier);
    if (task.verdict != Verdict::accepted)
        out += task.performance.earned > 0
                   ? " Not all results are right, so it counts by the share that is."
                   : " It does not count: not all results are right.";
    return out;
}

std::string figure(const TaskReport& task, const std::vector<Tier>& tiers) {
    const TimingOutcome& timing = *task.outcome.timing;
    if (!(timing.speedup > 0) || !std::isfinite(timing.speedup)) return "";
    std::vector<double> places;
    for (const Tier& tier : tiers)
        if (tier.speedup > 0) places.push_back(tier.speedup);
    if (tiers.empty() && task.next_tier > 0) places.push_back(task.next_tier);
    return fmt::format("<figure>\n{}<figcaption>{}</figcaption></figure>\n",
                       TierFigure(timing, std::move(places)).svg(), caption(task, tiers));
}

std::string speed(const Report& report, const TaskReport& task, const Style& style) {
    // Where a task fails without having been timed, why it fails is what there is to say.
    const bool is_lost = !task.outcome.timing && task.performance.judged > 0;
    const bool has_points = task.performance.possible > 0;
    if (is_lost || (!has_points && !task.outcome.timing)) return "";
    std::string out = "<h3>Speed</h3>\n";
    out += has_points ? fmt::format("<p>{} points ({}).</p>\n", points_of(task.performance),
                                    prose(speed_of(task, "×")))
                      : "<p>No points for it.</p>\n";
    if (!task.outcome.timing) return out;
    const TimingOutcome& timing = *task.outcome.timing;
    out += figure(task, tiers_of(task, style));
    if (timing.basis == TimingOutcome::Basis::measured && !timing.samples.empty())
        out += fmt::format(
            "<p class=\"quiet\">Measured on {}: {}.</p>\n",
            escaped(timing.measured_on.empty() ? report.provenance.device : timing.measured_on),
            prose(measured_text(task, timing, "×")));
    if (timing.basis == TimingOutcome::Basis::modelled && task.next_tier > 0)
        out += fmt::format("<p>Modelled on an {}: {}.</p>\n", escaped(timing.modelled_on),
                           prose(modelled_text(timing)));
    return out;
}

std::string technique(const TaskReport& task) {
    if (!task.technique || task.technique->measures.empty()) return "";
    std::string out =
        fmt::format("<h3>Technique</h3>\n<p>{} points. Counted on the emulated GPU:</p>\n<ul>\n",
                    points_of(task.technique->score));
    for (const Measure& one : task.technique->measures)
        out += fmt::format(
            "<li><span class=\"{}\"><span aria-hidden=\"true\">{} </span>{}:</span> {}</li>\n",
            one.kept() ? "good" : "bad", one.kept() ? "✓" : "✗", one.kept() ? "kept" : "not kept",
            prose(measure_text(one)));
    return out +
           fmt::format(
               "</ul>\n<p class=\"quiet\">Line by line: <code>cugrade profile --task {}</code></p>"
               "\n",
               escaped(task.name));
}

}  // namespace

std::string speed_section(const Report& report, std::size_t number, const Style& style) {
    const TaskReport& task = report.tasks[number];
    return speed(report, task, style) + technique(task);
}

}  // namespace cugrade::report
