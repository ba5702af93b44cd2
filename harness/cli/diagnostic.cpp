#include "cli/diagnostic.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;
using emulator::Place;

std::string shown(const Place& place) {
    std::error_code error;
    fs::path file = place.file;
    const fs::path here = fs::current_path(error);
    if (const fs::path relative = file.lexically_relative(here);
        !relative.empty() && *relative.begin() != "..")
        file = relative;
    return fmt::format("{}:{}", file.string(), place.line);
}

bool is_known(const Place& place) { return !place.file.empty() && place.line > 0; }

std::string in_kernel(const Place& place, const std::string& kernel) {
    return is_known(place) ? fmt::format("{}: note: in the kernel {}\n", shown(place), kernel)
                           : fmt::format("note: in the kernel {}\n", kernel);
}

}  // namespace

std::string diagnostic(std::string_view severity, const Place& place, std::string_view message) {
    if (!is_known(place)) return fmt::format("{}: {}\n", severity, message);
    const std::string column = place.column > 0 ? fmt::format(":{}", place.column) : "";
    std::string out = fmt::format("{}{}: {}: {}\n", shown(place), column, severity, message);
    std::ifstream in(place.file);
    std::string line;
    int number = 0;
    while (number < place.line && std::getline(in, line)) ++number;
    if (number != place.line) return out;
    out += fmt::format("{:5} | {}\n", number, line);
    const auto at = static_cast<std::size_t>(std::max(place.column, 1)) - 1;
    if (place.column > 0 && at <= line.size()) {
        std::string margin = line.substr(0, at);
        for (char& c : margin)
            if (c != '\t') c = ' ';
        out += fmt::format("      | {}^\n", margin);
    }
    return out;
}

std::string diagnostic(const emulator::Finding& finding) {
    std::string out =
        diagnostic(is_warning(finding.kind) ? "warning" : "error", finding.place, finding.message);
    if (finding.second)
        out += diagnostic("note", *finding.second, emulator::meaning_of_second(finding.kind));
    if (finding.kernel.empty()) return out;
    out += in_kernel(finding.place, finding.kernel);
    if (finding.count > 1) {
        out.pop_back();
        out += fmt::format(", seen {} times\n", finding.count);
    }
    return out;
}

std::string diagnostic(const emulator::Fault& fault) {
    const Place place{fault.file, fault.line, fault.column};
    return diagnostic("error", place, fault.message) +
           (fault.kernel.empty() ? "" : in_kernel(place, fault.kernel));
}

}  // namespace cugrade::cli
