// Figures are drawn by the distribution's gnuplot, where it is installed.
#pragma once

#include <filesystem>
#include <string>

#include "core/home.hpp"

namespace cugrade::cli {

/// Runs `script` in its folder. What to tell the user: where the figure is; or, without a gnuplot,
/// which package has it and what to run then. Errors: gnuplot fails.
[[nodiscard]] Result<std::string> draw(const Home&, const std::filesystem::path& script,
                                       const std::string& figure);

}  // namespace cugrade::cli
