// Theory of operation. No compiler is asked: a scanner that knows comments, literals, brackets and
// the keywords of statements follows the text. What a macro hides is not seen, and then a place
// stays where it was. Sources may be hostile, so nothing here takes more than linear time but for
// constants: the number of statements, the length of one and their nesting are limited.
#include "judging/source_places.hpp"

#include <algorithm>
#include <array>

#include "build/lexical.hpp"
#include "judging/written_calls.hpp"

namespace cugrade {
namespace {

// What a person would write. Chosen: the longest submission of the tests has a third of it.
constexpr std::size_t most_text = std::size_t{64} << 10;
constexpr std::size_t longest_stretch = 4096;  ///< without a semicolon or brace
constexpr int most_nested = 64;                ///< brackets
constexpr std::size_t most_statements = 4000;
constexpr std::size_t longest_plain_statement = 8'192;
constexpr int deepest = 100;

bool is_of_statement(std::string_view word) {
    constexpr std::array<std::string_view, 6> all{"if", "else", "for", "while", "do", "switch"};
    return std::ranges::find(all, word) != all.end();
}

}  // namespace

SourceText::SourceText(std::string_view text) : code_(without_comments(text)) {
    lines_.push_back(0);
    for (std::size_t i = 0; i < code_.size(); ++i)
        if (code_[i] == '\n') lines_.push_back(i + 1);
    match_brackets();
    find_statements();
}

void SourceText::match_brackets() {
    partner_.assign(code_.size(), 0);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < code_.size(); ++i) {
        const char c = code_[i];
        if (c == '(' || c == '{' || c == '[') open.push_back(i);
        if (c != ')' && c != '}' && c != ']') continue;
        const char other = c == ')' ? '(' : c == '}' ? '{' : '[';
        if (open.empty() || code_[open.back()] != other) continue;
        partner_[open.back()] = i;
        open.pop_back();
    }
}

void SourceText::find_statements() {
    for (std::size_t i = 0; i < code_.size() && statements_.size() < most_statements;) {
        if (!starts_identifier(code_[i])) {
            ++i;
            continue;
        }
        const std::string_view word = word_at(i);
        if (is_of_statement(word)) {
            Statement one{.keyword = word, .begin = i, .end = end_of_statement(i, 0)};
            one.condition = after_spaces(i + word.size());
            const bool has_condition = word != "else" && word != "do" &&
                                       one.condition < code_.size() &&
                                       code_[one.condition] == '(' && partner_[one.condition] != 0;
            one.body = has_condition ? partner_[one.condition] + 1 : one.condition;
            statements_.push_back(one);
        }
        i += word.size();
    }
}

int SourceText::line_of(std::size_t at) const {
    return static_cast<int>(std::ranges::upper_bound(lines_, at) - lines_.begin());
}

std::string_view SourceText::text_of_line(int line) const {
    const auto n = static_cast<std::size_t>(line);
    if (line <= 0 || n > lines_.size()) return {};
    const std::size_t end = n < lines_.size() ? lines_[n] : code_.size();
    return std::string_view(code_).substr(lines_[n - 1], end - lines_[n - 1]);
}

std::size_t SourceText::after_spaces(std::size_t at) const {
    return std::min(code_.find_first_not_of(" \t\r\n\\", at), code_.size());
}

std::string_view SourceText::word_at(std::size_t at) const {
    std::size_t end = at;
    while (end < code_.size() && continues_identifier(code_[end])) ++end;
    return std::string_view(code_).substr(at, end - at);
}

std::size_t SourceText::end_of_statement(std::size_t at, int depth) const {
    at = after_spaces(at);
    if (at >= code_.size() || depth > deepest) return std::min(at, code_.size());
    if (code_[at] == '{') return partner_[at] == 0 ? at + 1 : partner_[at] + 1;
    const std::string_view word = starts_identifier(code_[at]) ? word_at(at) : std::string_view();
    if (is_of_statement(word)) {
        std::size_t body = after_spaces(at + word.size());
        if (word != "else" && word != "do" && body < code_.size() && code_[body] == '(' &&
            partner_[body] != 0)
            body = partner_[body] + 1;
        std::size_t end = end_of_statement(body, depth + 1);
        if (word == "if") {
            const std::size_t next = after_spaces(end);
            if (next < code_.size() && starts_identifier(code_[next]) && word_at(next) == "else")
                end = end_of_statement(next, depth + 1);
        }
        return end;
    }
    const std::size_t limit = std::min(code_.size(), at + longest_plain_statement);
    for (std::size_t i = at; i < limit; ++i) {
        if (code_[i] == ';') return i + 1;
        if (code_[i] == '}') return i;
        if (partner_[i] != 0) i = partner_[i];
    }
    return limit;
}

bool SourceText::contains(const Statement& one, int line) const {
    if (one.end <= one.body || line < line_of(one.body) || line > line_of(one.end - 1))
        return false;
    // A line may end with `{` or hold what comes behind the statement, too; its code decides.
    const std::string_view text = text_of_line(line);
    const std::size_t first = text.find_first_not_of(" \t{");
    if (first == std::string_view::npos) return true;
    const std::size_t at = static_cast<std::size_t>(text.data() - code_.data()) + first;
    return at < one.end && (at >= one.body || line_of(one.begin) == line);
}

int SourceText::line_behind_branches(int line) const {
    // Those inside begin later.
    int out = line;
    for (auto one = statements_.rbegin(); one != statements_.rend(); ++one) {
        if (!contains(*one, out)) continue;
        if (one->keyword != "if" && one->keyword != "else") return out;
        out = line_of(one->end - 1);
    }
    return out;
}

namespace {
/// Chosen: a longer body does more than what is asked about.
constexpr int longest_body = 4;
}  // namespace

int SourceText::head_of_branch(int line) const {
    for (auto one = statements_.rbegin(); one != statements_.rend(); ++one) {
        const int head = line_of(one->begin);
        if (head >= line || !contains(*one, line)) continue;
        const bool is_branch = one->keyword == "if" || one->keyword == "else";
        return is_branch && line - head <= longest_body ? head : line;
    }
    return line;
}

int SourceText::head_of_statement(int line) const {
    for (auto one = statements_.rbegin(); one != statements_.rend(); ++one) {
        const int head = line_of(one->begin);
        if (head < line && contains(*one, line)) return line - head <= longest_body ? head : line;
    }
    return line;
}

int SourceText::line_after(int line) const {
    for (int n = line + 1; n <= static_cast<int>(lines_.size()); ++n)
        if (text_of_line(n).find_first_not_of(" \t\r\n") != std::string_view::npos) return n;
    return line;
}

bool SourceText::is_below(int line, int above) const {
    return std::ranges::any_of(statements_, [&](const Statement& one) {
        return line_of(one.begin) <= above && above <= line_of(one.body) && line > above &&
               contains(one, line);
    });
}

int SourceText::line_before_branches(int line) const {
    int out = line;
    for (auto one = statements_.rbegin(); one != statements_.rend(); ++one) {
        if (!contains(*one, out) || line_of(one->begin) == 0) continue;
        if (one->keyword != "if" && one->keyword != "else") break;
        out = line_of(one->begin);
    }
    const int before = line_before(out);
    return before > 0 ? before : line;
}

int SourceText::line_before(int line) const {
    // A line that does not end a statement or begin a block goes on in the next one.
    for (int n = line - 1; n > 0; --n) {
        const std::string_view text = text_of_line(n);
        const std::size_t last = text.find_last_not_of(" \t\r\n");
        if (last == std::string_view::npos) continue;
        if (std::string_view(";{}:").find(text[last]) != std::string_view::npos ||
            text.starts_with('#'))
            return n;
    }
    return 0;
}

std::string SourceText::shared_name(int line) const {
    const std::string_view text = text_of_line(line);
    const std::size_t at = text.find("__shared__");
    if (at == std::string_view::npos) return {};
    std::size_t end = std::min(text.find_first_of("[;=,", at), text.size());
    while (end > 0 && !continues_identifier(text[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && continues_identifier(text[begin - 1])) --begin;
    return std::string(text.substr(begin, end - begin));
}

int SourceText::shared_declaration(std::string_view name, int line) const {
    for (int n = std::min(line, static_cast<int>(lines_.size())); n > 0; --n) {
        const std::string_view text = text_of_line(n);
        if (text.find("__shared__") == std::string_view::npos) continue;
        if (name.empty() ? text.find("extern") != std::string_view::npos : shared_name(n) == name)
            return n;
    }
    return 0;
}

std::string SourceText::pointer_into(std::string_view name, int after, int before) const {
    const auto has_word = [](std::string_view text, std::string_view word) {
        for (std::size_t at = text.find(word); at != std::string_view::npos;
             at = text.find(word, at + 1)) {
            const std::size_t end = at + word.size();
            if ((at == 0 || !continues_identifier(text[at - 1])) &&
                (end == text.size() || !continues_identifier(text[end])))
                return true;
        }
        return false;
    };
    std::string found;
    for (int line = after + 1; !name.empty() && line < before; ++line) {
        const std::string_view text = text_of_line(line);
        const std::size_t set = text.find('=');
        const std::size_t star = text.find('*');
        if (set == std::string_view::npos || star == std::string_view::npos || star > set ||
            !has_word(text.substr(set), name))
            continue;
        std::size_t end = set;
        while (end > 0 && !continues_identifier(text[end - 1])) --end;
        std::size_t begin = end;
        while (begin > 0 && continues_identifier(text[begin - 1])) --begin;
        std::string part(text.substr(begin, end - begin));
        // The last one: what is behind another part is longer.
        if (!part.empty() && has_word(text_of_line(before), part)) found = std::move(part);
    }
    return found;
}

int SourceText::last_store(std::string_view name, int after, int before) const {
    int out = 0;
    if (name.empty() || after <= 0) return out;
    const auto n = static_cast<std::size_t>(after);
    const std::size_t begin = n < lines_.size() ? lines_[n] : code_.size();
    for (std::size_t at = code_.find(name, begin); at != std::string::npos;
         at = code_.find(name, at + 1)) {
        if (line_of(at) >= before) break;
        if ((at > 0 && continues_identifier(code_[at - 1])) || word_at(at) != name) continue;
        std::size_t next = after_spaces(at + name.size());
        while (next < code_.size() && code_[next] == '[' && partner_[next] != 0)
            next = after_spaces(partner_[next] + 1);
        if (next + 1 < code_.size() && code_[next] == '=' && code_[next + 1] != '=')
            out = line_of(at);
    }
    return out;
}

std::optional<std::pair<std::size_t, std::size_t>> SourceText::body_of(
    std::string_view function) const {
    for (std::size_t at = code_.find(function); at != std::string::npos;
         at = code_.find(function, at + 1)) {
        if ((at > 0 && continues_identifier(code_[at - 1])) || word_at(at) != function) continue;
        const std::size_t open = after_spaces(at + function.size());
        if (open >= code_.size() || code_[open] != '(' || partner_[open] == 0) continue;
        const std::size_t body = after_spaces(partner_[open] + 1);
        if (body < code_.size() && code_[body] == '{' && partner_[body] != 0)
            return std::pair{at, body};
    }
    return {};
}

int SourceText::definition(std::string_view function) const {
    const auto found = body_of(function);
    return found ? line_of(found->first) : 0;
}

bool SourceText::launches_nothing(std::string_view function) const {
    const auto found = body_of(function);
    if (!found) return false;
    const std::size_t end = partner_[found->second];
    for (std::size_t i = found->second; i < end;) {
        if (!starts_identifier(code_[i])) {
            ++i;
            continue;
        }
        const std::string_view word = word_at(i);
        i += word.size();
        const std::size_t next = after_spaces(i);
        const bool is_called = next < end && (code_[next] == '(' || code_[next] == '<');
        if (is_called && !is_of_statement(word) && word != "sizeof" && word != "return" &&
            !word.starts_with("cuda") && !(code_[next] == '<' && code_[next + 1] != '<'))
            return false;
    }
    return true;
}

SourceLocation definition_of(std::string_view function, std::span<const SourceFile> source) {
    function = function.substr(function.rfind(':') + 1);  // of a namespace
    if (function.empty()) return {};
    for (const SourceFile& file : source)
        if (const int line = SourceText(file.text).definition(function); line > 0)
            return {file.name, line, 0};
    return {};
}

std::string kernel_name(std::string_view demangled) {
    constexpr std::string_view unnamed = "(anonymous namespace)::";
    for (auto at = demangled.find_first_of("(<");
         at != std::string_view::npos && demangled.substr(at).starts_with(unnamed);
         at = demangled.find_first_of("(<"))
        demangled.remove_prefix(at + unnamed.size());
    demangled = demangled.substr(0, demangled.find_first_of("(<"));
    return std::string(demangled.substr(demangled.find_last_of(": ") + 1));
}

SourceLocation launch_of(std::string_view kernel, std::span<const SourceFile> source) {
    const auto calls = calls_of(kernel, source);
    const auto launch = std::ranges::find_if(calls, &WrittenCall::is_launch);
    return launch == calls.end() ? SourceLocation{} : launch->location;
}

bool is_legible(std::string_view text) {
    if (text.size() > most_text) return false;
    std::size_t stretch = 0;
    int depth = 0;
    for (const char c : without_comments(text)) {
        if (std::string_view("([{").find(c) != std::string_view::npos) ++depth;
        if (std::string_view(")]}").find(c) != std::string_view::npos) --depth;
        if (std::string_view(" \t\r\n").find(c) == std::string_view::npos) ++stretch;
        if (std::string_view(";{}").find(c) != std::string_view::npos) stretch = 0;
        if (depth > most_nested || stretch > longest_stretch) return false;
    }
    return true;
}

std::vector<SourceFile> legible(std::span<const SourceFile> source) {
    std::vector<SourceFile> out(source.begin(), source.end());
    for (SourceFile& file : out)
        if (!is_legible(file.text)) file.text.clear();
    return out;
}

std::string_view text_of(std::string_view file, std::span<const SourceFile> source) {
    const auto found = std::ranges::find(source, file, &SourceFile::name);
    return found == source.end() ? std::string_view() : found->text;
}

}  // namespace cugrade
