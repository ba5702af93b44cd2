// The report for people: one row per task, then what is wrong with each failed one, then the score.
//
// Text is laid out in columns first and painted afterwards, so that colour never moves anything. A
// column is what a terminal makes of a code point: two for the wide ones of East Asia, else one.
// Cases that fail alike are told once.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/technique.hpp"
#include "report/formats.hpp"

namespace cugrade::report {
namespace {

constexpr int min_width = 40;
constexpr std::size_t max_details = 3;  // failures told in full per task
constexpr std::size_t max_compiler_lines = 40;
constexpr std::size_t max_warning_lines = 10;  // of the compiler, where it did succeed

enum class Tone { plain, strong, dim, good, bad, unsure };

std::string_view escape(Tone tone) {
    switch (tone) {
        case Tone::strong: return "\x1b[1m";
        case Tone::dim: return "\x1b[2m";
        case Tone::good: return "\x1b[32m";
        case Tone::bad: return "\x1b[31m";
        case Tone::unsure: return "\x1b[33m";
        case Tone::plain: break;
    }
    return "";
}

struct Glyphs {
    std::string_view accepted, failed, unjudged, separator, ellipsis, arrow, times;
};
constexpr Glyphs unicode_glyphs{"✓", "✗", "○", " · ", "…", "→ ", "×"};
constexpr Glyphs ascii_glyphs{"+", "x", "-", ", ", "~", "> ", "x"};

int columns_of(char32_t c) {
    const bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                      (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                      (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                      (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) ||
                      (c >= 0x20000 && c <= 0x3FFFD);
    return wide ? 2 : 1;
}

/// Bytes of `text` that fit into `width` columns.
std::size_t fitting(std::string_view text, int width) {
    std::size_t at = 0;
    while (at < text.size()) {
        std::size_t next = at;
        width -= columns_of(next_code_point(text, next).value_or(U'?'));
        if (width < 0) break;
        at = next;
    }
    return at;
}

int columns(std::string_view text) {
    int out = 0;
    for (std::size_t at = 0; at < text.size();)
        out += columns_of(next_code_point(text, at).value_or(U'?'));
    return out;
}

struct Piece {
    std::string text;
    Tone tone = Tone::plain;
};

/// Writes lines that are never wider than the page.
class Page {
public:
    explicit Page(const Style& style)
        : glyphs(style.unicode ? unicode_glyphs : ascii_glyphs),
          width(std::max(style.width, min_width)),
          style_(style) {}

    const Glyphs& glyphs;
    const int width;

    [[nodiscard]] std::string cut(std::string_view text, int limit) const {
        if (columns(text) <= limit) return std::string(text);
        if (limit < 1) return "";
        const auto kept = text.substr(0, fitting(text, limit - 1));
        return std::string(kept) + std::string(glyphs.ellipsis);
    }

    void blank() { out_ += '\n'; }

    void line(const std::vector<Piece>& pieces) {
        int left = width;
        std::string text;
        for (const auto& piece : pieces) {
            const auto shown = cut(piece.text, left);
            left -= columns(shown);
            // Nothing is painted that is not seen, and no space is left at the end of a line.
            const bool painted = style_.colour && piece.tone != Tone::plain && !shown.empty();
            if (painted) text += escape(piece.tone);
            text += shown;
            if (painted) text += "\x1b[0m";
        }
        text.erase(text.find_last_not_of(' ') + 1);
        out_ += text + '\n';
    }

    /// Breaks at spaces, or within a word that is wider than a line; later lines are indented by
    /// `hang` more.
    void paragraph(int indent, int hang, std::string_view text, Tone tone = Tone::plain) {
        std::string row;
        int room = width - indent;
        int used = 0;
        const auto flush = [&] {
            line({{std::string(static_cast<std::size_t>(indent), ' ')}, {row, tone}});
            row.clear();
            used = 0;
        };
        bool first = true;
        while (!text.empty()) {
            const auto space = text.find(' ');
            auto word = text.substr(0, space);
            text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
            if (word.empty()) continue;
            while (!word.empty()) {
                const int gap = used > 0 ? 1 : 0;
                const int wide = columns(word);
                if (used + gap + wide <= room) {
                    if (gap > 0) row += ' ';
                    row += word;
                    used += gap + wide;
                    word = {};
                    continue;
                }
                if (used == 0) {
                    const auto part = fitting(word, room);
                    row += word.substr(0, part);
                    used = room;
                    word.remove_prefix(part);
                }
                flush();
                if (first) {
                    indent += hang;
                    room -= hang;
                    first = false;
                }
            }
        }
        if (used > 0) flush();
    }

    [[nodiscard]] std::string text() const {
        if (style_.unicode) return out_;
        std::string ascii;
        for (std::size_t at = 0; at < out_.size();) {
            const auto code = next_code_point(out_, at);
            ascii += code && *code < 0x80 ? static_cast<char>(*code) : '?';
        }
        return ascii;
    }

private:
    Style style_;
    std::string out_;
};

std::string repeated(std::size_t n) { return std::string(n, ' '); }

std::string padded(const std::string& text, int width, bool right) {
    const auto fill = repeated(static_cast<std::size_t>(std::max(0, width - columns(text))));
    return right ? fill + text : text + fill;
}

std::string seconds_text(double s) {
    if (!(s >= 0.01)) return fmt::format("{:.0f} ms", s * 1000);
    return s < 10 ? fmt::format("{:.2f} s", s) : fmt::format("{:.1f} s", s);
}

Tone tone_of(Verdict v) {
    return v == Verdict::accepted ? Tone::good : is_judged(v) ? Tone::bad : Tone::unsure;
}

std::string_view mark(const Page& page, Verdict v) {
    return v == Verdict::accepted ? page.glyphs.accepted
           : is_judged(v)         ? page.glyphs.failed
                                  : page.glyphs.unjudged;
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

/// Told below the table.
bool long_note(const TaskReport& task) {
    return !task.outcome.timing && columns(task.outcome.timing_note) > 32;
}

std::string speed_cell(const TaskReport& task, const Page& page) {
    if (task.performance.possible == 0) return "no points for it";
    const auto& timing = task.outcome.timing;
    if (!timing)
        return task.performance.judged > 0        ? "lost: not all right"
               : task.outcome.timing_note.empty() ? "not measured"
               : long_note(task)                  ? "not judged: see below"
                                                  : task.outcome.timing_note;
    auto text = fmt::format("{:.3g}{}", timing->speedup, page.glyphs.times);
    if (task.verdict != Verdict::accepted)
        text += ", does not count";
    else if (task.next_tier > 0)
        text += fmt::format(", next tier at {:g}{}", task.next_tier, page.glyphs.times);
    if (timing->basis == TimingOutcome::Basis::modelled) text += ", modelled";
    if (timing->boundary > 0) text += fmt::format(", on the line of {:g}", timing->boundary);
    return text;
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
    // Too narrow: long names give way first, then what is told below as well.
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

/// The message of an output with one element has all that a table of it would say.
bool says_all(const CaseOutcome& c) {
    return c.element_count == 1 && c.mismatches.size() == 1 &&
           c.message.find(c.mismatches[0].expected) != std::string::npos &&
           c.message.find(c.mismatches[0].got) != std::string::npos;
}

void write_mismatches(Page& page, const CaseOutcome& c, int indent) {
    if (says_all(c)) return;
    if (!c.mismatches.empty()) {
        std::array<std::vector<std::string>, 3> cells{{{"element"}, {"expected"}, {"got"}}};
        for (const auto& m : c.mismatches) {
            auto element = m.argument;
            if (m.coordinates.size() > 1)
                for (const auto i : m.coordinates) element += fmt::format("[{}]", i);
            else
                element += fmt::format("[{}]", m.index);
            cells[0].push_back(element);
            cells[1].push_back(m.expected);
            cells[2].push_back(m.got);
        }
        std::array<int, 3> widths{};
        for (std::size_t i = 0; i < 3; ++i)
            for (const auto& cell : cells[i]) widths[i] = std::max(widths[i], columns(cell));
        const int most = (page.width - indent - 2 * 3) / 3;
        for (std::size_t row = 0; row < cells[0].size(); ++row) {
            std::vector<Piece> pieces{{repeated(static_cast<std::size_t>(indent))}};
            for (std::size_t i = 0; i < 3; ++i) {
                // The last column takes what is left; wide values are cut only if all do not fit.
                const bool tight = indent + widths[0] + widths[1] + widths[2] + 6 > page.width;
                const int limit = tight ? std::min(widths[i], most) : widths[i];
                pieces.push_back(
                    {(i > 0 ? "   " : "") + padded(page.cut(cells[i][row], limit), limit, i > 0),
                     row == 0 ? Tone::dim : Tone::plain});
            }
            page.line(pieces);
        }
    }
    const auto total = std::max(c.element_count, c.mismatch_count);
    const auto count = fmt::format("{} of {}", c.mismatch_count, total);
    if (c.mismatch_count > 0 && c.message.find(count) == std::string::npos)
        page.paragraph(indent, 2,
                       fmt::format("{} element{} wrong", count,
                                   total == 1              ? " is"
                                   : c.mismatch_count == 1 ? "s is"
                                                           : "s are"),
                       Tone::dim);
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

/// Limits on counters: those that are broken one by one, the others together.
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

/// What to do about what limits a kernel; the names are those of the time model.
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

/// What was measured, and how sure it is.
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
        const bool measured =
            timing && timing->basis == TimingOutcome::Basis::measured && !timing->samples.empty();
        if (!measured && !long_note(task)) continue;
        if (!any) {
            page.blank();
            page.line({{"speed", Tone::strong},
                       {fmt::format(", measured on {}", measured && !timing->measured_on.empty()
                                                            ? timing->measured_on
                                                            : report.provenance.device),
                        Tone::dim}});
        }
        any = true;
        page.paragraph(
            0, 2,
            task.name + ": " +
                (measured ? measured_text(task, *timing, page) : task.outcome.timing_note));
    }
}

/// Where the modelled time goes, of tasks that could be faster.
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

/// Cases of one task that failed in the same way.
struct Failure {
    const CaseOutcome* first;
    std::vector<int> ids;
    std::string pattern;  ///< of all of them, or none: one case's would be chance
    bool told = false;    ///< one before it has the same verdict and the same pattern
};

std::string place(const SourceLocation& location) {
    auto text = location.file;
    if (location.line > 0) text += fmt::format(":{}", location.line);
    if (location.line > 0 && location.column > 0) text += fmt::format(":{}", location.column);
    return text;
}

std::string places(const CheckerFinding& finding) {
    if (!finding.location) return {};
    std::string text = "at " + place(*finding.location);
    if (finding.second_location) text += " and " + place(*finding.second_location);
    return text;
}

bool alike(const CaseOutcome& a, const CaseOutcome& b) {
    if (a.verdict != b.verdict || a.message != b.message ||
        (a.location ? place(*a.location) : "") != (b.location ? place(*b.location) : ""))
        return false;
    // What a checker says is the reason of all the wrong elements, whichever they are.
    if (!a.findings.empty() && !b.findings.empty()) return true;
    return a.pattern == b.pattern && (a.mismatches.empty() || b.mismatches.empty());
}

/// "5, 7-9": ids ascend.
std::string ranges(const std::vector<int>& ids) {
    std::string out;
    for (std::size_t i = 0; i < ids.size();) {
        std::size_t end = i + 1;
        while (end < ids.size() && ids[end] == ids[end - 1] + 1) ++end;
        out += fmt::format("{}{}", out.empty() ? "" : ", ", ids[i]);
        if (end - i > 1) out += fmt::format("{}{}", end - i > 2 ? "-" : ", ", ids[end - 1]);
        i = end;
    }
    return out;
}

void write_failure(Page& page, const Failure& failure, std::size_t case_count) {
    const auto& c = *failure.first;
    auto heading =
        failure.ids.size() == case_count && case_count > 1
            ? std::string("all cases")
            : fmt::format("case{} {}", failure.ids.size() > 1 ? "s" : "", ranges(failure.ids));
    if (failure.ids.size() == 1) {
        if (c.visibility == Visibility::hidden) heading += " (hidden)";
        if (!c.description.empty()) heading += ": " + c.description;
    }
    page.paragraph(2, 4, heading, Tone::strong);
    if (!c.message.empty()) page.paragraph(4, 2, c.message);
    write_mismatches(page, c, 6);
    if (!failure.pattern.empty())
        page.paragraph(4, 2, std::string(page.glyphs.arrow) + failure.pattern, Tone::unsure);
    // Where it is: what made the verdict is among the findings, if it was a checker's.
    const auto decisive = std::ranges::find_if(
        c.findings, [&c](const CheckerFinding& f) { return !f.warning && f.message == c.message; });
    if (decisive != c.findings.end())
        page.paragraph(4, 2, places(*decisive));
    else if (c.location)
        page.paragraph(4, 2, "at " + place(*c.location));
    for (auto f = c.findings.begin(); f != c.findings.end(); ++f) {
        if (f->warning || f == decisive) continue;
        page.paragraph(4, 2, "also: " + f->message);
        page.paragraph(6, 2, places(*f));
    }
}

/// The failures of one task, or of several that failed alike in every case, as when nothing
/// compiles.
struct Failures {
    std::string tasks;  ///< "sum, max"
    std::size_t case_count = 0;
    /// The worst verdict first, then those that tell something new, then in the order of the cases.
    std::vector<Failure> list;
    std::map<std::string, std::vector<int>> skipped;  ///< by reason, but for the want of a GPU

    [[nodiscard]] bool whole() const {
        return list.size() == 1 && list.front().ids.size() == case_count;
    }
};

Failures failures_of(const TaskReport& task) {
    Failures out{
        .tasks = task.name, .case_count = task.outcome.cases.size(), .list = {}, .skipped = {}};
    for (const auto& c : task.outcome.cases) {
        if (c.verdict == Verdict::accepted) continue;
        if (c.verdict == Verdict::skipped) {
            if (c.message != needs_gpu_note) out.skipped[c.message].push_back(c.id);
            continue;
        }
        const auto same =
            std::ranges::find_if(out.list, [&](const Failure& f) { return alike(*f.first, c); });
        if (same == out.list.end())
            out.list.push_back({.first = &c, .ids = {c.id}, .pattern = c.pattern});
        else {
            same->ids.push_back(c.id);
            if (same->pattern != c.pattern) same->pattern.clear();
        }
    }
    for (auto f = out.list.begin(); f != out.list.end(); ++f)
        f->told = !f->pattern.empty() && std::any_of(out.list.begin(), f, [&](const Failure& g) {
            return g.first->verdict == f->first->verdict && g.pattern == f->pattern;
        });
    std::ranges::stable_sort(out.list, [](const Failure& a, const Failure& b) {
        return std::pair(a.first->verdict, !a.told) > std::pair(b.first->verdict, !b.told);
    });
    return out;
}

void write_failures(Page& page, const Failures& failures) {
    const auto& list = failures.list;
    std::size_t shown = 0;
    for (std::size_t i = 0; i < list.size();) {
        const auto verdict = list[i].first->verdict;
        std::size_t end = i;
        while (end < list.size() && list[end].first->verdict == verdict) ++end;
        page.blank();
        const auto heading =
            fmt::format("{} {}: {}", mark(page, verdict), failures.tasks, name(verdict));
        const auto explanation = fmt::format(", {}", meaning(verdict));
        if (columns(heading + explanation) <= page.width) {
            page.line({{heading, tone_of(verdict)}, {explanation, Tone::dim}});
        } else {
            page.paragraph(0, 2, heading, tone_of(verdict));
            page.paragraph(2, 0, meaning(verdict), Tone::dim);
        }
        std::size_t left = 0;
        for (std::size_t k = i; k < end; ++k) {
            if (k == i || shown < max_details) {
                write_failure(page, list[k], failures.case_count);
                ++shown;
            } else {
                left += list[k].ids.size();
            }
        }
        if (left > 0)
            page.line({{fmt::format("  and {} more case{} with the same verdict", left,
                                    left == 1 ? "" : "s"),
                        Tone::dim}});
        i = end;
    }
    if (list.empty()) return;
    for (const auto& [why, ids] : failures.skipped)
        page.paragraph(2, 4,
                       fmt::format("skipped case{} {}{}{}", ids.size() > 1 ? "s" : "", ranges(ids),
                                   why.empty() ? "" : ": ", why),
                       Tone::dim);
}

void write_failures(Page& page, const Report& report) {
    std::vector<Failures> all;
    for (const auto& task : report.tasks) {
        auto failures = failures_of(task);
        const auto same = std::ranges::find_if(all, [&](const Failures& f) {
            return f.whole() && failures.whole() &&
                   alike(*f.list.front().first, *failures.list.front().first);
        });
        if (same == all.end())
            all.push_back(std::move(failures));
        else
            same->tasks += ", " + task.name;
    }
    for (const auto& failures : all) write_failures(page, failures);
}

/// Warnings of the checkers, each once per task.
void write_warnings(Page& page, const Report& report) {
    bool any = false;
    for (const auto& task : report.tasks) {
        std::vector<std::string> said;
        for (const auto& c : task.outcome.cases)
            for (const auto& f : c.findings) {
                const std::string where = f.kind + places(f);
                if (!f.warning || std::ranges::find(said, where) != said.end()) continue;
                said.push_back(where);
                if (!any) {
                    page.blank();
                    page.line({{"warnings", Tone::strong}, {", which cost no points", Tone::dim}});
                }
                any = true;
                page.paragraph(0, 2, fmt::format("{}: {}", task.name, f.message), Tone::unsure);
                page.paragraph(2, 2, places(f));
            }
    }
}

void write_compiler_output(Page& page, const Report& report) {
    if (report.compile_output.empty()) return;
    const bool fatal = std::ranges::any_of(report.tasks, [](const TaskReport& task) {
        return task.verdict == Verdict::compile_error || task.verdict == Verdict::forbidden;
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
        // Indentation carries the caret under the source line, so lines are broken where they end.
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
    write_technique(page, report);
    write_measured(page, report);
    write_modelled(page, report);
    write_failures(page, report);
    write_warnings(page, report);
    write_compiler_output(page, report);
    write_footer(page, report);
    return page.text();
}

}  // namespace cugrade::report
