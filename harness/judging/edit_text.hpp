// What the rules for edits (edit_rules.hpp) share: a file as tokens, and the walks over it.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cause.hpp"
#include "core/spec.hpp"
#include "judging/source_code.hpp"
#include "judging/source_places.hpp"

namespace cugrade::edit {

using Function = SourceCode::Function;
using Range = SourceCode::Range;

/// What a rule looks at: the task, and the file and the functions that its cause may lie in.
struct Text {
    const TaskSpec& task;
    const SourceCode& code;
    const SourceText& lines;
    std::span<const SourceFile> source;
    std::vector<const Function*> reached;

    [[nodiscard]] const Token& token(std::size_t i) const { return code.tokens()[i]; }
    [[nodiscard]] std::string_view word(std::size_t i) const {
        return i < code.tokens().size() ? code.tokens()[i].text : std::string_view();
    }
    [[nodiscard]] int line(std::size_t i) const {
        return i < code.tokens().size() ? code.tokens()[i].line : 0;
    }
    [[nodiscard]] bool reaches(const Function* f) const {
        return std::ranges::find(reached, f) != reached.end();
    }
};

/// "line 12" in a text becomes "line 15", but not "line 120".
void rename_line(std::string& text, int from, int to);
/// Moves the cause to a line; where it was becomes its second place, if it has none.
void put_at(const Text&, int line, Cause&);
/// The edit goes somewhere between two lines.
void put_between(const Text&, int first, int last, Cause&);
/// The edit is at `made`, or between that and the cause's line, where both are seen at once.
void put_near(const Text&, int made, Cause&);

[[nodiscard]] std::set<std::string_view> names_of(const Text&, Range);
/// Behind the statement that begins at a token.
[[nodiscard]] std::size_t behind(const Text&, std::size_t token);

/// The next `;` from a token on; `last`: there is none before that.
[[nodiscard]] std::size_t end_of_statement(const Text&, std::size_t token, std::size_t last);

/// An `if` and what it decides.
struct Condition {
    std::size_t at = 0;  ///< the token of `if`
    Range body;
    Range other;  ///< of `else`; empty: it has none
};
[[nodiscard]] std::vector<Condition> conditions_in(const Text&, const Function&);

/// A `for` or `while`.
struct Loop {
    std::size_t at = 0;  ///< its token
    Range all;           ///< from there to the end of its body
};
/// The outermost first.
[[nodiscard]] std::vector<Loop> loops_in(const Text&, const Function&);

[[nodiscard]] inline bool is_in(Range range, std::size_t i) {
    return range.first <= i && i < range.last;
}
/// The tokens, one behind the other.
[[nodiscard]] std::string words(const Text&, Range);
/// The same of a line; empty for line 0.
[[nodiscard]] std::string words_of_line(const Text&, int line);
/// The ranges between the commas of a call's parentheses.
[[nodiscard]] std::vector<Range> arguments_of(const Text&, std::size_t open);
/// The opening parenthesis of a call, `f(x)` or `f<4>(x)`, whose name is the token; 0: it is none.
[[nodiscard]] std::size_t open_of_call(const Text&, std::size_t token);
/// The function of the file that is called at a token; null: none.
[[nodiscard]] const Function* function_called_at(const Text&, std::size_t token);
/// Whether a line makes a pointer to a wider type of another pointer.
[[nodiscard]] bool casts_pointer(const Text&, int line);
/// The line with the definition of a name that is in sight at a line; 0: none.
[[nodiscard]] int definition_in(const Text&, std::string_view name, int line);

}  // namespace cugrade::edit
