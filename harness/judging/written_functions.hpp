// The functions that a submission's text defines, and what decides whether others can call them:
// the namespace around one, `static`, and the `#if` that it lies in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "build/build_submission.hpp"
#include "core/source_location.hpp"

namespace cugrade {

struct WrittenFunction {
    std::string name;
    SourceLocation location;  ///< of the name
    int first_line = 0;       ///< of its declaration: that of its type or `template`
    int last_line = 0;        ///< of its parameters
    std::string signature;    ///< "void f(const float* in, std::size_t n)"
    /// Of the namespace, class or function around it; empty: it is in none.
    std::string scope;
    int scope_line = 0;
    int condition_line = 0;         ///< of the innermost `#if` around it; 0: none
    bool is_unnamed_scope = false;  ///< an unnamed namespace is around it
    bool is_static = false, is_inline = false, is_template = false, is_extern_c = false;
    bool is_kernel = false;  ///< `__global__`
    bool is_device = false;  ///< `__device__`, and not `__host__`
    /// A function that has its name to itself, and that host code can call.
    [[nodiscard]] bool is_global() const {
        return scope.empty() && !is_unnamed_scope && !is_static && !is_kernel && !is_device;
    }
};

/// In the order of the text. What macros make is not seen.
[[nodiscard]] std::vector<WrittenFunction> functions_of(const SourceFile&);

/// A function that interface.cuh declares.
struct DeclaredFunction {
    std::string name;
    std::string signature;  ///< "void f(const float* in, std::size_t n)"; empty: not known
};
/// In the order of the text.
[[nodiscard]] std::vector<DeclaredFunction> declarations_in(std::string_view interface_cuh);

}  // namespace cugrade
