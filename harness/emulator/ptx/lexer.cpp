#include "emulator/ptx/lexer.hpp"

#include <array>

namespace cugrade::ptx {
namespace {

enum : std::uint8_t { name_start = 1, name_part = 2, digit = 4, space = 8 };

constexpr std::array<std::uint8_t, 256> make_classes() {
    std::array<std::uint8_t, 256> table{};
    for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = name_start | name_part;
    for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = name_start | name_part;
    for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = name_part | digit;
    table['_'] = table['$'] = name_start | name_part;
    table['%'] = name_start;
    for (char c : {' ', '\t', '\r', '\n', '\v', '\f'}) table[static_cast<std::size_t>(c)] = space;
    return table;
}
constexpr auto classes = make_classes();

bool is(char c, std::uint8_t what) { return classes[static_cast<unsigned char>(c)] & what; }

}  // namespace

void Lexer::skip_space() {
    const std::size_t size = source_.size();
    while (at_ < size) {
        const char c = source_[at_];
        if (is(c, space)) {
            line_ += c == '\n';
            ++at_;
        } else if (c == '/' && at_ + 1 < size && source_[at_ + 1] == '/') {
            skip_line();
        } else if (c == '/' && at_ + 1 < size && source_[at_ + 1] == '*') {
            const std::size_t end = source_.find("*/", at_ + 2);
            if (end == std::string_view::npos) throw SyntaxError{"this comment has no end", at_};
            for (; at_ < end + 2; ++at_) line_ += source_[at_] == '\n';
        } else {
            return;
        }
    }
}

void Lexer::skip_line() {
    at_ = source_.find('\n', at_);
    if (at_ == std::string_view::npos) at_ = source_.size();
}

void Lexer::skip_block() {
    const std::size_t start = at_;
    for (int depth = 1; depth > 0;) {
        skip_space();
        if (at_ >= source_.size()) throw SyntaxError{"this section has no end", start};
        const char c = source_[at_++];
        if (c == '{') ++depth;
        if (c == '}') --depth;
        if (c == '"') {
            at_ = source_.find('"', at_);
            if (at_ == std::string_view::npos) throw SyntaxError{"this section has no end", start};
            ++at_;
        }
    }
}

Token Lexer::next() {
    skip_space();
    const std::size_t size = source_.size();
    const std::size_t start = at_;
    const auto token = [&](TokenKind kind) {
        return Token{kind, source_.substr(start, at_ - start), start, line_};
    };
    if (at_ >= size) return token(TokenKind::end);
    const char c = source_[at_++];
    if (is(c, name_start)) {
        while (at_ < size && is(source_[at_], name_part)) ++at_;
        return token(TokenKind::name);
    }
    if (c == '.' && at_ < size && is(source_[at_], name_part)) {
        for (;;) {
            while (at_ < size && is(source_[at_], name_part)) ++at_;
            const bool scoped = at_ + 2 < size && source_[at_] == ':' && source_[at_ + 1] == ':' &&
                                is(source_[at_ + 2], name_part);
            if (!scoped) return token(TokenKind::dotted);
            at_ += 2;
        }
    }
    if (is(c, digit)) {
        // In hexadecimal forms (0x, 0f, 0d) an `e` is a digit, not an exponent.
        const bool hexadecimal = c == '0' && at_ < size && is(source_[at_], name_start);
        while (at_ < size) {
            const char d = source_[at_];
            const bool part = is(d, name_part) || (!hexadecimal && d == '.');
            const char before = source_[at_ - 1];
            const bool sign =
                !hexadecimal && (d == '+' || d == '-') && (before == 'e' || before == 'E');
            if (!part && !sign) break;
            ++at_;
        }
        return token(TokenKind::number);
    }
    if (c == '"') {
        const std::size_t end = source_.find_first_of("\"\n", at_);
        if (end == std::string_view::npos || source_[end] == '\n')
            throw SyntaxError{"this string has no end", start};
        Token t{TokenKind::string, source_.substr(at_, end - at_), start, line_};
        at_ = end + 1;
        return t;
    }
    return token(TokenKind::punctuation);
}

}  // namespace cugrade::ptx
