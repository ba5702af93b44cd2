// What tests of builds share: a folder with a cache of its own, and a submission that compiles.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "build/build.hpp"
#include "catch.hpp"
#include "config/temporary.hpp"

namespace cugrade {

inline const std::filesystem::path prefix = CUGRADE_BUILD_DIR;
inline const Home home{.libexec = prefix / "libexec/cugrade",
                       .lib = prefix / "lib/cugrade",
                       .share = prefix / "share/cugrade",
                       .include = prefix / "include"};

inline std::string read_text(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder for one test, with an own cache in it.
struct Place {
    Temporary folder;
    std::filesystem::path path = folder.path();
    Place() {
        ::setenv("XDG_CACHE_HOME", (path / "cache").c_str(), 1);
        ::unsetenv("CUGRADE_CACHE_LIMIT");
        assignment.id = "patterns";
        assignment.folder = std::filesystem::path(CUGRADE_SOURCE_DIR) / "assignments/patterns";
    }

    std::filesystem::path write(const std::string& name, const std::string& text) const {
        return folder.write(name, text);
    }

    [[nodiscard]] Result<BuildOutcome> try_build(const std::filesystem::path& source) const {
        auto toolchain = Toolchain::find();
        if (!toolchain) return toolchain.error();
        return build(home, *toolchain, {source, &assignment, target, limits});
    }
    [[nodiscard]] Build good(const std::filesystem::path& source) const {
        auto outcome = try_build(source);
        INFO((outcome.ok() ? "" : outcome.error().text()));
        REQUIRE(outcome.ok());
        INFO((outcome->failure ? outcome->failure->message + outcome->failure->compiler_output
                               : ""));
        REQUIRE(outcome->build.has_value());
        return *outcome->build;
    }
    [[nodiscard]] BuildFailure bad(const std::filesystem::path& source) const {
        auto outcome = try_build(source);
        INFO((outcome.ok() ? "" : outcome.error().text()));
        REQUIRE(outcome.ok());
        REQUIRE(outcome->failure.has_value());
        return *outcome->failure;
    }
    [[nodiscard]] std::size_t cache_entries() const {
        const std::filesystem::path builds = path / "cache/cugrade/builds";
        if (!std::filesystem::exists(builds)) return 0;
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(builds),
                                                      std::filesystem::directory_iterator()));
    }

    AssignmentSpec assignment;
    BuildTarget target;
    Limits limits{.compile_wall_s = 60, .memory_bytes = std::uint64_t{2} << 30, .processes = 64};
};

inline const std::string kernel = R"(#include "interface.cuh"
__global__ void map_kernel(const float* x, std::size_t n, float c, float* y) {
    std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (i < n) y[i] = c * x[i];
}
void map_cubic(const float* x, std::size_t n, float c0, float, float, float, float* y) {
    map_kernel<<<(n + 255) / 256, 256>>>(x, n, c0, y);
}
)";

}  // namespace cugrade
