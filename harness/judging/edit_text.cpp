#include "judging/edit_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "build/lexical.hpp"
#include "judging/written_calls.hpp"

namespace cugrade::edit {

void rename_line(std::string& text, int from, int to) {
    // Without its first letter: a sentence may begin with it.
    const std::string old = fmt::format("ine {}", from);
    for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + 1))
        if (at + old.size() == text.size() || !is_digit(text[at + old.size()]))
            text.replace(at, old.size(), fmt::format("ine {}", to));
}

void put_at(const Text& text, int line, Cause& cause) {
    if (line <= 0 || (line == cause.location.line && cause.location.file == text.code.file()))
        return;
    if (cause.location.line > 0 && !cause.second) cause.second = cause.location;
    cause.location = {text.code.file(), line, 0};
}

void put_between(const Text& text, int first, int last, Cause& cause) {
    if (first <= 0 || last < first) return;
    cause.location = {text.code.file(), first, 0};
    cause.end_line = last;
}

void put_near(const Text& text, int made, Cause& cause) {
    // Chosen: what one looks at as one piece.
    constexpr int nearby = 12;
    if (made <= 0 || made >= cause.location.line) return;
    if (cause.location.line - made <= nearby &&
        text.code.around(made) == text.code.around(cause.location.line))
        put_between(text, made, cause.location.line, cause);
    else
        put_at(text, made, cause);
}

std::set<std::string_view> names_of(const Text& text, Range range) {
    std::set<std::string_view> all;
    for (std::size_t i = range.first; i < range.last; ++i)
        if (is_name(text.token(i))) all.insert(text.word(i));
    return all;
}

std::size_t behind(const Text& text, std::size_t i) {
    const std::size_t end = text.code.tokens().size();  // of a source that is cut off
    if (text.word(i) == "{") return std::min(text.code.match(i) + 1, end);
    while (i < end && text.word(i) != ";")
        i = is_any(text.word(i), {"(", "[", "{"}) ? text.code.match(i) + 1 : i + 1;
    return std::min(i + 1, end);
}

std::size_t end_of_statement(const Text& text, std::size_t i, std::size_t last) {
    while (i < last && text.word(i) != ";") ++i;
    return i;
}

std::vector<Condition> conditions_in(const Text& text, const Function& f) {
    std::vector<Condition> all;
    for (std::size_t i = f.open; i < f.close; ++i) {
        if (text.word(i) != "if") continue;
        std::size_t open = i + 1;
        if (text.word(open) == "constexpr") ++open;
        if (text.word(open) != "(") continue;
        Condition one{.at = i, .body = {}, .other = {}};
        one.body.first = text.code.match(open) + 1;
        one.body.last = behind(text, one.body.first);
        if (text.word(one.body.last) == "else")
            one.other = {one.body.last + 1, behind(text, one.body.last + 1)};
        all.push_back(one);
    }
    return all;
}

std::vector<Loop> loops_in(const Text& text, const Function& f) {
    std::vector<Loop> all;
    for (std::size_t i = f.open; i < f.close; ++i) {
        if (!is_any(text.word(i), {"for", "while"}) || text.word(i + 1) != "(") continue;
        all.push_back({i, {i, behind(text, text.code.match(i + 1) + 1)}});
    }
    return all;
}

std::string words(const Text& text, Range range) {
    std::string all;
    for (std::size_t i = range.first; i < range.last; ++i) all += text.word(i);
    return all;
}

std::string words_of_line(const Text& text, int line) {
    return line > 0 ? words(text, text.code.tokens_of_line(line)) : std::string();
}

std::vector<Range> arguments_of(const Text& text, std::size_t open) {
    std::vector<Range> all;
    const std::size_t close = text.code.match(open);
    std::size_t first = open + 1;
    for (std::size_t i = open + 1; i <= close && i < text.code.tokens().size(); ++i) {
        if (i != close && is_any(text.word(i), {"(", "[", "{"})) {
            i = text.code.match(i);
            continue;
        }
        if (text.word(i) != "," && i != close) continue;
        if (i > first) all.push_back({first, i});
        first = i + 1;
    }
    return all;
}

bool casts_pointer(const Text& text, int line) {
    const Range range = text.code.tokens_of_line(line);
    for (std::size_t i = range.first; i < range.last; ++i) {
        if (text.word(i) == "reinterpret_cast") return true;
        // (float4*)p
        if (text.word(i) == "(" && i + 1 < range.last && is_name(text.token(i + 1)) &&
            text.word(text.code.match(i) - 1) == "*" && text.code.match(i) < i + 6)
            return true;
    }
    return false;
}

int definition_in(const Text& text, std::string_view name, int line) {
    const auto found = definition_of(name, text.code.file(), line, text.source);
    const Function* f = text.code.around(line);
    return found && found->file == text.code.file() && f != nullptr &&
                   text.code.around(found->line) == f
               ? found->line
               : 0;
}

std::size_t open_of_call(const Text& text, std::size_t token) {
    std::size_t i = token + 1;
    if (text.word(i) == "<") {
        // Of a template's arguments no comparison stands in a call.
        while (i < text.code.tokens().size() && !is_any(text.word(i), {">", ";", "{"})) ++i;
        ++i;
    }
    return text.word(i) == "(" ? i : 0;
}

const Function* function_called_at(const Text& text, std::size_t i) {
    if (text.word(i + 1) != "(" && text.word(i + 1) != "<") return nullptr;
    for (const Function& f : text.code.functions())
        if (f.name == text.word(i) && f.at != i) return &f;
    return nullptr;
}

}  // namespace cugrade::edit
