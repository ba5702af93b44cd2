// Test data, seeded and identical on every platform.
//
// All randomness comes from one counter-based generator defined here (no std:: distribution,
// whose result is the library's choice), so element i depends on (seed, i) alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/array.hpp"
#include "core/error.hpp"
#include "core/spec.hpp"

namespace cugrade::datasets {

/// Fills an array of this type and shape as `spec` says. Errors: unknown generator, unknown or
/// missing parameter, a value that the type cannot hold, a file that cannot be read.
/// `folder`: what a relative file name is relative to.
[[nodiscard]] Result<Array> generate(const DataSpec& spec, DType, std::vector<std::int64_t> shape,
                                     std::uint64_t seed, const std::filesystem::path& folder);

struct GeneratorInfo {
    std::string_view name;
    std::string_view summary;     ///< one line
    std::string_view parameters;  ///< "low, high"
};
[[nodiscard]] const std::vector<GeneratorInfo>& generators();
/// Errors for an unknown generator or parameter, without generating: for strict loading.
[[nodiscard]] Status check(const DataSpec& spec, DType);

}  // namespace cugrade::datasets
