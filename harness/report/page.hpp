// Text for a terminal: lines that are never wider than the page.
//
// Text is laid out in columns first and painted afterwards, so that colour never moves anything. A
// column is what a terminal makes of a code point: two for the wide ones of East Asia, else one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/verdict.hpp"
#include "report/format.hpp"

namespace cugrade::report {

enum class Tone { plain, strong, dim, good, bad, unsure };

struct Glyphs {
    std::string_view accepted, failed, unjudged, separator, ellipsis, arrow, times;
};

/// Columns that a text takes.
[[nodiscard]] int columns(std::string_view text);
/// Bytes of `text` that fit into `width` columns.
[[nodiscard]] std::size_t fitting(std::string_view text, int width);
/// Text broken at spaces, or within a word that is wider than a row, into rows of at most `width`
/// columns, after the first one of `hang` fewer.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, int width, int hang = 0);
/// A text of `count` spaces.
[[nodiscard]] std::string repeated(std::size_t n);
/// Pads with spaces, before the text or behind it.
[[nodiscard]] std::string padded(const std::string& text, int width, bool right);

struct Piece {
    std::string text;
    Tone tone = Tone::plain;
};

class Page {
public:
    explicit Page(const Style&);

    const Glyphs& glyphs;
    const int width;

    /// Cuts a text to `limit` columns, with an ellipsis if something is cut.
    [[nodiscard]] std::string cut(std::string_view text, int limit) const;
    void blank() { out_ += '\n'; }
    /// Writes one line, cut at the page's width.
    void line(const std::vector<Piece>& pieces);
    /// Writes a text wrapped to the page's width; lines after the first are indented by `hang`
    /// more.
    void paragraph(int indent, int hang, std::string_view text, Tone tone = Tone::plain);
    /// Everything written so far.
    [[nodiscard]] std::string text() const;

private:
    Style style_;
    std::string out_;
};

/// How a verdict is shown.
[[nodiscard]] Tone tone_of(Verdict);
[[nodiscard]] std::string_view mark(const Page&, Verdict);

}  // namespace cugrade::report
