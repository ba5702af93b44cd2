// Characters as compilers see them, whatever the locale.
#pragma once

namespace cugrade {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline char to_small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace cugrade
