#include "report/task_text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/rounding.hpp"
#include "core/technique.hpp"
#include "report/format.hpp"
#include "report/not_judged.hpp"

namespace cugrade::report {
namespace {

/// Advice for each bottleneck, by its name in the time model.
std::string_view advice_on(std::string_view limit) {
    static constexpr std::pair<std::string_view, std::string_view> all[] = {
        {"instructions",
         "each element costs too many instructions: take what is the same for all "
         "out of the loop, and give a thread several elements"},
        {"L1 and shared memory",
         "accesses to shared memory and L1 take turns: keep values in registers, load wider, and "
         "let lanes use different banks"},
        {"L2",
         "warps ask for many lines of memory: let neighbouring threads touch neighbouring "
         "elements, and keep what is used again in shared memory"},
        {"DRAM", "the data are moved as fast as memory can: move them fewer times"},
        {"atomics",
         "atomics on the same places take turns: first add up within the thread, the "
         "warp or the block"},
        {"latency",
         "too little is under way at once: more threads, or several independent loads "
         "per thread"},
        {"launches", "launching kernels takes most of it: fewer launches, with more to do in each"},
        {"host",
         "allocations and copies between host and device take most of it: avoid them in "
         "the function"},
    };
    const auto found = std::ranges::find(all, limit, [](const auto& row) { return row.first; });
    return found == std::end(all) ? "" : found->second;
}

std::string microseconds_text(double us) {
    return us < 1e3   ? fmt::format("{:.3g} us", us)
           : us < 1e6 ? fmt::format("{:.3g} ms", us / 1e3)
                      : fmt::format("{:.3g} s", us / 1e6);
}

}  // namespace

std::string seconds_text(double s) {
    if (!(s >= 0.01)) return fmt::format("{:.0f} ms", s * 1000);
    return s < 10 ? fmt::format("{:.2f} s", s) : fmt::format("{:.1f} s", s);
}

std::string points_of(const Score& score) {
    if (score.judged == 0) return fmt::format("- of {}", points_text(score.possible));
    return fmt::format("{} of {}", points_text(score.earned), points_text(score.judged));
}

std::string cases_right(const TaskReport& task) {
    int accepted = 0, judged = 0;
    for (const auto& c : task.outcome.cases) {
        accepted += c.verdict == Verdict::accepted ? 1 : 0;
        judged += is_judged(c.verdict) ? 1 : 0;
    }
    return fmt::format("{}/{}", accepted, judged);
}

double rounded_below(double speedup, double next_tier, int digits) {
    return next_tier > 0 ? -rounded_beside(-speedup, -next_tier, digits) : rounded(speedup, digits);
}

std::string speedup_text(const TaskReport& task) {
    const double speedup = task.outcome.timing->speedup;
    const double shown = rounded_below(speedup, task.next_tier, 3);
    return shown == rounded(speedup, 3) ? fmt::format("{:.3g}", speedup) : fmt::format("{}", shown);
}

std::string speed_of(const TaskReport& task, std::string_view times) {
    if (task.performance.possible == 0) return "no points for it";
    const auto& timing = task.outcome.timing;
    if (!timing)
        return task.performance.judged > 0 ? "lost: not all right"
               : !task.outcome.untimed     ? "not measured"
                                           : text(task.outcome.untimed);
    auto out = speedup_text(task) + std::string(times);
    if (task.verdict != Verdict::accepted)
        out += task.performance.earned > 0 ? ", counts in part" : ", does not count";
    else if (task.next_tier > 0)
        out += fmt::format(", next tier at {:g}{}", task.next_tier, times);
    if (timing->basis == TimingOutcome::Basis::modelled) out += ", modelled";
    if (timing->boundary > 0) out += fmt::format(", on the line of {:g}", timing->boundary);
    return out;
}

std::string measured_text(const TaskReport& task, const TimingOutcome& timing,
                          std::string_view times) {
    std::string text =
        fmt::format("{:.4g}{} ({:.4g} to {:.4g}), {} a call against the baseline's {}",
                    timing.speedup, times, timing.low, timing.high,
                    microseconds_text(timing.submission_us), microseconds_text(timing.baseline_us));
    text += fmt::format("; {} by its own events", microseconds_text(timing.submission_claim_us));
    if (timing.outside_us > 0)
        text += fmt::format(", and {} waited for the GPU before and after its calls",
                            microseconds_text(timing.outside_us));
    text += fmt::format("; {} rounds", timing.samples.size());
    if (timing.calls > 0)
        text += fmt::format(" of {} call{}", timing.calls, timing.calls == 1 ? "" : "s");
    if (timing.baseline_us > timing.baseline_share * timing.baseline_alone_us &&
        timing.baseline_alone_us > 0)
        text += fmt::format(", in which the baseline counts as {}, {:g}{} what it takes alone",
                            microseconds_text(timing.baseline_share * timing.baseline_alone_us),
                            timing.baseline_share, times);
    if (timing.dropped > 0)
        text += fmt::format(", and {} that {} not count, because {}", timing.dropped,
                            timing.dropped == 1 ? "does" : "do", timing.dropped_because);
    if (timing.boundary > 0)
        text += fmt::format("; the interval does not decide the tier at {:g}{}, which is {}",
                            timing.boundary, times,
                            task.verdict == Verdict::accepted ? "given" : "lost all the same");
    return text;
}

std::string modelled_text(const TimingOutcome& timing) {
    return fmt::format(
        "{} against the baseline's {}; limited by {}: {}", microseconds_text(timing.submission_us),
        microseconds_text(timing.baseline_us), timing.limited_by, advice_on(timing.limited_by));
}

std::string measure_text(const Measure& measure) {
    if (std::isnan(measure.value)) return "no kernel was launched, so nothing was counted";
    const auto metric = std::ranges::find(technique_metrics, std::string_view(measure.metric),
                                          &TechniqueMetric::name);
    std::string text = fmt::format(
        "{:.3g} {}, at most {:g} allowed", measure.value,
        metric == technique_metrics.end() ? std::string_view(measure.metric) : metric->meaning,
        measure.max);
    if (measure.location && measure.location->line > 0)
        text +=
            fmt::format(" (most of it in {}:{})", measure.location->file, measure.location->line);
    return text;
}

}  // namespace cugrade::report
