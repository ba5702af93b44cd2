// What observers saw, as the JSON text that crosses from the emulator to the grader.
#pragma once

#include <string>

#include "emulator/observe/counters.hpp"

namespace cugrade::emulator {

/// {"kernels": [{"kernel", "launches", ..., "total": {...}, "lines": [{"file", "line", ...}]}]}
[[nodiscard]] std::string to_json(const Counters&);

}  // namespace cugrade::emulator
