#include "timing/loaded_indices.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "build/lexical.hpp"

namespace cugrade {
namespace {

using Names = std::set<std::string, std::less<>>;

std::string_view name_before(std::string_view code, std::size_t end) {
    while (end > 0 && code[end - 1] == ' ') --end;
    std::size_t begin = end;
    while (begin > 0 && continues_identifier(code[begin - 1])) --begin;
    return code.substr(begin, end - begin);
}

/// Without what is behind `//`.
std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        out.push_back(line.substr(0, line.find("//")));
        begin = end + 1;
    }
    return out;
}

/// Names that are set from an element of an array: `const int t = target[i];`
void add_loaded(std::string_view code, Names& loaded) {
    for (std::size_t at = code.find('='); at != std::string_view::npos; at = code.find('=', at + 1)) {
        if (at + 1 < code.size() && code[at + 1] == '=') {
            ++at;
            continue;
        }
        if (at == 0 || std::string_view("+-*/%|&^<>!").find(code[at - 1]) != std::string_view::npos)
            continue;
        const std::string_view name = name_before(code, at);
        const std::string_view value = code.substr(at + 1, code.find_first_of(";,", at) - at - 1);
        if (!name.empty() && value.find('[') != std::string_view::npos) loaded.emplace(name);
    }
}

void add_shared(std::string_view code, Names& shared) {
    const std::size_t at = code.find("__shared__");
    if (at == std::string_view::npos) return;
    for (std::size_t open = code.find('[', at); open != std::string_view::npos;
         open = code.find('[', open + 1))
        if (const auto name = name_before(code, open); !name.empty()) shared.emplace(name);
}

bool has_name_of(std::string_view code, const Names& names) {
    for (std::size_t at = 0; at < code.size(); ++at) {
        if (!continues_identifier(code[at])) continue;
        std::size_t end = at;
        while (end < code.size() && continues_identifier(code[end])) ++end;
        if (names.contains(code.substr(at, end - at))) return true;
        at = end;
    }
    return false;
}

bool has_loaded_index(std::string_view code, const Names& loaded, const Names& shared) {
    if (code.find("__shared__") != std::string_view::npos) return false;
    for (std::size_t open = code.find('['); open != std::string_view::npos;
         open = code.find('[', open + 1)) {
        int depth = 0;
        std::size_t close = open;
        for (; close < code.size(); ++close) {
            depth += code[close] == '[' ? 1 : code[close] == ']' ? -1 : 0;
            if (depth == 0) break;
        }
        const std::string_view array = name_before(code, open);
        const std::string_view index =
            code.substr(open + 1, std::max(close, open + 1) - open - 1);
        const auto begin = static_cast<std::size_t>(array.data() - code.data());
        if (array.empty() || shared.contains(array) || (begin > 0 && code[begin - 1] == '&'))
            continue;
        if (index.find('[') != std::string_view::npos || has_name_of(index, loaded)) return true;
    }
    return false;
}

}  // namespace

std::set<emulator::Line> lines_with_loaded_indices(std::span<const SourceFile> source) {
    std::set<emulator::Line> out;
    for (const SourceFile& file : source) {
        const auto lines = lines_of(file.text);
        Names loaded, shared;
        for (const std::string_view line : lines) {
            add_loaded(line, loaded);
            add_shared(line, shared);
        }
        for (std::size_t n = 0; n < lines.size(); ++n)
            if (has_loaded_index(lines[n], loaded, shared))
                out.insert({file.name, static_cast<int>(n) + 1});
    }
    return out;
}

}  // namespace cugrade
