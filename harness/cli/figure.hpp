// Figures are drawn by the distribution's gnuplot, where it is installed.
#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>

#include "cli/choices.hpp"
#include "core/home.hpp"

namespace cugrade::cli {

/// --figure svg|png
void add_figure(CLI::App&, std::string& kind);

/// Times are modelled from PTX for compute_75 alone: throws a Failure if --ptx names another.
void refuse_other_ptx(const GradingChoices&);

/// Runs `script` in its folder. Returns the message for the user: where the figure is, or, without
/// gnuplot, which package has it and what to run then. Errors: gnuplot fails.
[[nodiscard]] Result<std::string> draw(const Home&, const std::filesystem::path& script,
                                       const std::string& figure);

}  // namespace cugrade::cli
