// A roofline as a table for a terminal, CSV, JSON (docs/roofline.schema.json) and a script for
// gnuplot.
#pragma once

#include <string>
#include <string_view>

#include "core/roofline.hpp"

namespace cugrade::report {

[[nodiscard]] std::string roofline_table(const Roofline&);
[[nodiscard]] std::string roofline_csv(const Roofline&);
[[nodiscard]] std::string roofline_json(const Roofline&);
/// Draws roofline.csv, which lies beside it, into roofline.svg or roofline.png.
[[nodiscard]] std::string roofline_gnuplot(const Roofline&, std::string_view kind);

}  // namespace cugrade::report
