// Where an instruction comes from, as line information has it.
#pragma once

#include <string_view>
#include <vector>

#include "emulator/ptx/module.hpp"

namespace cugrade::ptx {

/// True for files that come with the toolkit: nobody wants an error to point there.
[[nodiscard]] bool is_toolkit_file(std::string_view file);

/// Empty: not known.
[[nodiscard]] std::string_view file_of(const Module&, const SourceLine&);

/// The line in the student's source: if the instruction was inlined from a header of the toolkit,
/// the line into which it was inlined.
[[nodiscard]] const SourceLine& students_line(const Module&, const Instruction&);

/// The calls by which the program came to that line, as far as the compiler has replaced them by the
/// functions' bodies: the innermost first.
[[nodiscard]] std::vector<SourceLine> calls_around(const Module&, const Instruction&);

}  // namespace cugrade::ptx
