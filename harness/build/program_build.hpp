// Builds an ordinary CUDA program, with a `main` of its own, for the emulated GPU.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "build/toolchain.hpp"
#include "core/error.hpp"
#include "core/home.hpp"

namespace cugrade {

struct ProgramRequest {
    std::vector<std::string> files;       ///< sources; objects and libraries are linked as they are
    std::vector<std::string> nvcc_flags;  ///< the user's
    int ptx_arch = 75;
    bool separate = false;  ///< with -rdc=true, as several sources are without being asked
};

struct Program {
    std::optional<std::filesystem::path> executable;  ///< nothing: it does not compile or link
    std::string said;                                 ///< what the compilers printed
};

/// Compiles where the files are, with the user's environment and no limits. An Error is the
/// machine's or cugrade's own.
[[nodiscard]] Result<Program> build_program(const Home&, const Toolchain&, const ProgramRequest&);

}  // namespace cugrade
