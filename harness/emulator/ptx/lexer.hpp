// Splits PTX text into tokens, one at a time. Tokens are views into the source; nothing is
// allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cugrade::ptx {

enum class TokenKind : std::uint8_t {
    end,
    name,        ///< identifier: letter, `_`, `$` or `%`, then letters, digits, `_`, `$`
    dotted,      ///< `.global`, `.v4`, `.mbarrier::complete_tx::bytes`: the dot included
    number,      ///< anything that starts with a digit: 1, 0x1F, 0f3F800000, 1.5e-3, 7U
    string,      ///< without the quotes; no escapes are interpreted
    punctuation  ///< one character
};

struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text;
    std::size_t at = 0;     ///< byte offset in the source
    std::int32_t line = 1;  ///< 1-based

    [[nodiscard]] bool is(char c) const {
        return kind == TokenKind::punctuation && text.front() == c;
    }
    [[nodiscard]] bool is_dotted(std::string_view s) const {
        return kind == TokenKind::dotted && text.substr(1) == s;
    }
};

/// The lexer and the parser throw this; parse() turns it into an Error.
struct SyntaxError {
    std::string message;
    std::size_t at = 0;  ///< byte offset in the source
};

class Lexer {
public:
    explicit Lexer(std::string_view source) : source_(source) {}

    [[nodiscard]] Token next();
    /// Skips past the `}` that closes a `{` already consumed (debugging sections).
    void skip_block();
    void skip_line();

private:
    void skip_space();

    std::string_view source_;
    std::size_t at_ = 0;
    std::int32_t line_ = 1;
};

}  // namespace cugrade::ptx
