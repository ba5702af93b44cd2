#include "core/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

namespace cugrade {
namespace {

constexpr std::size_t cut_slack = 64;  // has room for the mark of a cut text

struct Range {
    char32_t first, last;
};

/// Characters that show nothing, or that change what others show. Of Unicode 15.1: the format
/// characters and separators of lines (general categories Cf, Zl, Zp of UnicodeData.txt), those
/// that are ignored by default (Default_Ignorable_Code_Point of DerivedCoreProperties.txt) and the
/// noncharacters of plane 0.
constexpr std::array<Range, 33> unseen{{
    {0x00AD, 0x00AD},  // soft hyphen
    {0x034F, 0x034F},  // grapheme joiner
    {0x0600, 0x0605},  // Arabic number signs
    {0x061C, 0x061C},  // Arabic letter mark
    {0x06DD, 0x06DD},   {0x070F, 0x070F},   {0x0890, 0x0891},
    {0x08E2, 0x08E2},   {0x115F, 0x1160},  // Hangul fillers
    {0x17B4, 0x17B5},   {0x180B, 0x180F},  // Mongolian variation selectors and vowel separator
    {0x200B, 0x200F},                      // zero-width space, joiners, marks of direction
    {0x2028, 0x202E},  // separators of lines, embeddings and overrides of direction
    {0x2060, 0x206F},  // word joiner, invisible operators, isolates
    {0x3164, 0x3164},  // Hangul filler
    {0xFDD0, 0xFDEF},  // noncharacters
    {0xFE00, 0xFE0F},  // variation selectors
    {0xFEFF, 0xFEFF},  // byte order mark
    {0xFFA0, 0xFFA0},  // half-width Hangul filler
    {0xFFF0, 0xFFFB},  // interlinear annotations
    {0xFFFE, 0xFFFF},  // noncharacters
    {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F},  // hieroglyph format controls
    {0x1BCA0, 0x1BCA3},                                          // shorthand format controls
    {0x1D173, 0x1D17A},                                          // musical format controls
    {0x1FFFE, 0x1FFFF}, {0x2FFFE, 0x2FFFF}, {0x3FFFE, 0x3FFFF},
    {0xE0000, 0xE0FFF},  // tags, variation selectors
    {0xEFFFE, 0xEFFFF}, {0xFFFFE, 0xFFFFF}, {0x10FFFE, 0x10FFFF},
}};

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }  // C0, delete, C1

bool is_unseen(char32_t c) {
    const auto range = std::ranges::lower_bound(unseen, c, {}, &Range::last);
    return range != unseen.end() && c >= range->first;
}

std::string escaped(char32_t c) {
    const auto number = static_cast<std::uint32_t>(c);
    if (c < 0x80) return fmt::format("\\x{:02x}", number);
    return c <= 0xFFFF ? fmt::format("\\u{:04x}", number) : fmt::format("\\U{:08x}", number);
}

}  // namespace

std::optional<char32_t> next_code_point(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(at);
    if (first < 0x80) return static_cast<char32_t>(text[at++]);
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || at + length > text.size()) {
        ++at;
        return std::nullopt;
    }
    char32_t code = first & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0U) != 0x80) {
            ++at;
            return std::nullopt;
        }
        code = code << 6 | (byte(at + i) & 0x3FU);
    }
    const bool overlong = code < (length == 4 ? 0x10000U : length == 3 ? 0x800U : 0x80U);
    if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
        ++at;
        return std::nullopt;
    }
    at += length;
    return code;
}

std::string clean(std::string_view text, std::size_t max_bytes, bool lines) {
    std::string out;
    std::size_t at = 0;
    while (at < text.size() && out.size() <= max_bytes + cut_slack) {
        const auto begin = at;
        const auto code = next_code_point(text, at);
        if (!code)
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[begin]));
        else if (*code == '\n' || *code == '\t')
            out += lines ? static_cast<char>(*code) : ' ';
        else if (*code == '\r' && at < text.size() && text[at] == '\n')
            continue;  // a line end of another system
        else if (is_control(*code) || is_unseen(*code))
            out += escaped(*code);
        else
            out += text.substr(begin, at - begin);
    }
    const bool several = out.find('\n') != std::string::npos;
    if (several) out.erase(out.find_last_not_of('\n') + 1);
    if (out.size() > max_bytes + cut_slack) {
        std::size_t cut = max_bytes;
        while (cut > 0 && (static_cast<unsigned char>(out[cut]) & 0xC0U) == 0x80) --cut;
        const auto more = out.size() - cut + text.size() - at;
        out.resize(cut);
        out += fmt::format(" ... [{} more bytes]", more);
    }
    // Text of several lines ends with exactly one line end, as a YAML block does.
    if (several && out.find('\n') != std::string::npos) out += '\n';
    return out;
}

std::string printable(std::string_view text) {
    std::string one_line;
    for (const char c : text)
        if (c == '\n' || c == '\t' || c == '\r')
            one_line += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        else
            one_line += c;
    return clean(one_line, 10 * one_line.size(), false);  // nothing is cut
}

}  // namespace cugrade
