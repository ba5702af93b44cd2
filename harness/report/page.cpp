#include "report/page.hpp"

#include <algorithm>
#include <utility>

#include "core/printable.hpp"

namespace cugrade::report {
namespace {

constexpr int min_width = 40;
constexpr Glyphs unicode_glyphs{"✓", "✗", "○", " · ", "…", "→ ", "×"};
constexpr Glyphs ascii_glyphs{"+", "x", "-", ", ", "~", "> ", "x"};

std::string_view escape(Tone tone) {
    switch (tone) {
        case Tone::strong: return "\x1b[1m";
        case Tone::dim: return "\x1b[2m";
        case Tone::good: return "\x1b[32m";
        case Tone::bad: return "\x1b[31m";
        case Tone::unsure: return "\x1b[33m";
        case Tone::plain: break;
    }
    return "";
}

int columns_of(char32_t c) {
    const bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                      (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                      (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                      (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) ||
                      (c >= 0x20000 && c <= 0x3FFFD);
    return wide ? 2 : 1;
}

}  // namespace

std::size_t fitting(std::string_view text, int width) {
    std::size_t at = 0;
    while (at < text.size()) {
        std::size_t next = at;
        width -= columns_of(next_code_point(text, next).value_or(U'?'));
        if (width < 0) break;
        at = next;
    }
    return at;
}

int columns(std::string_view text) {
    int out = 0;
    for (std::size_t at = 0; at < text.size();)
        out += columns_of(next_code_point(text, at).value_or(U'?'));
    return out;
}

std::vector<std::string> wrapped(std::string_view text, int width, int hang) {
    std::vector<std::string> rows;
    std::string row;
    int used = 0;
    const auto flush = [&] {
        rows.push_back(std::exchange(row, {}));
        used = 0;
        if (rows.size() == 1) width -= hang;
    };
    while (!text.empty()) {
        const auto space = text.find(' ');
        auto word = text.substr(0, space);
        text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
        while (!word.empty()) {
            const int gap = used > 0 ? 1 : 0;
            const int wide = columns(word);
            if (used + gap + wide <= width) {
                if (gap > 0) row += ' ';
                row += word;
                used += gap + wide;
                break;
            }
            if (used == 0) {
                const auto part = fitting(word, width);
                row += word.substr(0, part);
                word.remove_prefix(part);
            }
            flush();
        }
    }
    if (used > 0) flush();
    return rows;
}

std::string repeated(std::size_t n) { return std::string(n, ' '); }

std::string padded(const std::string& text, int width, bool right) {
    const auto fill = repeated(static_cast<std::size_t>(std::max(0, width - columns(text))));
    return right ? fill + text : text + fill;
}

Page::Page(const Style& style)
    : glyphs(style.unicode ? unicode_glyphs : ascii_glyphs),
      width(std::max(style.width, min_width)),
      style_(style) {}

std::string Page::cut(std::string_view text, int limit) const {
    if (columns(text) <= limit) return std::string(text);
    if (limit < 1) return "";
    const auto kept = text.substr(0, fitting(text, limit - 1));
    return std::string(kept) + std::string(glyphs.ellipsis);
}

void Page::line(const std::vector<Piece>& pieces) {
    int left = width;
    std::string text;
    for (const auto& piece : pieces) {
        const auto shown = cut(piece.text, left);
        left -= columns(shown);
        // Blanks are not painted, and no space is left at the end of a line.
        const bool painted = style_.colour && piece.tone != Tone::plain && !shown.empty();
        if (painted) text += escape(piece.tone);
        text += shown;
        if (painted) text += "\x1b[0m";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out_ += text + '\n';
}

void Page::paragraph(int indent, int hang, std::string_view text, Tone tone) {
    for (const std::string& row : wrapped(text, width - indent, hang)) {
        line({{repeated(static_cast<std::size_t>(indent))}, {row, tone}});
        indent += std::exchange(hang, 0);
    }
}

std::string Page::text() const {
    if (style_.unicode) return out_;
    std::string ascii;
    for (std::size_t at = 0; at < out_.size();) {
        const auto code = next_code_point(out_, at);
        ascii += code && *code < 0x80 ? static_cast<char>(*code) : '?';
    }
    return ascii;
}

Tone tone_of(Verdict v) {
    return v == Verdict::accepted ? Tone::good : is_judged(v) ? Tone::bad : Tone::unsure;
}

std::string_view mark(const Page& page, Verdict v) {
    return v == Verdict::accepted ? page.glyphs.accepted
           : is_judged(v)         ? page.glyphs.failed
                                  : page.glyphs.unjudged;
}

}  // namespace cugrade::report
