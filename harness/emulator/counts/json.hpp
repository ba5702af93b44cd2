// Counts as the JSON text that crosses from the emulator to the grader.
#pragma once

#include "core/error.hpp"
#include "emulator/counts/counts.hpp"

namespace cugrade::emulator {

/// {"kernels": [{"kernel", "launches", ..., "total": {...}, "lines": [{"file", "line", ...}]}]}
[[nodiscard]] std::string to_json(const std::vector<KernelCounts>&);
/// The same back. An Error is the harness's own.
[[nodiscard]] Result<std::vector<KernelCounts>> counts_from_json(std::string_view text);

}  // namespace cugrade::emulator
