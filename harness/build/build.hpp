// Builds a submission into an executable: nvcc in the sandbox, the runner's libraries, a cache.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "build/toolchain.hpp"
#include "core/error.hpp"
#include "core/home.hpp"
#include "core/outcome.hpp"
#include "core/policy.hpp"
#include "core/spec.hpp"

namespace cugrade {

namespace sandbox {
class Keeper;
}

/// The compute capabilities that the emulated GPU can present.
inline constexpr std::array emulated_archs{75, 90, 120};

struct BuildTarget {
    enum class Backend { emulator, gpu } backend = Backend::emulator;
    /// Compute capabilities, 90 for 9.0. For the emulated GPU: those with PTX in the executable.
    /// For a GPU: the one with machine code in it.
    std::vector<int> archs{75};
    /// Whether the executable holds the PTX that the emulated GPU runs as this compute capability.
    [[nodiscard]] bool emulates(int arch) const {
        return backend == Backend::emulator && std::ranges::find(archs, arch) != archs.end();
    }
};

/// The command that makes `table` from objects that were compiled with -rdc=true. The table
/// registers the objects; for a GPU it also holds their machine code, linked with each other.
[[nodiscard]] std::vector<std::string> device_link(const Toolchain&, const BuildTarget&,
                                                   const std::vector<std::string>& objects,
                                                   const std::string& table);

struct BuildRequest {
    std::filesystem::path source;  ///< a .cu file, or a folder with one or more
    const AssignmentSpec* assignment = nullptr;
    BuildTarget target;
    Limits limits;
    sandbox::Keeper* keeper = nullptr;  ///< of the enclosure for compilers; null: they run without
    std::vector<SourceRule> forbidden;  ///< what the submission must not use
    bool is_known = false;                 ///< it is likely to be in the cache
    std::function<void()> meanwhile = {};  ///< called when a compiler runs, and is quick
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

/// PTX and debuggers name a file by its path in the build's temporary folder. This is the student's
/// name for it: "student.cu". Other paths come back as they are.
[[nodiscard]] std::string as_submitted(std::string_view path);

/// The error for the first missing library, if any, among those that submissions to this assignment
/// are linked with.
[[nodiscard]] std::optional<Error> missing_library(const Home&, const Toolchain&,
                                                   const AssignmentSpec&, const BuildTarget&);

/// Safe to call from several threads and processes at once. An Error is the harness's own.
[[nodiscard]] Result<BuildOutcome> build(const Home&, const Toolchain&, const BuildRequest&);

}  // namespace cugrade
