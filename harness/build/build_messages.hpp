// Makes the messages of nvcc, the host compiler and the linker readable for a student.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cugrade {

/// {a path as the tools print it, the student's name for it}: the longest match wins.
using PathNames = std::vector<std::pair<std::string, std::string>>;

/// Rewrites paths, turns "student.cu(12): error" into "student.cu:12: error", and drops lines about
/// the tools rather than the source.
[[nodiscard]] std::string tidy(std::string_view output, const PathNames&);

/// The first error of tidied compiler output, one line: "student.cu:12: error: ...". Empty: none.
[[nodiscard]] std::string first_compile_error(std::string_view tidied);

/// The __device__ function, demangled, that is declared but that ptxas finds nowhere defined.
/// Empty: none.
[[nodiscard]] std::string unresolved_by_ptxas(std::string_view output);

/// Whether nvcc refused a __device__ lambda only because --extended-lambda was missing.
[[nodiscard]] bool asks_for_lambdas(std::string_view output);

/// Whether a compiler says that it was ended by a signal which programs do not raise themselves, and
/// nothing of an error: "gcc: fatal error: Terminated signal terminated program cc1plus", or the
/// "Compilation terminated." of cudafe++ and cicc alone.
[[nodiscard]] bool tells_of_ended_program(std::string_view output);

struct LinkError {
    enum class Kind { other, undefined, duplicate } kind = Kind::other;
    std::string symbol;  ///< demangled
    std::string place;   ///< "student.cu:12", or empty
    std::string first;   ///< duplicate: the place of the first definition
};
/// The first error of tidied linker output.
[[nodiscard]] LinkError first_link_error(std::string_view tidied);

struct UndefinedReference {
    std::string symbol;  ///< demangled: a function of C has no parameters
    std::string place;   ///< "student.cu:12", or empty
};
/// All references that linker output, tidied or not, reports as undefined, repeated as in the
/// output.
[[nodiscard]] std::vector<UndefinedReference> undefined_references(std::string_view output);

}  // namespace cugrade
