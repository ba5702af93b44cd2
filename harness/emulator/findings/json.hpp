// Findings as the JSON text that crosses from the emulator to the grader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "emulator/findings/finding.hpp"

namespace cugrade::emulator {

/// What the checkers of one device have found, in the order in which it was first seen.
struct FindingList {
    std::vector<Finding> all;
    std::uint64_t dropped = 0;  ///< further ones, for which there was no room
};

/// {"findings": [{"kind", "message", "kernel", ..., "place": {"file", "line", "column"}}]}
[[nodiscard]] std::string to_json(const FindingList&);
/// The same back. An Error is the harness's own.
[[nodiscard]] Result<FindingList> findings_from_json(std::string_view text);

}  // namespace cugrade::emulator
