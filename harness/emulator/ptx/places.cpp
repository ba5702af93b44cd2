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
    return i.inlined_at.file >= 0 && is_toolkit_file(file_of(module, i.source)) ? i.inlined_at
                                                                                : i.source;
}

}  // namespace cugrade::ptx
