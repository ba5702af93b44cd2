// The report for people: one row per task, then why tasks fail, then what is wrong with each failed
// one, then the score.

#include <algorithm>

#include <fmt/format.h>

#include "report/formats.hpp"
#include "report/not_judged.hpp"
#include "report/page.hpp"
#include "report/table_causes.hpp"
#include "report/table_failures.hpp"
#include "report/task_text.hpp"

namespace cugrade::report {
namespace {

constexpr std::size_t max_compiler_lines = 40;
constexpr std::size_t max_warning_lines = 10;  // of a compiler that succeeded

/// A reason too long for its cell is printed below the table.
bool has_long_reason(const TaskReport& task) {
    return !task.outcome.timing && columns(text(task.outcome.untimed)) > 32;
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
        table[1].cells.push_back(points_of(task.score));
        table[2].cells.push_back(cases_right(task));
        table[3].cells.push_back(speed_of(task, page.glyphs.times));
        if (has_long_reason(task) && table[3].cells.back() == text(task.outcome.untimed))
            table[3].cells.back() = "not judged: see below";
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
                    0, 2,
                    fmt::format("{} {}: {}", page.glyphs.failed, task.name, measure_text(measure)),
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
        page.paragraph(0, 2, task.name + ": " + measured_text(task, *timing, page.glyphs.times));
    }
}

/// Why there is no speedup, if the reason does not fit into the table.
void write_unjudged_speed(Page& page, const Report& report) {
    bool any = false;
    for (const TaskReport& task : report.tasks) {
        if (!has_long_reason(task)) continue;
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
            0, 2, fmt::format("{} {}: {}", page.glyphs.failed, task.name, modelled_text(*timing)));
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
