#include "core/printable.hpp"

#include <fmt/format.h>

namespace cugrade {
namespace {

constexpr std::size_t cut_slack = 64;  // has room for the mark of a cut text

bool is_dropped(char32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0)  // C0, delete, C1
           || (c >= 0x202A && c <= 0x202E)      // embeddings and overrides of direction
           || (c >= 0x2066 && c <= 0x2069)      // isolates
           || c == 0x200E || c == 0x200F || c == 0x2028 || c == 0x2029 || c == 0xFEFF;
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
            out += "\uFFFD";
        else if (*code == '\n' || *code == '\t')
            out += lines ? static_cast<char>(*code) : ' ';
        else if (!is_dropped(*code))
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

}  // namespace cugrade
