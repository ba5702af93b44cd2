// A submission's text as tokens, functions and launches: which line an edit goes to, where the
// execution does not tell it.
//
// Theory of operation. No compiler is asked. The text is cut into tokens; a name in front of
// parentheses and a brace is a function. An argument of the task's function is followed through
// launches and calls by its place among the arguments, and through pointers that are set from it.
// What a macro or a template's type hides is not found, and then there is no line.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "build/build_submission.hpp"
#include "build/lexical.hpp"
#include "core/source_location.hpp"

namespace cugrade {

struct Token {
    std::string_view text;
    int line = 0;
};

[[nodiscard]] inline bool is_name(const Token& token) { return starts_identifier(token.text[0]); }
[[nodiscard]] inline bool is_any(std::string_view word,
                                 std::initializer_list<std::string_view> list) {
    return std::ranges::find(list, word) != list.end();
}

/// A type of at most 32 bits, in one word.
[[nodiscard]] inline bool is_narrow(std::string_view type) {
    return is_any(type,
                  {"int", "unsigned", "uint32_t", "int32_t", "float", "uint", "short", "char"});
}

/// Without comments. A literal in quotes is one token, and so is an operator.
[[nodiscard]] std::vector<Token> tokens_of(std::string_view text);

class SourceCode {
public:
    /// The text must outlive this.
    explicit SourceCode(const SourceFile&);

    /// A function with a body: tokens [open, close] are its braces.
    struct Function {
        std::string_view name;
        std::vector<std::string_view> parameters;
        std::size_t at = 0;  ///< the token of its name
        std::size_t open = 0, close = 0;
    };
    /// `kernel<<<grid, block>>>(...)`: token ranges [first, last) of its numbers and arguments.
    struct Range {
        std::size_t first = 0, last = 0;
    };
    struct Launch {
        std::string_view kernel;
        std::size_t at = 0;  ///< the token of the kernel's name
        std::vector<Range> numbers;
        std::vector<Range> arguments;
    };

    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] const std::vector<Token>& tokens() const { return tokens_; }
    [[nodiscard]] const std::vector<Function>& functions() const { return functions_; }
    [[nodiscard]] const std::vector<Launch>& launches() const { return launches_; }
    /// The launch that a line is a part of; null: none.
    [[nodiscard]] const Launch* launch_at(int line) const;
    /// The tokens of a line.
    [[nodiscard]] Range tokens_of_line(int line) const;
    /// The functions that `name` calls and launches, itself first; of a class that is named, all.
    [[nodiscard]] std::vector<const Function*> reached_from(std::string_view name) const;
    /// The function around the line; null: there is none.
    [[nodiscard]] const Function* around(int line) const;

    /// Whether the token is in the body of a class, and in none of its functions.
    [[nodiscard]] bool is_member(std::size_t token) const;

    /// Where the variable, parameter or macro that is in sight at the line gets its first value;
    /// if that is another name alone, where this one does. 0: not found.
    [[nodiscard]] int origin_of(std::string_view name, int line) const;
    /// Whether there is a division in the tokens, or in what the names there come from.
    [[nodiscard]] int division_of(Range, int line) const;
    /// What the range stands for if it is a number, or a name of one; 0: unknown.
    [[nodiscard]] long number_of(Range, int line) const;

    enum class Use { stored, read };
    /// The lines in which an argument of the function `name` is stored to, or read, there and in
    /// what it calls, in the order of the text.
    [[nodiscard]] std::vector<int> uses_of(std::string_view name, std::size_t parameter, Use) const;

    /// The closing parenthesis or bracket or brace of the one at `open`.
    [[nodiscard]] std::size_t match(std::size_t open) const;

private:
    struct Class {
        std::string_view name;
        Range body;
    };

    void find_functions();
    void find_classes();
    void find_launches();
    [[nodiscard]] std::vector<Range> arguments_in(std::size_t open, std::size_t close) const;
    [[nodiscard]] std::size_t declaration_of(std::string_view name, int line) const;
    [[nodiscard]] const Function* function(std::string_view name) const;
    void follow(const Function&, std::size_t parameter, Use, int depth,
                std::set<std::pair<std::size_t, std::size_t>>& seen, std::set<int>& lines) const;

    std::string file_;
    std::vector<Token> tokens_;
    std::vector<Function> functions_;
    std::vector<Class> classes_;
    std::vector<Launch> launches_;
};

}  // namespace cugrade
