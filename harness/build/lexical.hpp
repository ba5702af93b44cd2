// Characters of C++ tokens, for the scanners of sources and of preprocessed text.
#pragma once

#include <cctype>

#include "core/ascii.hpp"

namespace cugrade {

[[nodiscard]] inline bool starts_identifier(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
           (c & 0x80) != 0;
}
[[nodiscard]] inline bool continues_identifier(char c) {
    return starts_identifier(c) || is_digit(c);
}

}  // namespace cugrade
