// The commands of one build: compilers, linkers and their flags, and the key of the cache, which
// depends on all of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "build/build.hpp"
#include "build/build_submission.hpp"
#include "build/work_folder.hpp"

namespace cugrade {

constexpr const char* stand_ins_source = "stand-ins.cpp";

struct BuildCommands {
    const Home& home;
    const Toolchain& toolchain;
    const BuildRequest& request;
    /// With -rdc=true, which kernels that launch kernels need.
    bool separate = false;

    /// True if a submission to this assignment may have kernels that launch kernels.
    [[nodiscard]] bool may_be_separate() const;
    [[nodiscard]] bool for_gpu() const {
        return request.target.backend == BuildTarget::Backend::gpu;
    }

    // The libraries that a runner is linked with.
    [[nodiscard]] std::filesystem::path runner_library() const;
    [[nodiscard]] std::filesystem::path tasks_library() const;
    [[nodiscard]] std::filesystem::path cuda_library() const;
    [[nodiscard]] std::filesystem::path device_library() const;

    /// The headers of the assignment, which a submission may include.
    [[nodiscard]] std::vector<std::filesystem::path> interface_files() const;

    /// Runs in the work folder's `src`; the other commands run in the work folder itself.
    [[nodiscard]] std::vector<std::string> compile(const Unit&) const;
    /// The same place, for the unit's PTX: device_code.hpp.
    [[nodiscard]] std::vector<std::string> compile_as_written(const Unit&, int arch) const;
    [[nodiscard]] std::vector<std::string> link_device(const std::vector<Unit>&) const;
    /// Compiles stand_ins_source, which is in `src`.
    [[nodiscard]] std::vector<std::string> compile_stand_ins() const;
    [[nodiscard]] std::vector<std::string> link(const std::vector<Unit>&,
                                                bool with_stand_ins = false) const;

    /// The hash of all that the outcome of building this submission depends on.
    [[nodiscard]] std::string key(const Submission&) const;

private:
    [[nodiscard]] std::vector<std::string> language_flags() const;
    [[nodiscard]] std::vector<std::string> compile_flags() const;
};

}  // namespace cugrade
