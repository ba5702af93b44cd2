// Where cugrade's own files are: the same layout in the build tree and under an installed prefix.
#pragma once

#include <filesystem>

#include "core/error.hpp"

namespace cugrade {

/// bin/cugrade, libexec/cugrade/{supervisor,gpu-probe,oracles,emulator-*}, lib/cugrade/lib*.a,
/// share/cugrade/{assignments,reference,student_template,grading.yaml,docs}.
struct Home {
    std::filesystem::path libexec;
    std::filesystem::path lib;
    std::filesystem::path share;
    std::filesystem::path include;

    /// From CUGRADE_HOME (a prefix) if set, else from the place of the running program.
    [[nodiscard]] static Result<Home> find();
};

/// $XDG_CACHE_HOME/cugrade or ~/.cache/cugrade: compiled submissions, keyed by content.
[[nodiscard]] std::filesystem::path cache_folder();

}  // namespace cugrade
