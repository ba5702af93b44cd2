// Functions of CUDA's runtime that the emulated GPU lacks. They are told apart from names that CUDA
// itself lacks, and get stand-ins, so that a program that never calls them runs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cugrade {

/// The functions of CUDA's own runtime, from the index of libcudart_static.a. Empty: there is no
/// such file.
[[nodiscard]] std::vector<std::string> runtime_functions(
    const std::filesystem::path& cudart_static);

struct LackingFunction {
    std::string name;
    std::vector<std::string> places;  ///< where it is referred to: "student.cu:12"; each place once
};

/// The name and the text of a source that may call them.
using NamedText = std::pair<std::string, std::string>;

/// The functions of CUDA's runtime among the names that a linker reports as undefined. If `runtime`
/// is empty: all names that look like such functions. If only a header of the toolkit makes the
/// call, the place is where `sources` name the function.
[[nodiscard]] std::vector<LackingFunction> lacking_functions(
    std::string_view linker_output, const std::vector<std::string>& runtime,
    const std::vector<NamedText>& sources);

/// True if the name looks like a function of CUDA's runtime.
[[nodiscard]] bool is_called_like_the_runtime(std::string_view symbol);

/// "CUDA has no function cudaMemcpyy; did you mean cudaMemcpy?"
[[nodiscard]] std::string no_such_function(std::string_view symbol,
                                           const std::vector<std::string>& runtime);

/// C++ that defines each of them. A stand-in tells the emulated GPU which function it lacks and
/// where it was called, and returns cudaErrorNotSupported. See emulator/runtime/lacking.cpp.
[[nodiscard]] std::string stand_ins(const std::vector<LackingFunction>&);

}  // namespace cugrade
