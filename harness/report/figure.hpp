// What writers of CSV and of gnuplot's input share.
#pragma once

#include <string>
#include <string_view>

namespace cugrade::report {

/// A field of a CSV file, in quotes if it needs them (RFC 4180).
[[nodiscard]] std::string csv_field(std::string_view);
/// A quoted gnuplot string in which no character is special.
[[nodiscard]] std::string gnuplot_text(std::string_view);
/// The script lines that choose FILE.svg or FILE.png as output.
[[nodiscard]] std::string gnuplot_output(std::string_view file, std::string_view kind);
/// The style of a figure's n-th line; the shape of its points differs as well as its colour.
[[nodiscard]] std::string gnuplot_style(std::size_t n);

}  // namespace cugrade::report
