// A submission becomes an executable: nvcc in the sandbox, the runner's libraries, a cache.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/home.hpp"
#include "core/outcome.hpp"
#include "core/policy.hpp"
#include "core/spec.hpp"

namespace cugrade {

struct Toolchain {
    std::filesystem::path nvcc;
    std::string nvcc_version;             ///< "13.0.88"
    std::filesystem::path host_compiler;  ///< g++, or $NVCC_CCBIN: compiles host code and links
    std::filesystem::path cudart_static;  ///< libcudart_static.a
    /// From $CUGRADE_NVCC, $CUDACXX, PATH, /usr/local/cuda/bin: the error says which were tried.
    [[nodiscard]] static Result<Toolchain> find();
};

/// The compute capabilities that the emulated GPU can present.
inline constexpr std::array emulated_archs{75, 90, 120};

struct BuildTarget {
    enum class Backend { emulator, gpu } backend = Backend::emulator;
    /// Compute capabilities, 90 for 9.0: for the emulated GPU those that there is PTX for, for a
    /// GPU the one that there is machine code for.
    std::vector<int> archs{75};
};

/// The command that makes `table` of objects that were compiled with -rdc=true: what
/// they are registered by, and for a GPU their machine code, linked with each other.
[[nodiscard]] std::vector<std::string> device_link(const Toolchain&, const BuildTarget&,
                                                   const std::vector<std::string>& objects,
                                                   const std::string& table);

struct BuildRequest {
    std::filesystem::path source;  ///< a .cu file, or a folder with one or more
    const AssignmentSpec* assignment = nullptr;
    BuildTarget target;
    Limits limits;
};

struct Build {
    std::filesystem::path executable;  ///< in the cache; stays valid while the cache is kept
    std::string compiler_output;       ///< warnings, paths as the student knows them
    bool from_cache = false;
    double compile_s = 0;
    double link_s = 0;
};

/// Why there is no executable: compile_error, forbidden, time_limit, memory_limit of the
/// compiler...
struct BuildFailure {
    Verdict verdict = Verdict::compile_error;
    std::string message;          ///< one sentence
    std::string compiler_output;  ///< in full, paths as the student knows them
};

struct BuildOutcome {
    std::optional<Build> build;
    std::optional<BuildFailure> failure;  ///< exactly one of the two
};

/// Content hash of a submission, for reports: see build_submission.hpp.
[[nodiscard]] Result<std::string> submission_sha256(const std::filesystem::path& source);

/// What the student calls a file that PTX or a debugger names by its path in the build's temporary
/// folder: "student.cu". Other paths come back as they are.
[[nodiscard]] std::string as_submitted(std::string_view path);

/// Safe to call from several threads and processes at once. An Error is the harness's own.
[[nodiscard]] Result<BuildOutcome> build(const Home&, const Toolchain&, const BuildRequest&);

}  // namespace cugrade
