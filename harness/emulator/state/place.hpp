// A place in the program's source, as line information has it.
#pragma once

#include <string>

namespace cugrade::emulator {

/// The place of an instruction in the student's source. If it was inlined from a CUDA header: the
/// line into which it was inlined.
struct Place {
    std::string file;
    int line = 0, column = 0;
    [[nodiscard]] std::string text() const;  ///< "line 12", or "line 12 of util.cuh"
    [[nodiscard]] bool same_line(const Place& other) const {
        return line == other.line && file == other.file;
    }
    bool operator==(const Place&) const = default;
};

}  // namespace cugrade::emulator
