#include "judging/source_code.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "build/lexical.hpp"
#include "core/ascii.hpp"

namespace cugrade {
namespace {

/// The longest first.
constexpr std::array<std::string_view, 24> operators{
    "<<<", ">>>", "<<=", ">>=", "...", "+=", "-=", "*=", "/=", "%=", "|=", "&=",
    "^=",  "==",  "!=",  "<=",  ">=",  "&&", "||", "++", "--", "->", "::", "<<"};

constexpr int most_depth = 6;  ///< of calls, and of names that stand for names; chosen

bool is_keyword(std::string_view word) {
    return is_any(word, {"if", "for", "while", "switch", "return", "sizeof", "catch", "else", "do",
                         "case", "new", "delete", "goto", "throw", "constexpr"});
}

/// Behind a string or a character that begins at `i`; at the end of the line, if it does not end
/// there.
std::size_t behind_literal(std::string_view text, std::size_t i) {
    const char quote = text[i];
    for (++i; i < text.size() && text[i] != quote && text[i] != '\n'; ++i)
        if (text[i] == '\\') ++i;
    return std::min(i < text.size() && text[i] == '\n' ? i : i + 1, text.size());
}

}  // namespace

std::vector<Token> tokens_of(std::string_view text) {
    std::vector<Token> all;
    int line = 1;
    for (std::size_t i = 0; i < text.size();) {
        const std::string_view rest = text.substr(i);
        std::size_t size = 1;
        const char c = text[i];
        if (c == '\n') {
            ++line;
        } else if (rest.starts_with("//")) {
            size = std::min(rest.find('\n'), rest.size());
        } else if (rest.starts_with("/*")) {
            const std::size_t end = rest.find("*/", 2);
            size = end == std::string_view::npos ? rest.size() : end + 2;
            line += static_cast<int>(std::ranges::count(rest.substr(0, size), '\n'));
        } else if (c == '"' || c == '\'') {
            size = behind_literal(text, i) - i;
            all.push_back({rest.substr(0, size), line});
        } else if (starts_identifier(c)) {
            while (size < rest.size() && continues_identifier(rest[size])) ++size;
            all.push_back({rest.substr(0, size), line});
        } else if (is_digit(c)) {
            // Also 0x1F, 1e5, 2.5f, 1'000 and 0xffff'ffff.
            while (size < rest.size() && (continues_identifier(rest[size]) || rest[size] == '.' ||
                                          (rest[size] == '\'' && size + 1 < rest.size() &&
                                           continues_identifier(rest[size + 1]))))
                ++size;
            all.push_back({rest.substr(0, size), line});
        } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
            const auto* it = std::ranges::find_if(
                operators, [&](std::string_view op) { return rest.starts_with(op); });
            if (it != operators.end()) size = it->size();
            all.push_back({rest.substr(0, size), line});
        }
        i += size;
    }
    return all;
}

SourceCode::SourceCode(const SourceFile& file) : file_(file.name), tokens_(tokens_of(file.text)) {
    find_functions();
    find_classes();
    find_launches();
}

std::size_t SourceCode::match(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < tokens_.size(); ++i) {
        if (is_any(tokens_[i].text, {"(", "[", "{"})) ++depth;
        if (is_any(tokens_[i].text, {")", "]", "}"}) && --depth == 0) return i;
    }
    return tokens_.size();
}

std::vector<SourceCode::Range> SourceCode::arguments_in(std::size_t open, std::size_t close) const {
    std::vector<Range> all;
    std::size_t first = open + 1;
    int depth = 0;
    for (std::size_t i = open + 1; i <= close && i < tokens_.size(); ++i) {
        if (is_any(tokens_[i].text, {"(", "[", "{"})) ++depth;
        if ((depth == 0 && tokens_[i].text == ",") || i == close) {
            if (i > first) all.push_back({first, i});
            first = i + 1;
        }
        if (is_any(tokens_[i].text, {")", "]", "}"})) --depth;
    }
    return all;
}

void SourceCode::find_functions() {
    for (std::size_t i = 0; i + 3 < tokens_.size(); ++i) {
        if (!is_name(tokens_[i]) || is_keyword(tokens_[i].text)) continue;
        // `operator()(i)`, `operator[](i)` and `operator+(a)`
        const bool is_pair = (tokens_[i + 1].text == "(" && tokens_[i + 2].text == ")") ||
                             (tokens_[i + 1].text == "[" && tokens_[i + 2].text == "]");
        const std::size_t list = tokens_[i].text != "operator" ? i + 1 : is_pair ? i + 3 : i + 2;
        if (tokens_[list].text != "(") continue;
        const std::size_t close = match(list);
        if (close + 1 >= tokens_.size()) continue;
        std::size_t open = close + 1;
        while (open < tokens_.size() && is_any(tokens_[open].text, {"const", "noexcept"})) ++open;
        if (open >= tokens_.size() || tokens_[open].text != "{") continue;
        Function f{
            .name = tokens_[i].text, .parameters = {}, .at = i, .open = open, .close = match(open)};
        // Braces in branches of the preprocessor need not match.
        f.close = std::min(f.close, tokens_.size() - 1);
        for (const Range& one : arguments_in(list, close)) {
            std::string_view name;
            for (std::size_t k = one.first; k < one.last && tokens_[k].text != "="; ++k)
                if (is_name(tokens_[k])) name = tokens_[k].text;
            f.parameters.push_back(name);
        }
        functions_.push_back(std::move(f));
    }
}

void SourceCode::find_classes() {
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
        if (!is_any(tokens_[i].text, {"struct", "class"}) || !is_name(tokens_[i + 1])) continue;
        std::size_t open = i + 2;
        while (open < tokens_.size() && !is_any(tokens_[open].text, {"{", ";", "(", ")", "=", ">"}))
            ++open;
        if (open < tokens_.size() && tokens_[open].text == "{")
            classes_.push_back({tokens_[i + 1].text, {open, match(open)}});
    }
}

void SourceCode::find_launches() {
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
        if (tokens_[i].text != "<<<") continue;
        std::size_t name = i - 1;
        if (tokens_[name].text == ">") {
            int depth = 0;
            while (name > 0) {
                if (tokens_[name].text == ">") ++depth;
                if (tokens_[name].text == "<" && --depth == 0) break;
                --name;
            }
            if (name > 0) --name;
        }
        std::size_t end = i;
        while (end < tokens_.size() && tokens_[end].text != ">>>" && tokens_[end].text != ";")
            ++end;
        if (end + 1 >= tokens_.size() || tokens_[end].text != ">>>" ||
            tokens_[end + 1].text != "(" || !is_name(tokens_[name]))
            continue;
        launches_.push_back({.kernel = tokens_[name].text,
                             .at = name,
                             .numbers = arguments_in(i, end),
                             .arguments = arguments_in(end + 1, match(end + 1))});
    }
}

const SourceCode::Function* SourceCode::function(std::string_view name) const {
    const auto it = std::ranges::find(functions_, name, &Function::name);
    return it == functions_.end() ? nullptr : &*it;
}

std::vector<const SourceCode::Function*> SourceCode::reached_from(std::string_view name) const {
    std::vector<const Function*> all;
    if (const Function* first = function(name)) all.push_back(first);
    for (std::size_t n = 0; n < all.size(); ++n)
        for (std::size_t i = all[n]->at; i < all[n]->close && i < tokens_.size(); ++i) {
            if (!is_name(tokens_[i])) continue;
            const std::string_view called = tokens_[i].text;
            const auto is_member = [&](const Function& f) {
                return std::ranges::any_of(classes_, [&](const Class& one) {
                    return one.name == called && one.body.first < f.at && f.at < one.body.last;
                });
            };
            // Overloads and specialisations count together, and so do a class's functions.
            for (const Function& f : functions_)
                if (((f.name == called && i > all[n]->open) || is_member(f)) &&
                    std::ranges::find(all, &f) == all.end())
                    all.push_back(&f);
        }
    return all;
}

bool SourceCode::is_member(std::size_t token) const {
    return std::ranges::any_of(
               classes_,
               [&](const Class& one) { return one.body.first < token && token < one.body.last; }) &&
           around(tokens_[token].line) == nullptr;
}

const SourceCode::Function* SourceCode::around(int line) const {
    const Function* found = nullptr;
    for (const Function& f : functions_)
        if (tokens_[f.at].line <= line && f.close < tokens_.size() && tokens_[f.close].line >= line)
            found = &f;
    return found;
}

std::size_t SourceCode::declaration_of(std::string_view name, int line) const {
    const Function* f = around(line);
    std::size_t found = tokens_.size();
    for (std::size_t i = 1; i + 1 < tokens_.size() && tokens_[i].line <= line; ++i) {
        if (tokens_[i].text != name) continue;
        // In another function's body: another variable.
        const Function* owner = around(tokens_[i].line);
        if (owner != nullptr && owner != f) continue;
        const Token &before = tokens_[i - 1], &after = tokens_[i + 1];
        const bool follows_type = (is_name(before) && !is_keyword(before.text)) ||
                                  is_any(before.text, {"*", "&", ","}) ||
                                  (before.text == ">" && is_any(after.text, {"=", "{", "["}));
        const bool begins = is_any(after.text, {"=", ";", ",", "[", "{", "(", ")", ":"});
        const bool is_macro = before.text == "define";
        // A product, or an argument among others, is no declaration.
        // `T* x` begins a statement.
        const bool is_product =
            is_any(before.text, {"*", "&"}) && owner != nullptr && i > owner->open && i >= 3 &&
            !is_any(tokens_[i - 3].text,
                    {";", "{", "}", ":", "::", "const", "static", "__shared__", "volatile"});
        const bool is_argument = before.text == "," && !is_any(after.text, {"=", "["});
        if (is_macro || (follows_type && begins && !is_product && !is_argument)) {
            // The first one that the line can see; a later one of the same name hides it.
            if (is_argument) continue;
            found = i;
        }
    }
    return found;
}

int SourceCode::origin_of(std::string_view name, int line) const {
    int found = 0;
    std::string text(name);
    for (int depth = 0; depth < most_depth; ++depth) {
        const std::size_t at = declaration_of(text, line);
        if (at >= tokens_.size()) return found;
        found = line = tokens_[at].line;
        const bool is_other = at + 3 < tokens_.size() && tokens_[at + 1].text == "=" &&
                              is_name(tokens_[at + 2]) && is_any(tokens_[at + 3].text, {";", ","});
        if (!is_other) return found;
        text = tokens_[at + 2].text;
    }
    return found;
}

const SourceCode::Launch* SourceCode::launch_at(int line) const {
    for (const Launch& one : launches_)
        if (tokens_[one.at].line <= line && !one.numbers.empty() &&
            tokens_[one.numbers.back().last].line >= line)
            return &one;
    return nullptr;
}

SourceCode::Range SourceCode::tokens_of_line(int line) const {
    const auto first = std::ranges::lower_bound(tokens_, line, {}, &Token::line);
    const auto last = std::ranges::upper_bound(tokens_, line, {}, &Token::line);
    return {static_cast<std::size_t>(first - tokens_.begin()),
            static_cast<std::size_t>(last - tokens_.begin())};
}

int SourceCode::division_of(Range range, int line) const {
    // `>>` is two tokens.
    const auto divides = [&](std::size_t i) {
        return tokens_[i].text == "/" ||
               (tokens_[i].text == ">" && i + 1 < tokens_.size() && tokens_[i + 1].text == ">");
    };
    for (std::size_t i = range.first; i < range.last; ++i)
        if (divides(i)) return tokens_[i].line;
    for (std::size_t i = range.first; i < range.last; ++i) {
        if (!is_name(tokens_[i])) continue;
        std::string text(tokens_[i].text);
        int seen_from = line;
        for (int depth = 0; depth < most_depth; ++depth) {
            const std::size_t at = declaration_of(text, seen_from);
            if (at >= tokens_.size()) break;
            std::size_t end = at;
            while (end < tokens_.size() && tokens_[end].text != ";") ++end;
            for (std::size_t k = at; k < end; ++k)
                if (divides(k)) return tokens_[k].line;
            if (at + 2 >= tokens_.size() || tokens_[at + 1].text != "=" ||
                !is_name(tokens_[at + 2]))
                break;
            text = tokens_[at + 2].text;
            seen_from = tokens_[at].line;
        }
    }
    return 0;
}

long SourceCode::number_of(Range range, int line) const {
    if (range.last != range.first + 1) return 0;
    std::size_t at = range.first;
    for (int depth = 0; depth < most_depth && at < tokens_.size(); ++depth) {
        if (is_digit(tokens_[at].text[0])) {
            long value = 0;
            const std::string_view text = tokens_[at].text;
            std::from_chars(text.data(), text.data() + text.size(), value);
            return value;
        }
        const std::size_t declared = declaration_of(tokens_[at].text, line);
        if (declared + 3 >= tokens_.size()) return 0;
        const bool is_macro = declared > 0 && tokens_[declared - 1].text == "define";
        const bool has_value = is_any(tokens_[declared + 1].text, {"=", "{", "("});
        if (!is_macro && !has_value) return 0;
        line = tokens_[declared].line;
        at = declared + (is_macro ? 1 : 2);
        // A number alone, not the first of a sum.
        if (!is_macro && !is_any(tokens_[at + 1].text, {";", ",", "}", ")"})) return 0;
        if (is_macro && at + 1 < tokens_.size() && tokens_[at + 1].line == line) return 0;
    }
    return 0;
}

void SourceCode::follow(const Function& f, std::size_t parameter, Use use, int depth,
                        std::set<std::pair<std::size_t, std::size_t>>& seen,
                        std::set<int>& lines) const {
    if (parameter >= f.parameters.size() || depth > most_depth ||
        !seen.emplace(f.at, parameter).second)
        return;
    std::set<std::string_view> names{f.parameters[parameter]};
    const std::size_t end = std::min(f.close, tokens_.size());
    for (std::size_t i = f.open; i < end; ++i) {
        if (!names.contains(tokens_[i].text)) continue;
        std::size_t begin = i;  // of the statement
        while (begin > f.open && !is_any(tokens_[begin - 1].text, {";", "{", "}"})) --begin;
        // `float4* y4 = ...(y);` is another name for it.
        for (std::size_t k = begin; k + 2 < i; ++k)
            if (is_any(tokens_[k].text, {"*", "auto", "&"}) && is_name(tokens_[k + 1]) &&
                tokens_[k + 2].text == "=" && (i + 1 >= end || tokens_[i + 1].text != "["))
                names.insert(tokens_[k + 1].text);
        // Passed on.
        for (const Launch& launch : launches_)
            for (std::size_t n = 0; n < launch.arguments.size(); ++n)
                if (launch.arguments[n].first <= i && i < launch.arguments[n].last)
                    for (const Function& other : functions_)
                        if (other.name == launch.kernel)
                            follow(other, n, use, depth + 1, seen, lines);
        for (std::size_t k = begin; k < i; ++k) {
            if (!is_name(tokens_[k]) || tokens_[k + 1].text != "(") continue;
            const std::size_t close = match(k + 1);
            if (close < i) continue;
            const auto arguments = arguments_in(k + 1, close);
            const bool is_atomic = tokens_[k].text.starts_with("atomic");
            for (std::size_t n = 0; n < arguments.size(); ++n) {
                if (i < arguments[n].first || i >= arguments[n].last) continue;
                if (is_atomic && n == 0 && use == Use::stored) lines.insert(tokens_[i].line);
                for (const Function& other : functions_)
                    if (other.name == tokens_[k].text)
                        follow(other, n, use, depth + 1, seen, lines);
            }
        }
        // `y[i] = `, `*y = `; and what is no store is a load.
        std::size_t behind = i + 1;
        const bool is_element = behind < end && tokens_[behind].text == "[";
        if (is_element) behind = match(behind) + 1;
        const bool is_pointed = i > 0 && tokens_[i - 1].text == "*" && i >= 2 &&
                                is_any(tokens_[i - 2].text, {";", "{", "}", ")"});
        while (is_element && behind + 1 < end && tokens_[behind].text == ".") behind += 2;
        const bool stores =
            behind < end && is_any(tokens_[behind].text, {"=", "+=", "-=", "*=", "|=", "++", "--"});
        if ((is_element || is_pointed) && stores == (use == Use::stored))
            lines.insert(tokens_[i].line);
    }
}

std::vector<int> SourceCode::uses_of(std::string_view name, std::size_t parameter, Use use) const {
    std::set<std::pair<std::size_t, std::size_t>> seen;
    std::set<int> lines;
    if (const Function* f = function(name)) follow(*f, parameter, use, 0, seen, lines);
    return {lines.begin(), lines.end()};
}

}  // namespace cugrade
