#include "core/printable.hpp"

#include "catch.hpp"

using namespace cugrade;

namespace {

std::string shown(std::string_view text, bool lines = false) { return clean(text, 1 << 20, lines); }

std::string utf8(char32_t c) {
    std::string out;
    const auto byte = [&](char32_t b) { out += static_cast<char>(b); };
    if (c < 0x80) {
        byte(c);
    } else if (c < 0x800) {
        byte(0xC0 | c >> 6), byte(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F));
    } else {
        byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 0x3F)), byte(0x80 | (c >> 6 & 0x3F)),
            byte(0x80 | (c & 0x3F));
    }
    return out;
}

}  // namespace

TEST_CASE("what would not be seen is escaped, and all else is as it was") {
    CHECK(shown("plain, Zoë, 王, 😀") == "plain, Zoë, 王, 😀");
    CHECK(shown("a\x1b[31mb") == "a\\x1b[31mb");
    CHECK(shown(std::string_view("\0\x7f", 2)) == "\\x00\\x7f");
    CHECK(shown("\x85") == "\\x85");        // a byte that is no UTF-8
    CHECK(shown("\xc2\x85") == "\\u0085");  // the same control character in UTF-8
    CHECK(shown("\xc2\x9b") == "\\u009b");
    CHECK(shown("ab\u202ecd\u2066e\u200bf") == "ab\\u202ecd\\u2066e\\u200bf");
    CHECK(shown("\U000E0041") == "\\U000e0041");
    CHECK(shown("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // half of a surrogate pair
    CHECK(shown("\xf4\x90\x80\x80\xc0\xaf\xe2\x82") == "\\xf4\\x90\\x80\\x80\\xc0\\xaf\\xe2\\x82");
    CHECK(shown("a\r\nb\tc\rd", true) == "a\nb\tc\\x0dd\n");
    CHECK(shown("a\r\nb\tc") == "a b c");
}

TEST_CASE("no control, format or direction character of any plane gets through") {
    const auto escapes = [](char32_t first, char32_t last) {
        for (char32_t c = first; c <= last; ++c) {
            if (c == '\n' || c == '\t') continue;
            INFO(static_cast<unsigned>(c));
            const std::string text = shown(utf8(c));
            CHECK(text.size() >= 4);
            CHECK(text[0] == '\\');
        }
    };
    escapes(0, 0x1F);
    escapes(0x7F, 0x9F);
    for (const char32_t c : {0xAD, 0x61C, 0x180E, 0x3164, 0xFEFF, 0xFFFE, 0xFFFF, 0x10FFFF})
        escapes(c, c);
    escapes(0x200B, 0x200F);
    escapes(0x2028, 0x202E);
    escapes(0x2060, 0x206F);
    escapes(0xFE00, 0xFE0F);
    escapes(0xFFF9, 0xFFFB);
    escapes(0xE0001, 0xE007F);
    for (const char32_t c : {0xA0, 0xAC, 0xAE, 0x2010, 0x2027, 0x202F, 0x2070, 0xFFFD, 0xE1000})
        CHECK(shown(utf8(c)) == utf8(c));
}

TEST_CASE("cleaning twice is cleaning once, and what is cut says how much") {
    std::string all;
    for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
    all += "\u202e\U000E0041";
    CHECK(shown(shown(all)) == shown(all));
    CHECK(shown(shown(all, true), true) == shown(all, true));
    const std::string cut = clean(std::string(10'000, '\x1b'), 100, false);
    CHECK(cut.size() < 200);
    CHECK(cut.find("more bytes]") != std::string::npos);
    CHECK(clean(cut, 100, false) == cut);
}
