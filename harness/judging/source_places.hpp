// Places in a submission's text where an edit goes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "build/build_submission.hpp"
#include "core/source_location.hpp"

namespace cugrade {

/// A file's text with its comments and literals blanked, and its statements.
class SourceText {
public:
    explicit SourceText(std::string_view text);

    /// The line behind which a statement of `line` is outside of all `if` and `else` around it:
    /// that in which the outermost one of those ends, inside of the innermost loop; or `line`.
    [[nodiscard]] int line_behind_branches(int line) const;
    /// Whether `line` depends on a condition in the line `above`.
    [[nodiscard]] bool is_below(int line, int above) const;
    /// The line of the head of the `if` or `else` that decides whether `line` is run, if that is
    /// but a few lines away; else `line`.
    [[nodiscard]] int head_of_branch(int line) const;
    /// The same of the innermost `if`, `else` or loop.
    [[nodiscard]] int head_of_statement(int line) const;
    /// The line behind which something goes that has to be in front of `line` and outside of the
    /// `if` and `else` around it: the last line with code in front of the statement.
    [[nodiscard]] int line_before_branches(int line) const;
    /// The last line with code in front of the statement in `line`; 0: there is none.
    [[nodiscard]] int line_before(int line) const;
    /// The next line with code; `line` if there is none.
    [[nodiscard]] int line_after(int line) const;
    /// The line in which an array of this name is declared `__shared__`, the last one above `line`;
    /// of an empty name the last `extern` one. 0: there is none.
    [[nodiscard]] int shared_declaration(std::string_view name, int line) const;
    /// The name that is declared in `line`; empty: none.
    [[nodiscard]] std::string shared_name(int line) const;
    /// The line in which a function of this name is defined; 0: none.
    [[nodiscard]] int definition(std::string_view function) const;
    /// Whether a function is defined here and calls nothing but functions of CUDA's: it can have no
    /// kernel launched.
    [[nodiscard]] bool launches_nothing(std::string_view function) const;
    /// The name of a pointer that is made of an array's between two lines, `part = name + 12`, and
    /// stands in the second one; empty: there is none.
    [[nodiscard]] std::string pointer_into(std::string_view name, int after, int before) const;
    /// Whether a line has that text.
    [[nodiscard]] bool says(int line, std::string_view part) const {
        return text_of_line(line).find(part) != std::string_view::npos;
    }
    /// The last line between two others in which an element of an array is set (`name[...] = `).
    [[nodiscard]] int last_store(std::string_view name, int after, int before) const;

private:
    struct Statement {
        std::string_view keyword;
        std::size_t begin = 0, end = 0;  ///< of all of it, with its `else`
        std::size_t condition = 0, body = 0;
    };
    [[nodiscard]] int line_of(std::size_t at) const;
    /// The name and the opening brace of a function's definition; nothing if there is none.
    [[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> body_of(
        std::string_view function) const;
    [[nodiscard]] std::string_view text_of_line(int line) const;
    [[nodiscard]] std::size_t after_spaces(std::size_t at) const;
    [[nodiscard]] std::string_view word_at(std::size_t at) const;
    [[nodiscard]] std::size_t end_of_statement(std::size_t at, int depth) const;
    void match_brackets();
    void find_statements();
    /// Whether `line` has code of the statement behind its condition.
    [[nodiscard]] bool contains(const Statement&, int line) const;

    std::string code_;
    std::vector<std::size_t> lines_;    ///< where each begins
    std::vector<std::size_t> partner_;  ///< of an opening bracket; 0: it has none
    std::vector<Statement> statements_;
};

/// "sum" of "void n::sum<float>(float const*)".
[[nodiscard]] std::string kernel_name(std::string_view demangled);

/// The first launch of a kernel in plain sight; line 0: there is none.
[[nodiscard]] SourceLocation launch_of(std::string_view kernel, std::span<const SourceFile>);

/// The definition of a function; line 0: it is not in plain sight.
[[nodiscard]] SourceLocation definition_of(std::string_view function, std::span<const SourceFile>);

/// Whether a text can be scanned in little time: it is no longer, and its statements and brackets
/// are no longer and no deeper nested, than what somebody writes by hand.
[[nodiscard]] bool is_legible(std::string_view text);
/// The files, those without a text that are not. All that scans sources for causes gets these: a
/// submission must not hold up its grader by what stands between `#if 0` and `#endif`.
[[nodiscard]] std::vector<SourceFile> legible(std::span<const SourceFile>);

/// The text of a file of this name; empty: there is none.
[[nodiscard]] std::string_view text_of(std::string_view file, std::span<const SourceFile>);

}  // namespace cugrade
