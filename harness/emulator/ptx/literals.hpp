// Numbers as PTX writes them: 1, 0x1F, 0b101, 017, 7U, 0f3F800000, 0d3FF0000000000000, 1.5e-3.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cugrade::ptx {

struct Number {
    std::uint64_t bits = 0;
    std::uint8_t float_bits = 0;  ///< 0: an integer
};
/// Empty if the text is not a number or does not fit 64 bits. Precondition: the text is not empty.
[[nodiscard]] std::optional<Number> to_number(std::string_view);

}  // namespace cugrade::ptx
