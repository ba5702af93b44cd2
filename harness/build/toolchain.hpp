// nvcc and the host compiler: where they are, and whether they work here.
#pragma once

#include <filesystem>
#include <string>

#include "core/error.hpp"

namespace cugrade {

struct Toolchain {
    std::filesystem::path nvcc;
    std::string nvcc_version;             ///< "13.0.88"
    std::filesystem::path host_compiler;  ///< g++, or $NVCC_CCBIN: compiles host code and links
    std::filesystem::path cudart_static;  ///< libcudart_static.a
    std::filesystem::path toolkit;        ///< the folder that nvcc finds its parts in
    /// The folder of CUDA's headers as compilers write it in their messages; "" if nvcc tells none.
    std::string headers;
    /// Finds nvcc through $CUGRADE_NVCC, $CUDACXX, PATH or /usr/local/cuda/bin. An error names the
    /// tool that is missing or does not work, the places that were tried, and what to do.
    [[nodiscard]] static Result<Toolchain> find();
};

/// $PATH, or a shell's default if it is not set.
[[nodiscard]] std::string search_path();

}  // namespace cugrade
