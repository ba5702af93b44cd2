// Where an instruction comes from, as line information has it.
#pragma once

#include <string_view>

#include "emulator/ptx/module.hpp"

namespace cugrade::ptx {

/// True for files that come with the toolkit: nobody wants an error to point there.
[[nodiscard]] bool is_toolkit_file(std::string_view file);

/// Empty: not known.
[[nodiscard]] std::string_view file_of(const Module&, const SourceLine&);

/// The line in the student's source: if the instruction was inlined from a header of the toolkit,
/// the line into which it was inlined.
[[nodiscard]] const SourceLine& students_line(const Module&, const Instruction&);

}  // namespace cugrade::ptx
