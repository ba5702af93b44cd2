// A sweep as a table for a terminal, CSV, JSON (docs/sweep.schema.json) and a script for gnuplot.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/sweep.hpp"

namespace cugrade::report {

/// What the columns are; and one row, of the size with this index.
[[nodiscard]] std::string sweep_head(const Sweep&);
[[nodiscard]] std::string sweep_row(const Sweep&, std::size_t size);
/// Which points have no time, and why; and from which size on which program is the faster one.
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
