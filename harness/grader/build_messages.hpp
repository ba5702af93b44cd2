// What nvcc, the host compiler and the linker print, made readable for a student.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cugrade {

/// {a path as the tools print it, what the student knows it as}: the longest match wins.
using PathNames = std::vector<std::pair<std::string, std::string>>;

/// Rewrites paths, turns "student.cu(12): error" into "student.cu:12: error", and drops the lines
/// that speak of the tools rather than of the source.
[[nodiscard]] std::string tidy(std::string_view output, const PathNames&);

/// The first error of tidied compiler output, one line: "student.cu:12: error: ...". Empty: none.
[[nodiscard]] std::string first_compile_error(std::string_view tidied);

struct LinkError {
    enum class Kind { other, undefined, duplicate } kind = Kind::other;
    std::string symbol;  ///< demangled
    std::string place;   ///< "student.cu:12", or empty
    std::string first;   ///< duplicate: the place of the first definition
};
/// The first error of tidied linker output.
[[nodiscard]] LinkError first_link_error(std::string_view tidied);

/// Every symbol that linker output, tidied or not, calls undefined, as often as it does.
[[nodiscard]] std::vector<std::string> undefined_symbols(std::string_view output);

}  // namespace cugrade
