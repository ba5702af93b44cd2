// Characters as compilers see them, whatever the locale.
#pragma once

namespace cugrade {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace cugrade
