// A sweep as a table for a terminal, CSV, JSON (docs/sweep.schema.json) and a script for gnuplot.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/sweep.hpp"

namespace cugrade::report {

/// The names of the columns, and the row of the size with this index.
[[nodiscard]] std::string sweep_head(const Sweep&);
[[nodiscard]] std::string sweep_row(const Sweep&, std::size_t size);
/// Notes below the table: which points have no time and why, and where one program overtakes
/// another.
[[nodiscard]] std::string sweep_findings(const Sweep&);

/// One row per program and size, program by program.
[[nodiscard]] std::string sweep_csv(const Sweep&);
[[nodiscard]] std::string sweep_json(const Sweep&);
/// Draws sweep.csv, which lies beside it, into sweep.svg or sweep.png: time against size, one line
/// per program, and the roof.
[[nodiscard]] std::string sweep_gnuplot(const Sweep&, std::string_view kind);

/// "3.81 us", "2.1 ms", "6.01 s".
[[nodiscard]] std::string time_text(double us);

}  // namespace cugrade::report
