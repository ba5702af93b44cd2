#include "report/html_source.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "report/annotations.hpp"
#include "report/html.hpp"
#include "report/html_causes.hpp"
#include "report/html_parts.hpp"
#include "report/task_text.hpp"

namespace cugrade::report {
namespace {

/// Chosen: a longer file opens when asked to.
constexpr std::size_t open_up_to = 400;

/// What is said at one line.
struct Margin {
    std::vector<int> columns;
    std::vector<std::string> notes;  ///< as HTML, each once
};
using Margins = std::map<std::size_t, Margin>;  ///< by line

/// What the report says of places in one file.
class FileMargins {
public:
    FileMargins(const Report& report, const Style& style, const SourceFile& file)
        : style_(style), file_(file) {
        for (std::size_t t = 0; t < report.tasks.size(); ++t) {
            const TaskReport& task = report.tasks[t];
            const auto& causes = task.outcome.causes;
            // Causes that several tasks share are told by the first.
            for (std::size_t c = 0; c < causes.size() && first_alike(report, t) == t; ++c)
                add(task, causes[c], cause_id(t, c));
            for (const Annotation& one : unexplained(task)) add(one, task_id(t));
            if (!task.technique) continue;
            for (const Measure& one : task.technique->measures)
                if (!one.kept() && one.location)
                    add(*one.location, fmt::format("<a href=\"#{}\">{}</a>: {}", task_id(t),
                                                   escaped(task.name), prose(measure_text(one))));
        }
    }

    [[nodiscard]] const Margins& margins() const { return margins_; }

private:
    void add(const TaskReport& task, const Cause& cause, const std::string& id) {
        const std::string link = fmt::format("{}: <a href=\"#{}\">{}</a>", escaped(task.name), id,
                                             escaped(title_of(cause)));
        add(cause.location, link);
        if (cause.second && *cause.second != cause.location)
            add(*cause.second, link + ", the other place");
    }

    void add(const Annotation& one, const std::string& id) {
        const std::string link =
            fmt::format("{}: <a href=\"#{}\">{}</a>", escaped(one.task), id, escaped(one.rule));
        if (one.location) add(*one.location, link);
        if (one.other && one.other != one.location) add(*one.other, link + ", the other place");
    }

    void add(const SourceLocation& place, const std::string& note) {
        if (place.line <= 0 || file_named(style_, place.file) != &file_) return;
        Margin& margin = margins_[static_cast<std::size_t>(place.line)];
        if (std::ranges::count(margin.columns, place.column) == 0)
            margin.columns.push_back(place.column);
        if (std::ranges::count(margin.notes, note) == 0) margin.notes.push_back(note);
    }

    const Style& style_;
    const SourceFile& file_;
    Margins margins_;
};

std::string line_item(const std::string& id, const std::string& line, const Margin* margin) {
    const std::string text = line.empty() ? "\n" : line;  // an empty one is as high as the others
    if (margin == nullptr)
        return fmt::format("<li id=\"{}\"><code>{}</code></li>\n", id, marked_line(text, {}));
    std::string notes;
    for (const std::string& note : margin->notes) notes += fmt::format("<p>{}</p>", note);
    return fmt::format(
        "<li id=\"{}\" class=\"noted\"><code>{}</code><div class=\"note\">{}</div></li>\n", id,
        marked_line(text, margin->columns), notes);
}

std::string listing(const Report& report, const Style& style, const SourceFile& file) {
    const Margins margins = FileMargins(report, style, file).margins();
    const auto lines = lines_of(file);
    const std::size_t shown = std::min(lines.size(), max_source_lines);
    std::string items;
    std::size_t noted = 0;
    for (std::size_t n = 1; n <= shown; ++n) {
        const auto margin = margins.find(n);
        noted += margin == margins.end() ? 0 : 1;
        items += line_item(line_id(style, file, n), lines[n - 1],
                           margin == margins.end() ? nullptr : &margin->second);
    }
    return fmt::format(
        "<details{}><summary><code>{}</code>: {} line{}, {} with notes</summary>\n"
        "<ol class=\"source\">\n{}</ol>\n{}</details>\n",
        noted > 0 && shown <= open_up_to ? " open" : "", escaped(file.name), lines.size(),
        lines.size() == 1 ? "" : "s", noted, items,
        shown < lines.size() ? fmt::format("<p>And {} more lines.</p>\n", lines.size() - shown)
                             : "");
}

}  // namespace

std::string source_section(const Report& report, const Style& style) {
    if (style.sources.empty()) return "";
    std::string out = "<section aria-labelledby=\"source\"><h2 id=\"source\">The source</h2>\n";
    for (const SourceFile& file : style.sources) out += listing(report, style, file);
    return out + "</section>\n";
}

}  // namespace cugrade::report
