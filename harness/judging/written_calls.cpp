// Theory of operation. Comments and literals are blanked, and then names, brackets and commas are
// followed by characters. What macros make is not seen: then there is no call and no declaration,
// and whoever asks has to do without.
#include "judging/written_calls.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "build/lexical.hpp"

namespace cugrade {
namespace {

constexpr auto none_found = std::string_view::npos;
/// In front of a name and its braces.
constexpr std::array<std::string_view, 5> no_types{"struct", "class", "enum", "union", "namespace"};

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::size_t skip_spaces(std::string_view code, std::size_t at) {
    while (at < code.size() && is_space(code[at])) ++at;
    return at;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

/// The next place of a whole identifier.
std::size_t find_name(std::string_view code, std::string_view name, std::size_t from) {
    for (std::size_t at = code.find(name, from); at != none_found; at = code.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || !continues_identifier(code[at - 1])) &&
            (end >= code.size() || !continues_identifier(code[end])))
            return at;
    }
    return none_found;
}

/// Behind the bracket that closes the one at `at`; none_found: there is none.
std::size_t behind_brackets(std::string_view code, std::size_t at) {
    int depth = 0;
    for (; at < code.size(); ++at) {
        depth += std::string_view("([{").find(code[at]) != none_found;
        depth -= std::string_view(")]}").find(code[at]) != none_found;
        if (depth == 0) return at + 1;
    }
    return none_found;
}

/// The parts between commas. Commas inside of brackets part nothing.
std::vector<std::string> parts_of(std::string_view list) {
    std::vector<std::string> out;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t at = 0; at <= list.size(); ++at) {
        const char c = at < list.size() ? list[at] : ',';
        if (at < list.size()) {
            depth += std::string_view("([{").find(c) != none_found;
            depth -= std::string_view(")]}").find(c) != none_found;
        }
        if (c != ',' || (depth != 0 && at < list.size())) continue;
        out.emplace_back(trimmed(list.substr(begin, at - begin)));
        begin = at + 1;
    }
    if (out.size() == 1 && out.front().empty()) out.clear();
    return out;
}

/// Behind template arguments that begin at `at`; `at`, if none do.
std::size_t behind_template_arguments(std::string_view code, std::size_t at) {
    if (at >= code.size() || code[at] != '<' || code.substr(at, 3) == "<<<") return at;
    int depth = 0;
    for (std::size_t end = at; end < code.size() && code[end] != ';' && code[end] != '{'; ++end) {
        if (code.substr(end, 3) == "<<<") return at;
        depth += code[end] == '<';
        depth -= code[end] == '>';
        if (depth == 0) return end + 1;
    }
    return at;
}

/// Whether a type is in front of a name, so that a declaration follows.
bool follows_a_type(std::string_view code, std::size_t at) {
    while (at > 0 && is_space(code[at - 1])) --at;
    if (at == 0) return false;
    const char before = code[at - 1];
    if (!continues_identifier(before)) {
        if (before != '*' && before != '&' && before != '>') return false;
        // `a && f(x)` and `y = a * f(x)` are no declarations of f.
        if (code.substr(0, at).ends_with("&&")) return code.substr(0, at).ends_with("auto&&");
        const std::size_t from = code.find_last_of(";{}(,", at - 1);
        const std::string_view type =
            code.substr(from == none_found ? 0 : from + 1, at - (from == none_found ? 0 : from + 1));
        return type.find('=') == none_found && find_name(type, "return", 0) == none_found;
    }
    std::size_t begin = at;
    while (begin > 0 && continues_identifier(code[begin - 1])) --begin;
    const std::string_view word = code.substr(begin, at - begin);
    return word != "return" && word != "else" && word != "do";
}

/// "int x" and "unsigned a, b", and no "x", "x[0]" or "x, y".
bool begins_with_two_words(std::string_view before, std::string_view name) {
    before = trimmed(before);
    std::size_t end = 0;
    while (end < before.size() && continues_identifier(before[end])) ++end;
    if (end == 0 || !starts_identifier(before.front())) return false;
    const std::size_t next = before.find_first_not_of(" \n*&:<>", end);
    return next == none_found ? !name.empty()
                              : next > end && starts_identifier(before[next]);
}

int line_at(std::string_view code, std::size_t at) {
    return 1 + static_cast<int>(
                   std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

int column_at(std::string_view code, std::size_t at) {
    const std::size_t line = code.rfind('\n', at);
    return static_cast<int>(line == none_found ? at + 1 : at - line);
}

const SourceFile* file_of(std::string_view name, std::span<const SourceFile> source) {
    const auto found = std::ranges::find(source, name, &SourceFile::name);
    return found == source.end() ? nullptr : &*found;
}

}  // namespace

std::string without_comments(std::string_view text) {
    std::string out(text);
    const auto blank = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < std::min(to, out.size()); ++i)
            if (out[i] != '\n') out[i] = ' ';
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char next = i + 1 < text.size() ? text[i + 1] : '\0';
        if (text[i] == '/' && (next == '/' || next == '*')) {
            const std::size_t end =
                next == '/' ? std::min(text.find('\n', i), text.size())
                            : std::min(text.find("*/", i + 2), text.size() - 2) + 2;
            blank(i, end);
            i = end - 1;
        } else if (text[i] == '"' ||
                   (text[i] == '\'' && (i == 0 || !continues_identifier(text[i - 1])))) {
            std::size_t end = i + 1;
            while (end < text.size() && text[end] != text[i] && text[end] != '\n')
                end += text[end] == '\\' ? 2 : 1;
            blank(i + 1, end);
            i = end;
        }
    }
    return out;
}

std::vector<WrittenCall> calls_of(std::string_view function, std::span<const SourceFile> source) {
    std::vector<WrittenCall> all;
    if (function.empty()) return all;
    for (const SourceFile& file : source) {
        const std::string code = without_comments(file.text);
        for (std::size_t at = find_name(code, function, 0); at != none_found;
             at = find_name(code, function, at + 1)) {
            std::size_t end = skip_spaces(code, at + function.size());
            end = skip_spaces(code, behind_template_arguments(code, end));
            WrittenCall call;
            if (code.compare(end, 3, "<<<") == 0) {
                const std::size_t close = code.find(">>>", end);
                if (close == none_found) continue;
                call.configuration = parts_of(std::string_view(code).substr(end + 3, close - end - 3));
                end = skip_spaces(code, close + 3);
            } else if (follows_a_type(code, at)) {
                continue;
            }
            if (end >= code.size() || code[end] != '(') continue;
            const std::size_t close = behind_brackets(code, end);
            if (close == none_found) continue;
            call.arguments = parts_of(std::string_view(code).substr(end + 1, close - end - 2));
            call.location = {file.name, line_at(code, at), column_at(code, at)};
            all.push_back(std::move(call));
        }
    }
    return all;
}

std::string variable_of(std::string_view argument) {
    // Casts first: "(void**)", "reinterpret_cast<void**>".
    std::string text(argument);
    for (std::size_t at = text.find('('); at != none_found; at = text.find('(', at + 1)) {
        const std::size_t end = text.find(')', at);
        if (end == none_found) break;
        const std::string_view inside = trimmed(std::string_view(text).substr(at + 1, end - at - 1));
        if (inside.ends_with('*')) text.replace(at, end + 1 - at, end + 1 - at, ' ');
    }
    if (const std::size_t cast = text.find("_cast"); cast != none_found) {
        const std::size_t end = text.find('>', cast);
        if (end != none_found) text.erase(0, text.find('(', end) == none_found ? end + 1 : text.find('(', end));
    }
    std::string found;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!starts_identifier(text[at])) {
            if (text[at] == '+' || text[at] == '[') break;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && continues_identifier(text[end])) ++end;
        const std::string name = text.substr(at, end - at);
        const bool is_member = at > 0 && (text[at - 1] == '.' || text[at - 1] == '>');
        if (!found.empty() && !is_member) return {};
        const std::size_t next = skip_spaces(text, end);
        // `v.data()` leads to v.
        if (!is_member || next >= text.size() || text[next] != '(') found = name;
        at = end - 1;
    }
    return found;
}

bool Declaration::has(std::string_view word) const { return find_name(text, word, 0) != none_found; }

std::optional<Declaration> declaration_of(std::string_view variable,
                                          std::span<const SourceFile> source) {
    for (const SourceFile& file : source)
        if (auto found = declaration_of(variable, file.name, 0, source)) return found;
    return {};
}

std::optional<Declaration> declaration_of(std::string_view variable, std::string_view file, int line,
                                          std::span<const SourceFile> source) {
    const SourceFile* in = file_of(file, source);
    if (in == nullptr || variable.empty()) return {};
    const std::string code = without_comments(in->text);
    std::optional<Declaration> found;
    for (std::size_t at = find_name(code, variable, 0); at != none_found;
         at = find_name(code, variable, at + 1)) {
        std::size_t begin = at;
        while (begin > 0 && std::string_view(";{}").find(code[begin - 1]) == none_found) --begin;
        // A preprocessor's line ends without a semicolon.
        if (const std::size_t hash = code.rfind('#', at); hash != none_found && hash >= begin)
            begin = std::min(code.find('\n', hash), at);
        const std::size_t end = std::min(code.find_first_of(";={", at), code.size());
        Declaration d;
        d.text = std::string(trimmed(std::string_view(code).substr(begin, end - begin)));
        const bool is_kept = d.has("__shared__") || d.has("__constant__") || d.has("__device__") ||
                             d.has("__managed__");
        const std::size_t next = skip_spaces(code, at + variable.size());
        d.is_array = next < code.size() && code[next] == '[';
        const std::string_view before = std::string_view(code).substr(begin, at - begin);
        // A type, and perhaps other variables, in front of the name.
        const bool is_declared =
            begins_with_two_words(before, code.substr(at)) && (d.is_array || is_kept) &&
            before.find_first_of("(=") == none_found && trimmed(before) != "return" &&
            (follows_a_type(code, at) || trimmed(before).ends_with(','));
        if (!is_declared) continue;
        if (d.is_array) {
            const std::size_t close = behind_brackets(code, next);
            if (close != none_found)
                d.extent = std::string(
                    trimmed(std::string_view(code).substr(next + 1, close - next - 2)));
        }
        d.location = {in->name, line_at(code, at), column_at(code, at)};
        if (!found || d.location.line <= line) found = std::move(d);
    }
    return found;
}

std::optional<SourceLocation> definition_of(std::string_view variable, std::string_view file,
                                            int line, std::span<const SourceFile> source) {
    const SourceFile* in = file_of(file, source);
    if (in == nullptr || variable.empty()) return {};
    const std::string code = without_comments(in->text);
    std::optional<SourceLocation> found;
    for (std::size_t at = find_name(code, variable, 0); at != none_found;
         at = find_name(code, variable, at + 1)) {
        const int here = line_at(code, at);
        if (here > line) break;
        const std::size_t next = skip_spaces(code, at + variable.size());
        const std::size_t begin = code.find_last_of(";{}", at);
        const std::string_view before =
            std::string_view(code).substr(begin + 1, at - begin - 1);
        // `Pair both{a, b};` but not `struct Pair {`
        const std::size_t word = trimmed(before).find_last_of(" \n") + 1;
        const std::string_view type = trimmed(before).substr(word);
        const bool is_braced =
            next < code.size() && code[next] == '{' &&
            std::ranges::find(no_types, type) == no_types.end();
        const bool is_set = next + 1 < code.size() && code[next] == '=' && code[next + 1] != '=';
        if (!is_set && !is_braced) continue;
        if (follows_a_type(code, at) || trimmed(before).ends_with(','))
            found = SourceLocation{in->name, here, column_at(code, at)};
    }
    return found;
}

std::vector<std::string> names_in(std::string_view file, int line,
                                  std::span<const SourceFile> source) {
    std::vector<std::string> out;
    const SourceFile* in = file_of(file, source);
    if (in == nullptr) return out;
    const std::string code = without_comments(in->text);
    std::size_t at = 0;
    for (int n = 1; n < line && at != none_found; ++n)
        if ((at = code.find('\n', at)) != none_found) ++at;
    if (at == none_found) return out;
    const std::size_t last = std::min(code.find('\n', at), code.size());
    while (at < last) {
        std::size_t end = at;
        while (end < last && continues_identifier(code[end])) ++end;
        if (end > at && starts_identifier(code[at])) {
            std::string name = code.substr(at, end - at);
            if (std::ranges::find(out, name) == out.end()) out.push_back(std::move(name));
        }
        at = std::max(end, at + 1);
    }
    return out;
}

}  // namespace cugrade
