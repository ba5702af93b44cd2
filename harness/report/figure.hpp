// What writers of CSV and of gnuplot's input share.
#pragma once

#include <string>
#include <string_view>

namespace cugrade::report {

/// A field of a CSV file, in quotes if it needs them (RFC 4180).
[[nodiscard]] std::string csv_field(std::string_view);
/// A string of gnuplot's that it takes as it is, with the quotes.
[[nodiscard]] std::string gnuplot_text(std::string_view);
/// The lines of a script that choose what is drawn into FILE.svg or FILE.png.
[[nodiscard]] std::string gnuplot_output(std::string_view file, std::string_view kind);
/// Of the n-th line of a figure: told apart without colours, too, by the shape of its points.
[[nodiscard]] std::string gnuplot_style(std::size_t n);

}  // namespace cugrade::report
