// Theory of operation. The tokens are passed once. A stack holds what each open brace belongs to,
// another one the lines of `#if`. The tokens between the statement before and the function's name
// are its specifiers. Directives are left out of all that.
#include "judging/written_functions.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

#include "judging/source_code.hpp"

namespace cugrade {
namespace {

/// What stands in front of a brace is looked at so far back. Chosen: no signature has as many.
constexpr std::size_t most_before = 256;

/// What a brace opens.
struct Scope {
    std::string name;
    int line = 0;
    bool is_unnamed_namespace = false;
    bool is_extern_c = false;
};

/// Which tokens are the preprocessor's.
std::vector<bool> directives_in(const std::vector<Token>& tokens) {
    std::vector<bool> out(tokens.size(), false);
    int until = 0;  // the line in which a directive ends
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool begins = i == 0 || tokens[i - 1].line < tokens[i].line;
        if (begins && tokens[i].text == "#") until = tokens[i].line;
        out[i] = tokens[i].line <= until;
        // It goes on behind a backslash.
        if (out[i] && tokens[i].text == "\\") until = tokens[i].line + 1;
    }
    return out;
}

/// A declaration in one line, with blanks where people put them.
std::string text_of(std::span<const Token> tokens) {
    std::string out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool parts =
            i > 0 && is_name(tokens[i]) &&
            (is_name(tokens[i - 1]) || is_any(tokens[i - 1].text, {"*", "&", ">", "]"}));
        if (parts || out.ends_with(',')) out += ' ';
        out += tokens[i].text;
    }
    return out;
}

class Reader {
public:
    explicit Reader(const SourceFile& file)
        : code_(file), tokens_(code_.tokens()), is_directive_(directives_in(tokens_)) {}

    std::vector<WrittenFunction> read() {
        std::vector<WrittenFunction> all;
        auto next = code_.functions().begin();
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (next != code_.functions().end() && next->at == i) {
                if (!is_directive_[i]) all.push_back(function(*next));
                ++next;
            }
            if (is_directive_[i])
                follow_condition(i);
            else if (tokens_[i].text == "{")
                scopes_.push_back(scope_of(i));
            else if (tokens_[i].text == "}" && !scopes_.empty())
                scopes_.pop_back();
        }
        return all;
    }

private:
    void follow_condition(std::size_t i) {
        if (tokens_[i].text != "#" || i + 1 >= tokens_.size()) return;
        const std::string_view word = tokens_[i + 1].text;
        if (word.starts_with("if"))
            conditions_.push_back(tokens_[i].line);
        else if (word.starts_with("el") && !conditions_.empty())
            conditions_.back() = tokens_[i].line;
        else if (word == "endif" && !conditions_.empty())
            conditions_.pop_back();
    }

    /// The first token of the declaration that goes on at `i`.
    [[nodiscard]] std::size_t begin_of(std::size_t i) const {
        const std::size_t least = i > most_before ? i - most_before : 0;
        while (i > least && !is_directive_[i - 1] && !is_any(tokens_[i - 1].text, {";", "{", "}"}))
            --i;
        return i;
    }

    [[nodiscard]] Scope scope_of(std::size_t open) const {
        Scope scope{.name = "{", .line = tokens_[open].line};
        for (std::size_t i = begin_of(open); i < open; ++i) {
            const std::string_view word = tokens_[i].text;
            const bool is_namespace = word == "namespace";
            if (is_namespace || is_any(word, {"struct", "class", "union"})) {
                scope.line = tokens_[i].line;
                scope.name.clear();
                for (++i; i < open && (is_name(tokens_[i]) || tokens_[i].text == "::"); ++i)
                    scope.name += tokens_[i].text;
                scope.is_unnamed_namespace = is_namespace && scope.name.empty();
                return scope;
            }
            if (word == "extern" && i + 2 == open && tokens_[i + 1].text == "\"C\"") {
                scope.name.clear();
                scope.is_extern_c = true;
                return scope;
            }
            // The first of a function's: the rest are its parameters' types.
            if (word == "(") break;
        }
        return scope;
    }

    [[nodiscard]] WrittenFunction function(const SourceCode::Function& f) const {
        WrittenFunction out;
        out.name = std::string(f.name);
        out.location = {code_.file(), tokens_[f.at].line, 0};
        const std::size_t begin = begin_of(f.at);
        out.first_line = tokens_[begin].line;
        for (const Scope& scope : scopes_) {
            if (!scope.name.empty()) out.scope += (out.scope.empty() ? "" : "::") + scope.name;
            out.is_unnamed_scope |= scope.is_unnamed_namespace;
            out.is_extern_c |= scope.is_extern_c;
            if (out.scope_line == 0 && !scope.is_extern_c) out.scope_line = scope.line;
        }
        bool is_host = false;
        for (std::size_t i = begin; i < f.at; ++i) {
            const std::string_view word = tokens_[i].text;
            out.is_static |= word == "static";
            out.is_inline |= is_any(word, {"inline", "__inline__", "__forceinline__", "constexpr"});
            out.is_template |= word == "template";
            out.is_extern_c |= word == "\"C\"";
            out.is_kernel |= word == "__global__";
            out.is_device |= word == "__device__";
            is_host |= word == "__host__";
        }
        out.is_device &= !is_host;
        // `void other::f(...)` is defined there.
        if (f.at >= begin + 2 && tokens_[f.at - 1].text == "::" && is_name(tokens_[f.at - 2]))
            out.scope = std::string(tokens_[f.at - 2].text);
        if (!conditions_.empty()) out.condition_line = conditions_.back();
        const std::size_t close = std::min(code_.match(f.at + 1), f.open);
        out.last_line = tokens_[close].line;
        out.signature = text_of(std::span(tokens_).subspan(begin, close + 1 - begin));
        return out;
    }

    SourceCode code_;
    const std::vector<Token>& tokens_;
    std::vector<bool> is_directive_;
    std::vector<Scope> scopes_;
    std::vector<int> conditions_;
};

}  // namespace

std::vector<DeclaredFunction> declarations_in(std::string_view interface_cuh) {
    constexpr std::string_view before = "CUGRADE_FUNCTION";
    const std::vector<Token> tokens = tokens_of(interface_cuh);
    const std::vector<bool> is_directive = directives_in(tokens);
    std::vector<DeclaredFunction> all;
    std::vector<Token> statement;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (is_directive[i] || tokens[i].text == before) continue;
        if (!is_any(tokens[i].text, {";", "{", "}"})) {
            statement.push_back(tokens[i]);
            continue;
        }
        const auto open = std::ranges::find(statement, "(", &Token::text);
        if (open != statement.end() && open != statement.begin() && tokens[i].text == ";" &&
            is_name(*std::prev(open)))
            all.push_back({std::string(std::prev(open)->text), text_of(statement)});
        statement.clear();
    }
    return all;
}

std::vector<WrittenFunction> functions_of(const SourceFile& file) { return Reader(file).read(); }

}  // namespace cugrade
