#include "report/html_parts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "report/excerpt.hpp"
#include "report/explained.hpp"
#include "report/formats.hpp"
#include "report/html.hpp"
#include "report/places.hpp"

namespace cugrade::report {
namespace {

constexpr std::size_t max_line_bytes = 2000;

std::size_t line_count(const SourceFile& file) {
    const auto ends = static_cast<std::size_t>(std::ranges::count(file.text, '\n'));
    return ends + (file.text.empty() || file.text.ends_with('\n') ? 0 : 1);
}

}  // namespace

std::string with_capital(std::string_view text) {
    std::string out(text);
    const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
    const auto end = std::ranges::find_if_not(out, is_small);
    const bool is_a_word = end != out.begin() && (end == out.end() || *end == ' ');
    if (is_a_word) out[0] = static_cast<char>(out[0] - 'a' + 'A');
    return out;
}

std::string prose(std::string_view text, std::size_t max_bytes) {
    const std::string safe = escaped(text, max_bytes);
    std::string out;
    std::string_view rest = safe;
    for (;;) {
        const auto begin = rest.find('`');
        const auto end = begin == std::string_view::npos ? begin : rest.find('`', begin + 1);
        if (end == std::string_view::npos) return out + std::string(rest);
        out += fmt::format("{}<code>{}</code>", rest.substr(0, begin),
                           rest.substr(begin + 1, end - begin - 1));
        rest.remove_prefix(end + 1);
    }
}

std::string marked_line(const std::string& text, const std::vector<int>& columns) {
    std::vector<Marks> all;
    for (const int column : columns) all.push_back(marks_of(text, column));
    std::ranges::sort(all, {}, &Marks::begin);
    std::string out;
    std::size_t at = 0;
    for (const Marks& one : all) {
        if (one.begin < at || one.begin == one.end) continue;  // within the one before
        out += markup(text.substr(at, one.begin - at));
        out += fmt::format("<mark>{}</mark>", markup(text.substr(one.begin, one.end - one.begin)));
        at = one.end;
    }
    return out + markup(text.substr(at));
}

std::string_view class_of(Verdict verdict) {
    return verdict == Verdict::accepted ? "good" : is_judged(verdict) ? "bad" : "unsure";
}

std::string verdict_label(Verdict verdict) {
    return fmt::format("<span class=\"label {}\"><span aria-hidden=\"true\">{} </span>{}</span>",
                       class_of(verdict),
                       verdict == Verdict::accepted ? "✓"
                       : is_judged(verdict)         ? "✗"
                                                    : "○",
                       name(verdict));
}

std::size_t first_alike(const Report& report, std::size_t task) {
    const auto& causes = report.tasks[task].outcome.causes;
    if (causes.empty()) return task;
    std::size_t first = 0;
    while (!same_causes(report.tasks[first].outcome.causes, causes)) ++first;
    return first;
}

std::string task_id(std::size_t task) { return fmt::format("task{}", task + 1); }

std::string cause_id(std::size_t task, std::size_t cause) {
    return fmt::format("task{}-cause{}", task + 1, cause + 1);
}

const SourceFile* file_named(const Style& style, std::string_view name) {
    const auto& files = style.sources;
    const auto found = std::ranges::find(files, name, &SourceFile::name);
    if (found != files.end()) return &*found;
    const bool is_the_one = files.size() == 1 && !name.empty() && name.find('/') == name.npos;
    return is_the_one ? &files.front() : nullptr;
}

std::vector<std::string> lines_of(const SourceFile& file) {
    std::vector<std::string> out;
    std::string_view rest = file.text;
    while (!rest.empty()) {
        const auto end = rest.find('\n');
        auto line = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        out.push_back(clean(line, max_line_bytes, true));
    }
    return out;
}

std::string line_id(const Style& style, const SourceFile& file, std::size_t line) {
    return fmt::format("file{}-{}", &file - style.sources.data() + 1, line);
}

std::string place_link(const Style& style, const SourceLocation& place) {
    const std::string text = "<code>" + escaped(place_text(place)) + "</code>";
    const SourceFile* file = file_named(style, place.file);
    if (file == nullptr || place.line <= 0) return text;
    const auto line = static_cast<std::size_t>(place.line);
    if (line > std::min(line_count(*file), max_source_lines)) return text;
    return fmt::format("<a href=\"#{}\">{}</a>", line_id(style, *file, line), text);
}

}  // namespace cugrade::report
