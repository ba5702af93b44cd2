// Calls, launches and declarations as a submission's text has them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "build/build_submission.hpp"
#include "core/source_location.hpp"

namespace cugrade {

/// A text of C++ in which comments and what is inside of literals are spaces: every character that
/// is left is where it was.
[[nodiscard]] std::string without_comments(std::string_view text);

struct WrittenCall {
    SourceLocation location;                 ///< of the function's name
    std::vector<std::string> configuration;  ///< what is between <<< and >>>; empty: no launch
    std::vector<std::string> arguments;
    [[nodiscard]] bool is_launch() const { return !configuration.empty(); }
};

/// Calls and launches of a function by its name, in the order of the text. Its declarations and its
/// definition look the same, and are left out where a type is in front of the name.
[[nodiscard]] std::vector<WrittenCall> calls_of(std::string_view function,
                                                std::span<const SourceFile>);

/// The name of a variable that an argument leads to: `x` of "&x", "(void**)&x", "p.x + 1"; empty:
/// there is none, or several.
[[nodiscard]] std::string variable_of(std::string_view argument);

struct Declaration {
    SourceLocation location;
    std::string text;  ///< from the start of the statement to its end
    [[nodiscard]] bool has(std::string_view word) const;
    bool is_array = false;
    std::string extent;  ///< of an array: "64"; empty: open
};

/// The last declaration of a variable in front of `line`, or else the first of the file; arrays
/// and `__shared__`, `__constant__` and `__device__` variables alone.
[[nodiscard]] std::optional<Declaration> declaration_of(std::string_view variable,
                                                        std::string_view file, int line,
                                                        std::span<const SourceFile>);

/// The last place in front of `line` at which a variable is declared with a value: "int a = f;".
[[nodiscard]] std::optional<SourceLocation> definition_of(std::string_view variable,
                                                          std::string_view file, int line,
                                                          std::span<const SourceFile>);

/// The first in any file.
[[nodiscard]] std::optional<Declaration> declaration_of(std::string_view variable,
                                                        std::span<const SourceFile>);

/// All identifiers of one line, without those of comments and literals.
[[nodiscard]] std::vector<std::string> names_in(std::string_view file, int line,
                                                std::span<const SourceFile>);

}  // namespace cugrade
