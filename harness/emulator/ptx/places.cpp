#include "emulator/ptx/places.hpp"

namespace cugrade::ptx {

bool is_toolkit_file(std::string_view file) {
    return file.find("/include/") != std::string_view::npos &&
           (file.find("cuda") != std::string_view::npos || file.starts_with("/usr/"));
}

std::string_view file_of(const Module& module, const SourceLine& line) {
    if (line.file < 0 || static_cast<std::size_t>(line.file) >= module.files.size()) return {};
    return module.files[static_cast<std::size_t>(line.file)];
}

const SourceLine& students_line(const Module& module, const Instruction& i) {
    const SourceLine* line = &i.source;
    int left = most_inlined;
    for (std::int32_t n = i.call;
         n >= 0 && --left >= 0 && is_toolkit_file(file_of(module, *line));) {
        const InlinedCall& call = module.inlined_calls[static_cast<std::size_t>(n)];
        line = &call.place;
        n = call.outer;
    }
    return *line;
}

std::vector<SourceLine> calls_around(const Module& module, const Instruction& i) {
    std::vector<SourceLine> all;
    bool is_inside = is_toolkit_file(file_of(module, i.source));
    int left = most_inlined;
    for (std::int32_t n = i.call; n >= 0 && --left >= 0;) {
        const InlinedCall& call = module.inlined_calls[static_cast<std::size_t>(n)];
        n = call.outer;
        if (is_toolkit_file(file_of(module, call.place))) continue;
        if (!is_inside) all.push_back(call.place);
        is_inside = false;  // that was the student's line
    }
    return all;
}

}  // namespace cugrade::ptx
