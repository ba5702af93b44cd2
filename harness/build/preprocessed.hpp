// What the compiler got to see of a submission: the text behind the preprocessor, with its line
// markers. Macros are expanded and comments are gone in it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cugrade {

/// A place in the student's files: "student.cu", 12.
struct SourcePlace {
    std::string file;
    int line = 0;  ///< 0: not known
    [[nodiscard]] std::string text() const;
};

struct SourceToken {
    enum class Kind { identifier, text, punctuator };
    Kind kind = Kind::punctuator;
    std::string_view text;  ///< of a string: with its quotes; `::` and `->` are one punctuator
    int file = 0;           ///< in Preprocessed::files
    int line = 0;
};

struct Preprocessed {
    std::shared_ptr<const std::string> source;  ///< of the tokens, which point into it
    std::vector<std::string> files;             ///< the submission's own
    std::vector<SourceToken> tokens;            ///< of these files, numbers left out

    /// A file of the toolkit or the system that was read because a file of the submission includes
    /// it, or includes what includes it.
    struct Inclusion {
        std::string path;
        SourcePlace place;  ///< of the #include in the submission
        bool direct = false;
    };
    std::vector<Inclusion> inclusions;

    /// The first line, if any, that the preprocessor has left and that a later pass of the compiler
    /// would take for a directive: `EMPTY #include "x"`. Also a line marker that renames the
    /// student's file.
    std::vector<SourcePlace> stray_directives;

    /// The submission's own text has more tokens, or longer ones, than are kept: the rest is not
    /// read.
    bool is_too_much = false;

    [[nodiscard]] SourcePlace place_of(const SourceToken&) const;
};

/// Whose a file is, by its name in a line marker.
enum class Owner {
    submission,
    course,   ///< the assignment's interface: what it includes is not the student's doing
    foreign,  ///< the toolkit's and the system's
};

/// The most that is kept of a submission's own text. Chosen: all that may be handed in has 16 MiB
/// and, with one token in four characters, as many tokens.
inline constexpr std::size_t most_source_tokens = std::size_t{4} << 20;
inline constexpr std::size_t most_source_bytes = std::size_t{64} << 20;

[[nodiscard]] Preprocessed read_preprocessed(std::string text,
                                             const std::function<Owner(std::string_view)>& owner);

}  // namespace cugrade
