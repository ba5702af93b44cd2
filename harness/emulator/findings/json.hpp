// Findings as the JSON text that crosses from the emulator to the grader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "emulator/findings/finding.hpp"

namespace cugrade::emulator {

/// The findings of one device's checkers, in the order in which they were first seen.
struct FindingList {
    std::vector<Finding> all;
    std::uint64_t dropped = 0;  ///< how many more there were when the list was full
};

/// {"findings": [{"kind", "message", "kernel", ..., "place": {"file", "line", "column"}}]}
[[nodiscard]] std::string to_json(const FindingList&);
/// Reads that text back. If it cannot be read, the harness is to blame, not the submission.
[[nodiscard]] Result<FindingList> findings_from_json(std::string_view text);

}  // namespace cugrade::emulator
