#include "core/shell.hpp"

#include <algorithm>
#include <cctype>

namespace cugrade {

std::string shell_word(std::string_view word) {
    const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("._-+/,=@%").find(c) != std::string_view::npos;
    });
    if (plain) return std::string(word);
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::optional<std::vector<std::string>> shell_words(std::string_view line) {
    std::vector<std::string> out;
    bool in_word = false, quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (!quoted && c == ' ') {
            in_word = false;
            continue;
        }
        if (!in_word) out.emplace_back();
        in_word = true;
        if (c == '\'')
            quoted = !quoted;
        else if (!quoted && c == '\\' && i + 1 < line.size())
            out.back() += line[++i];
        else if (!quoted && (c == '\\' || c == '"' || c == '$' || c == '`'))
            return std::nullopt;
        else
            out.back() += c;
    }
    if (quoted) return std::nullopt;
    return out;
}

}  // namespace cugrade
