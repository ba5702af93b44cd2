// The tables that an instructor gives to a batch: who is in the class, when hand-ins came,
// extensions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/record.hpp"
#include "record/roster.hpp"

namespace cugrade::cli {

/// Nothing if no file is named. Throws Failure if it cannot be read or is no roster.
[[nodiscard]] std::optional<record::Roster> read_roster(const std::string& file);

/// Tells entries when they came and until when they could. Throws Failure if a file that is named
/// cannot be read or is no table of times.
void set_times(std::vector<record::Entry>&, const std::string& submitted,
               const std::string& extensions);

}  // namespace cugrade::cli
