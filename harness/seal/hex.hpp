// Bytes as lower-case hexadecimal digits, and back.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cugrade::seal {

[[nodiscard]] inline std::string to_hex(const unsigned char* bytes, std::size_t size) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (std::size_t i = 0; i < size; ++i) {
        out += digits[bytes[i] >> 4];
        out += digits[bytes[i] & 0xFU];
    }
    return out;
}

/// Nothing: the text is something else.
[[nodiscard]] inline std::optional<std::string> from_hex(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    if (text.size() % 2 != 0) return std::nullopt;
    std::string out;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const auto high = digits.find(text[i]), low = digits.find(text[i + 1]);
        if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
        out += static_cast<char>(high << 4 | low);
    }
    return out;
}

}  // namespace cugrade::seal
