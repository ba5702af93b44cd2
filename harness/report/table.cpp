// The report for people: one row per task, then why tasks fail, then what is wrong with each failed
// one, then the score.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/technique.hpp"
#include "report/formats.hpp"
#include "report/not_judged.hpp"
#include "report/page.hpp"
#include "report/table_causes.hpp"
#include "report/table_failures.hpp"

namespace cugrade::report {
namespace {

constexpr std::size_t max_compiler_lines = 40;
constexpr std::size_t max_warning_lines = 10;  // of a compiler that succeeded

std::string seconds_text(double s) {
    if (!(s >= 0.01)) return fmt::format("{:.0f} ms", s * 1000);
    return s < 10 ? fmt::format("{:.2f} s", s) : fmt::format("{:.1f} s", s);
}

std::string points_cell(const TaskReport& task) {
    if (task.score.judged == 0) return fmt::format("- of {}", points_text(task.score.possible));
    return fmt::format("{} of {}", points_text(task.score.earned), points_text(task.score.judged));
}

std::string cases_cell(const TaskReport& task) {
    int accepted = 0, judged = 0;
    for (const auto& c : task.outcome.cases) {
        accepted += c.verdict == Verdict::accepted ? 1 : 0;
        judged += is_judged(c.verdict) ? 1 : 0;
    }
    return fmt::format("{}/{}", accepted, judged);
}

/// A reason too long for its cell is printed below the table.
bool long_note(const TaskReport& task) {
    return !task.outcome.timing && columns(text(task.outcome.untimed)) > 32;
}

std::string speed_cell(const TaskReport& task, const Page& page) {
    if (task.performance.possible == 0) return "no points for it";
    const auto& timing = task.outcome.timing;
    if (!timing)
        return task.performance.judged > 0 ? "lost: not all right"
               : !task.outcome.untimed     ? "not measured"
               : long_note(task)           ? "not judged: see below"
                                           : text(task.outcome.untimed);
    auto cell = fmt::format("{:.3g}{}", timing->speedup, page.glyphs.times);
    if (task.verdict != Verdict::accepted)
        cell += ", does not count";
    else if (task.next_tier > 0)
        cell += fmt::format(", next tier at {:g}{}", task.next_tier, page.glyphs.times);
    if (timing->basis == TimingOutcome::Basis::modelled) cell += ", modelled";
    if (timing->boundary > 0) cell += fmt::format(", on the line of {:g}", timing->boundary);
    return cell;
}

void write_tasks(Page& page, const Report& report) {
    struct Column {
        std::string title;
        bool right;
        std::vector<std::string> cells;
        int width = 0;
    };
    std::vector<Column> table{{"task", false, {}},
                              {"points", true, {}},
                              {"cases", true, {}},
                              {"speed", false, {}},
                              {"verdict", false, {}}};
    for (const auto& task : report.tasks) {
        table[0].cells.push_back(task.name);
        table[1].cells.push_back(points_cell(task));
        table[2].cells.push_back(cases_cell(task));
        table[3].cells.push_back(speed_cell(task, page));
        table[4].cells.emplace_back(name(task.verdict));
    }
    constexpr int gap = 3;
    int total = 2 - gap;
    for (auto& column : table) {
        column.width = columns(column.title);
        for (const auto& cell : column.cells) column.width = std::max(column.width, columns(cell));
        total += gap + column.width;
    }
    // On a narrow page, long names are cut first, then columns that are repeated below the table.
    auto& names = table.front();
    while (total > page.width && names.width > 12) --names.width, --total;
    while (total > page.width && table.size() > 3) {
        total -= gap + table.back().width;
        table.pop_back();
    }

    std::vector<Piece> header{{"  "}};
    for (std::size_t i = 0; i < table.size(); ++i)
        header.push_back(
            {(i > 0 ? repeated(gap) : "") + padded(table[i].title, table[i].width, table[i].right),
             Tone::dim});
    page.line(header);
    for (std::size_t row = 0; row < report.tasks.size(); ++row) {
        const auto& task = report.tasks[row];
        const auto tone = tone_of(task.verdict);
        std::vector<Piece> pieces{{std::string(mark(page, task.verdict)), tone}, {" "}};
        for (std::size_t i = 0; i < table.size(); ++i) {
            const auto& column = table[i];
            if (i > 0) pieces.push_back({repeated(gap)});
            const bool unjudged = i == 3 && task.performance.possible > task.performance.judged;
            pieces.push_back(
                {padded(page.cut(column.cells[row], column.width), column.width, column.right),
                 i == 0     ? Tone::strong
                 : i == 4   ? tone
                 : unjudged ? Tone::unsure
                            : Tone::plain});
        }
        page.line(pieces);
    }
}

std::string measure_text(const TaskReport& task, const Measure& measure) {
    if (std::isnan(measure.value))
        return fmt::format("{}: no kernel was launched, so nothing was counted", task.name);
    const auto metric = std::ranges::find(technique_metrics, std::string_view(measure.metric),
                                          &TechniqueMetric::name);
    std::string text = fmt::format(
        "{}: {:.3g} {}, at most {:g} allowed", task.name, measure.value,
        metric == technique_metrics.end() ? std::string_view(measure.metric) : metric->meaning,
        measure.max);
    if (measure.location && measure.location->line > 0)
        text +=
            fmt::format(" (most of it in {}:{})", measure.location->file, measure.location->line);
    return text;
}

/// Limits on counters: broken ones one by one, kept ones together.
void write_technique(Page& page, const Report& report) {
    std::string kept;
    bool any = false;
    const auto title = [&] {
        if (any) return;
        any = true;
        page.blank();
        page.line({{"technique", Tone::strong}, {", counted on the emulated GPU", Tone::dim}});
    };
    for (const TaskReport& task : report.tasks) {
        if (!task.technique || task.technique->measures.empty()) continue;
        title();
        const auto& [score, measures] = *task.technique;
        if (std::ranges::all_of(measures, &Measure::kept)) {
            kept += (kept.empty() ? "" : ", ") + task.name;
            continue;
        }
        for (const Measure& measure : measures)
            if (!measure.kept())
                page.paragraph(
                    0, 2, fmt::format("{} {}", page.glyphs.failed, measure_text(task, measure)),
                    Tone::bad);
        page.paragraph(
            2, 2,
            fmt::format("{} of {} points; `cugrade profile --task {}` shows it line by line",
                        points_text(score.earned), points_text(score.judged), task.name),
            Tone::dim);
    }
    if (!kept.empty())
        page.paragraph(0, 2, fmt::format("{} {}: within the limits", page.glyphs.accepted, kept));
}

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

/// The measured times and their confidence.
std::string measured_text(const TaskReport& task, const TimingOutcome& timing, const Page& page) {
    std::string text =
        fmt::format("{:.4g}{} ({:.4g} to {:.4g}), {} a call against the baseline's {}",
                    timing.speedup, page.glyphs.times, timing.low, timing.high,
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
                            timing.baseline_share, page.glyphs.times);
    if (timing.dropped > 0)
        text += fmt::format(", and {} that {} not count, because {}", timing.dropped,
                            timing.dropped == 1 ? "does" : "do", timing.dropped_because);
    if (timing.boundary > 0)
        text += fmt::format("; the interval does not decide the tier at {:g}{}, which is {}",
                            timing.boundary, page.glyphs.times,
                            task.verdict == Verdict::accepted ? "given" : "lost all the same");
    return text;
}

void write_measured(Page& page, const Report& report) {
    bool any = false;
    for (const TaskReport& task : report.tasks) {
        const auto& timing = task.outcome.timing;
        if (!timing || timing->basis != TimingOutcome::Basis::measured || timing->samples.empty())
            continue;
        if (!any) {
            page.blank();
            page.line({{"speed", Tone::strong},
                       {", measured on " + (timing->measured_on.empty() ? report.provenance.device
                                                                        : timing->measured_on),
                        Tone::dim}});
        }
        any = true;
        page.paragraph(0, 2, task.name + ": " + measured_text(task, *timing, page));
    }
}

/// Why there is no speedup, if the reason does not fit into the table.
void write_unjudged_speed(Page& page, const Report& report) {
    bool any = false;
    for (const TaskReport& task : report.tasks) {
        if (!long_note(task)) continue;
        if (!any) {
            page.blank();
            page.line({{"speed", Tone::strong}, {", not judged", Tone::dim}});
        }
        any = true;
        page.paragraph(0, 2, task.name + ": " + text(task.outcome.untimed));
    }
}

/// Where the modelled time goes, for tasks that could be faster.
void write_modelled(Page& page, const Report& report) {
    bool any = false;
    for (const TaskReport& task : report.tasks) {
        const auto& timing = task.outcome.timing;
        if (!timing || timing->basis != TimingOutcome::Basis::modelled || task.next_tier == 0 ||
            task.performance.possible == 0)
            continue;
        if (!any) {
            page.blank();
            page.line({{"speed", Tone::strong},
                       {fmt::format(", modelled on an {}", timing->modelled_on), Tone::dim}});
        }
        any = true;
        page.paragraph(
            0, 2,
            fmt::format("{} {}: {} against the baseline's {}; limited by {}: {}",
                        page.glyphs.failed, task.name, microseconds_text(timing->submission_us),
                        microseconds_text(timing->baseline_us), timing->limited_by,
                        advice_on(timing->limited_by)));
    }
}

void write_compiler_output(Page& page, const Report& report) {
    if (report.compile_output.empty()) return;
    const bool fatal = std::ranges::any_of(report.tasks, [](const TaskReport& task) {
        return task.verdict == Verdict::function_missing ||
               task.verdict == Verdict::compile_error || task.verdict == Verdict::forbidden;
    });
    const auto most = fatal ? max_compiler_lines : max_warning_lines;
    page.blank();
    page.line({{"what the compiler said", Tone::strong}});
    std::size_t count = 0;
    for (std::string_view rest = report.compile_output; !rest.empty(); ++count) {
        const auto end = rest.find('\n');
        auto text = std::string(rest.substr(0, end));
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        if (count >= most) continue;
        for (std::size_t tab; (tab = text.find('\t')) != std::string::npos;)
            text.replace(tab, 1, repeated(4));
        // The caret's indentation points into the source line above, so these lines are not wrapped
        // at spaces.
        do {
            const auto part = std::max<std::size_t>(fitting(text, page.width - 2), 1);
            page.line({{"  "}, {text.substr(0, part)}});
            text.erase(0, std::min(part, text.size()));
        } while (!text.empty());
    }
    if (count > most)
        page.line({{fmt::format("  and {} more line{}, which the JSON report has", count - most,
                                count - most == 1 ? "" : "s"),
                    Tone::dim}});
}

void write_footer(Page& page, const Report& report) {
    page.blank();
    page.paragraph(0, 2, score_line(report), Tone::strong);
    std::string time = fmt::format("Time: {}", seconds_text(report.seconds));
    for (std::size_t i = 0; i < report.phases.size(); ++i)
        time += fmt::format("{}{} {}", i == 0 ? " = " : " + ", report.phases[i].name,
                            seconds_text(report.phases[i].seconds));
    page.paragraph(0, 2, time, Tone::dim);
    for (const auto& note : report.notes) page.paragraph(0, 2, "Note: " + note, Tone::dim);
    if (!report.replay.empty()) page.paragraph(0, 2, "Again: " + report.replay, Tone::dim);
}

}  // namespace

std::string write_table(const Report& original, const Style& style) {
    const auto report = presentable(original);
    Page page(style);
    page.line({{report.assignment_title, Tone::strong},
               {fmt::format(" ({})", report.assignment), Tone::dim}});
    auto where =
        report.submission_file + std::string(page.glyphs.separator) + report.provenance.backend;
    if (!report.provenance.device.empty()) where += ": " + report.provenance.device;
    if (!report.student.empty())
        where += fmt::format("{}student {}", page.glyphs.separator, report.student);
    page.paragraph(0, 2, where);
    page.blank();
    write_tasks(page, report);
    write_causes(page, report, style.details);
    write_technique(page, report);
    write_measured(page, report);
    write_unjudged_speed(page, report);
    write_modelled(page, report);
    write_failures(page, report, style.details);
    write_warnings(page, report, style.details);
    write_compiler_output(page, report);
    write_footer(page, report);
    return page.text();
}

}  // namespace cugrade::report
