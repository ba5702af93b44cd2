// Seeds of cases. Public ones follow from the case's name; hidden ones from a course secret too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/array.hpp"

namespace cugrade::datasets {

/// First 8 bytes of SHA-256("cugrade/1/public/<assignment>/<task>/<case>"), little endian.
[[nodiscard]] std::uint64_t public_seed(std::string_view assignment, std::string_view task, int id);
/// First 8 bytes of HMAC-SHA-256(secret, "cugrade/1/hidden/<assignment>/<task>/<case>/<student>").
[[nodiscard]] std::uint64_t hidden_seed(std::string_view secret, std::string_view student,
                                        std::string_view assignment, std::string_view task, int id);
/// The seed of the data of one argument (0-based, in the function's order) of a case.
[[nodiscard]] std::uint64_t argument_seed(std::uint64_t case_seed, std::size_t argument);
/// Lower-case hexadecimal.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace cugrade::datasets
