// The device code in an executable, and the same program's as it is written.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "build/build.hpp"
#include "build/toolchain.hpp"
#include "core/error.hpp"
#include "core/home.hpp"

namespace cugrade {

/// The containers in an executable, as EmulatorProcess::admit() takes them.
[[nodiscard]] Result<std::vector<std::byte>> device_code_of(const std::filesystem::path& executable);

/// The PTX of a submission as it is written: loops are not unrolled, functions not inlined, and what
/// the compiler would compute beforehand is still there. It is for experiments, and slower. Only the
/// device code is compiled, because all else is in `executable` already, which was built from the
/// same source and has PTX for `arch`: that takes a quarter of the time of a build.
/// One text for each of the executable's containers; empty: the container has no PTX. Nothing, if it
/// cannot be compiled so.
[[nodiscard]] Result<std::optional<std::vector<std::string>>> device_code_as_written(
    const Home&, const Toolchain&, const BuildRequest&, const std::filesystem::path& executable,
    int arch);

}  // namespace cugrade
