#include "judging/excerpt.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace cugrade {
namespace {

constexpr int most_lines = 5;  ///< chosen: the rest of a longer one is not shown
constexpr int near_lines = 4;  ///< chosen: with so many lines from one to the other
constexpr std::size_t longest_line = 300;

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
        const auto end = text.find('\n');
        auto line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        out.push_back(line);
    }
    return out;
}

/// The lines of the file that are shown, by number.
using ShownLines = std::set<int>;

void show_range(ShownLines& shown, int first, int last) {
    for (int line = first; line <= last; ++line) shown.insert(line);
}

void add_lines(std::vector<SourceLine>& out, const std::string& name, const ShownLines& shown,
               const std::vector<SourceFile>& files) {
    auto file = std::ranges::find(files, name, &SourceFile::name);
    // A file with an odd name, "my file.cu", is compiled under another.
    if (files.size() == 1 && name.find('/') == name.npos) file = files.begin();
    if (file == files.end()) return;
    const auto lines = lines_of(file->text);
    for (const int line : shown) {
        if (line < 1 || line > static_cast<int>(lines.size())) continue;
        const auto text = lines[static_cast<std::size_t>(line - 1)];
        out.push_back({name, line, std::string(text.substr(0, longest_line))});
    }
}

bool is_blank(const SourceLine& line) {
    return line.text.find_first_not_of(" \t") == std::string::npos;
}

}  // namespace

std::vector<SourceLine> excerpt_of(const Cause& cause, const std::vector<SourceFile>& files) {
    const SourceLocation& place = cause.location;
    if (place.line <= 0) return {};
    const int last = std::clamp(cause.end_line, place.line, place.line + most_lines - 1);
    ShownLines shown;
    show_range(shown, place.line, last);
    std::vector<SourceLine> out;
    const bool is_apart = cause.second && cause.second->line > 0 &&
                          (cause.second->file != place.file || cause.second->line < place.line ||
                           cause.second->line > last);
    if (!is_apart) {
        show_range(shown, place.line - 1, last + 1);
        add_lines(out, place.file, shown, files);
    } else if (cause.second->file != place.file) {
        add_lines(out, place.file, shown, files);
        add_lines(out, cause.second->file, {cause.second->line}, files);
    } else {
        const int other = cause.second->line;
        shown.insert(other);
        if (other > last && other - last <= near_lines) show_range(shown, last, other);
        if (other < place.line && place.line - other <= near_lines)
            show_range(shown, other, place.line);
        add_lines(out, place.file, shown, files);
    }
    // A blank line says nothing at either end.
    while (!out.empty() && is_blank(out.back())) out.pop_back();
    out.erase(out.begin(), std::ranges::find_if_not(out, is_blank));
    return out;
}

}  // namespace cugrade
