#include "report/html_causes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/annotations.hpp"
#include "report/excerpt.hpp"
#include "report/explained.hpp"
#include "report/html.hpp"
#include "report/html_parts.hpp"
#include "report/page.hpp"
#include "report/places.hpp"

namespace cugrade::report {
namespace {

std::string paragraph(std::string_view text, std::string_view classes = {}) {
    if (text.empty()) return "";
    return fmt::format("<p{}>{}</p>\n",
                       classes.empty() ? "" : fmt::format(" class=\"{}\"", classes), prose(text));
}

std::string places(const Style& style, const SourceLocation& first,
                   const std::optional<SourceLocation>& second) {
    if (first.file.empty()) return "";
    std::string out = "<p class=\"quiet\">" + place_link(style, first);
    if (second && *second != first) out += " and " + place_link(style, *second);
    return out + "</p>\n";
}

/// "student.cu, lines 12 to 15"
std::string name_of(const std::vector<SourceLine>& lines) {
    const auto& [first, last] = std::pair(lines.front(), lines.back());
    if (lines.size() == 1) return fmt::format("{}, line {}", first.file, first.line);
    if (first.file != last.file) return first.file + " and " + last.file;
    return fmt::format("{}, lines {} to {}", first.file, first.line, last.line);
}

/// The cause's excerpt with the numbers of its lines, and carets below what is meant.
std::string excerpt_block(const Cause& cause) {
    const auto& lines = cause.excerpt;
    if (lines.empty()) return "";
    const int width = columns(std::to_string(std::ranges::max(lines, {}, &SourceLine::line).line));
    const auto indentation = common_indentation(lines);
    const auto margin = [&](const std::string& number) {
        return fmt::format("<span class=\"quiet\">{} | </span>", padded(number, width, true));
    };
    std::string out;
    const SourceLine* before = nullptr;
    for (const SourceLine& one : lines) {
        if (before != nullptr && before->file != one.file)
            out += fmt::format("<span class=\"quiet\">{}</span>\n", escaped(one.file));
        else if (before != nullptr && before->line + 1 != one.line)
            out += fmt::format("<span class=\"quiet\">{}</span>\n", padded("...", width, true));
        before = &one;
        const auto text = one.text.substr(std::min(indentation, one.text.size()));
        auto at = columns_at(cause, one.file, one.line);
        for (int& column : at) column = std::max(column - static_cast<int>(indentation), 0);
        out += fmt::format("{}<span class=\"code\">{}</span>\n", margin(std::to_string(one.line)),
                           marked_line(text, at));
        if (!at.empty())
            out +=
                fmt::format("<span aria-hidden=\"true\">{}<span class=\"bad\">{}</span></span>\n",
                            margin(""), carets(text, at));
    }
    return fmt::format(
        "<pre class=\"excerpt\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">{}</pre>\n",
        escaped(name_of(lines)), out);
}

std::string cause_card(const TaskReport& task, const Cause& cause, const std::string& id,
                       const Style& style) {
    const std::string how = how_sure(cause, task.outcome);
    std::string out = fmt::format(
        "<article class=\"card\" id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h3 "
        "id=\"{0}-title\">{1}{2}</h3>\n",
        id, escaped(title_of(cause)),
        cause.proof == Proof::untold
            ? ""
            : fmt::format(" <span class=\"label {}\">{}</span>",
                          cause.proof == Proof::proven ? "good" : "unsure", name(cause.proof)));
    out += paragraph(with_capital(cause.sentence), "lead") +
           places(style, cause.location, cause.second) + excerpt_block(cause) +
           paragraph(cause.instance);
    if (!cause.advice.empty())
        out += fmt::format("<p class=\"advice\"><strong>What to do:</strong> {}</p>\n",
                           prose(cause.advice));
    out += paragraph(how, "quiet");
    if (cause_kind(cause.id) != nullptr)
        out += fmt::format("<p class=\"quiet\">The idea: <code>cugrade explain {}</code></p>\n",
                           escaped(cause.id));
    return out + "</article>\n";
}

/// The lines around a place of which no cause is known, from the submission itself.
std::vector<SourceLine> around(const SourceLocation& place, const Style& style) {
    const SourceFile* file = file_named(style, place.file);
    if (file == nullptr || place.line <= 0) return {};
    const auto lines = lines_of(*file);
    std::vector<SourceLine> out;
    for (int line = std::max(1, place.line - 1);
         line <= std::min(place.line + 1, static_cast<int>(lines.size())); ++line)
        out.push_back({place.file, line, lines[static_cast<std::size_t>(line - 1)]});
    return out;
}

/// What no cause explains: a verdict, or what a checker saw.
std::string finding_card(const Annotation& one, const Style& style) {
    const bool is_warning = one.level == Annotation::Level::warning;
    Cause of;
    if (one.location) {
        of.location = *one.location;
        of.second = one.other;
        of.excerpt = around(*one.location, style);
    }
    std::string out =
        fmt::format("<article class=\"card {}\">\n<h3>{}{}</h3>\n", is_warning ? "warning" : "",
                    escaped(one.rule),
                    is_warning ? " <span class=\"label unsure\">costs no points</span>" : "");
    out += paragraph(with_capital(one.text), "lead") + places(style, of.location, of.second) +
           excerpt_block(of);
    if (one.cases > 1) out += fmt::format("<p class=\"quiet\">In {} cases.</p>\n", one.cases);
    return out + "</article>\n";
}

}  // namespace

std::string title_of(const Cause& cause) {
    const CauseKind* kind = cause_kind(cause.id);
    return with_capital(kind != nullptr ? kind->title : std::string_view(cause.id));
}

std::string cards_of(const Report& report, std::size_t number, const Style& style) {
    const TaskReport& task = report.tasks[number];
    const auto& causes = task.outcome.causes;
    std::string out, others;
    if (const std::size_t first = first_alike(report, number); first != number) {
        out =
            fmt::format("<p>It fails as <a href=\"#{}\">{}</a> does: {}</p>\n", cause_id(first, 0),
                        escaped(report.tasks[first].name), prose(with_capital(causes[0].sentence)));
    } else {
        const auto told = told_causes(task.outcome);
        for (std::size_t c = 0; c < causes.size(); ++c) {
            const bool is_told = std::ranges::find(told, &causes[c]) != told.end();
            (is_told ? out : others) += cause_card(task, causes[c], cause_id(number, c), style);
        }
    }
    if (!others.empty())
        out += "<details><summary>Or it may be this</summary>\n" + others + "</details>\n";
    const auto unknown = unexplained(task);
    if (!unknown.empty() && !causes.empty()) out += "<h3>What else is wrong</h3>\n";
    for (const Annotation& one : unknown) out += finding_card(one, style);
    return out;
}

}  // namespace cugrade::report
