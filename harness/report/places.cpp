#include "report/places.hpp"

#include <fmt/format.h>

namespace cugrade::report {

std::string place_text(const SourceLocation& location) {
    auto text = location.file;
    if (location.line > 0) text += fmt::format(":{}", location.line);
    if (location.line > 0 && location.column > 0) text += fmt::format(":{}", location.column);
    return text;
}

std::string element_text(const Mismatch& mismatch) {
    std::string text = mismatch.argument;
    if (mismatch.coordinates.size() < 2) return text + fmt::format("[{}]", mismatch.index);
    for (const auto i : mismatch.coordinates) text += fmt::format("[{}]", i);
    return text;
}

std::string case_ranges(const std::vector<int>& ids) {
    std::string out;
    for (std::size_t i = 0; i < ids.size();) {
        std::size_t end = i + 1;
        while (end < ids.size() && ids[end] == ids[end - 1] + 1) ++end;
        out += fmt::format("{}{}", out.empty() ? "" : ", ", ids[i]);
        if (end - i > 1) out += fmt::format("{}{}", end - i > 2 ? "-" : ", ", ids[end - 1]);
        i = end;
    }
    return out;
}

}  // namespace cugrade::report
