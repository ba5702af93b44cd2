// Counts as the JSON text that crosses from the emulator to the grader.
#pragma once

#include "core/error.hpp"
#include "emulator/counts/counts.hpp"

namespace cugrade::emulator {

/// {"kernels": [{"kernel", "launches", ..., "total": {...}, "timing": {...},
///   "lines": [{"file", "line", ...}]}], "host": {"allocations", ...}}
[[nodiscard]] std::string to_json(const DeviceCounts&);
/// Reads that text back. If it cannot be read, the harness is to blame, not the submission.
[[nodiscard]] Result<DeviceCounts> counts_from_json(std::string_view text);

}  // namespace cugrade::emulator
