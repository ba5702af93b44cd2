// The names of functions that compiled code uses, from its PTX and its object file. Overloads are
// resolved there, and what the compiler inlined is still named: each .loc of the PTX says in which
// function it was.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "build/preprocessed.hpp"
#include "core/error.hpp"

namespace cugrade {

/// "int cub::V::Sum<float>(float*, int)" as {cub, V, Sum} and "float*,int". Inline namespaces that
/// libraries put their versions into are left out.
struct FunctionName {
    std::vector<std::string> parts;
    std::string parameters;  ///< without blanks, `const` behind its type
    bool has_parameters = false;
    std::string mangled;  ///< if it cannot be taken apart (ptx::demangled)
};
[[nodiscard]] FunctionName parse_function_name(std::string_view demangled);
/// "const double *, int" as "doubleconst*,int": so that parameters can be compared.
[[nodiscard]] std::string plain_parameters(std::string_view list);
/// cooperative_groups::__v1::reduce without __v1.
void drop_inline_namespaces(std::vector<std::string>& parts);

struct CalledName {
    FunctionName name;
    SourcePlace place;  ///< in the submission, if that is known
};

/// Functions of others that the PTX of a submission calls or has inlined, and kernels of others.
/// Functions that the submission's own files define are left out.
[[nodiscard]] std::vector<CalledName> names_in_ptx(std::string_view ptx);

/// A symbol of the object file's host code.
struct HostSymbol {
    FunctionName name;
    std::string text;  ///< the whole name, demangled
    bool is_defined = false;
};
/// Fails if there are more than anybody's (an object that uses all of Thrust has 1000).
inline constexpr std::size_t most_host_symbols = 400'000;
[[nodiscard]] Result<std::vector<HostSymbol>> symbols_of(const std::filesystem::path& object);

}  // namespace cugrade
