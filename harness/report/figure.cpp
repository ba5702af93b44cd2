#include "report/figure.hpp"

#include <array>

#include <fmt/format.h>

namespace cugrade::report {

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c == '\n' || c == '\r' ? ' ' : c;
    }
    return out + '"';
}

std::string gnuplot_text(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'') out += '\'';
        out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return out + "'";
}

std::string gnuplot_output(std::string_view file, std::string_view kind) {
    return fmt::format(
        "set terminal {} size 900,600 font 'sans-serif,13' background '#ffffff'\n"
        "set output {}\n",
        kind == "png" ? "pngcairo" : "svg", gnuplot_text(fmt::format("{}.{}", file, kind)));
}

std::string gnuplot_style(std::size_t n) {
    // Okabe and Ito's colours, which the colour-blind tell apart, and seven shapes of points.
    static constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                        "#e69f00", "#56b4e9", "#000000"};
    static constexpr std::array shapes{7, 5, 9, 11, 13, 6, 4, 8, 10};
    return fmt::format("lw 1.5 pt {} lc rgb '{}'", shapes[n % shapes.size()],
                       colours[n % colours.size()]);
}

}  // namespace cugrade::report
