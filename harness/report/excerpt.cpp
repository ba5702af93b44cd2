#include "report/excerpt.hpp"

#include <algorithm>
#include <cctype>

#include "report/page.hpp"

namespace cugrade::report {
namespace {

bool continues_a_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

Marks marks_of(std::string_view text, int column) {
    const auto first = std::min(text.find_first_not_of(" \t"), text.size());
    auto at = static_cast<std::size_t>(std::max(column - 1, 0));
    if (column <= 0 || at < first || at >= text.size()) return {first, text.size()};
    while (at > 0 && continues_a_character(text[at])) --at;
    std::size_t end = at;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
        ++end;
    end = std::max(end, at + 1);
    while (end < text.size() && continues_a_character(text[end])) ++end;
    return {at, end};
}

std::vector<int> columns_at(const Cause& cause, std::string_view file, int line) {
    std::vector<int> out;
    const auto add = [&](const SourceLocation& location) {
        if (location.file == file && location.line == line) out.push_back(location.column);
    };
    add(cause.location);
    if (cause.second) add(*cause.second);
    return out;
}

std::string carets(const std::string& text, const std::vector<int>& at) {
    std::string row;
    for (const int column : at) {
        const Marks marks = marks_of(text, column);
        const auto begin = static_cast<std::size_t>(columns(text.substr(0, marks.begin)));
        const auto end = static_cast<std::size_t>(columns(text.substr(0, marks.end)));
        if (row.size() < end) row.resize(end, ' ');
        std::fill(row.begin() + static_cast<std::ptrdiff_t>(begin),
                  row.begin() + static_cast<std::ptrdiff_t>(end), '^');
    }
    return row;
}

std::size_t common_indentation(std::span<const SourceLine> lines) {
    std::size_t out = std::string::npos;
    for (const SourceLine& one : lines)
        out = std::min(out, one.text.find_first_not_of(' '));  // npos: an empty line
    return out == std::string::npos ? 0 : out;
}

}  // namespace cugrade::report
