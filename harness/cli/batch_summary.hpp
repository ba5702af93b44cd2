// The end of a batch: what the terminal says, and the exit code.
#pragma once

#include <vector>

#include "cli/batch_round.hpp"
#include "cli/batch_setup.hpp"
#include "record/rows.hpp"

namespace cugrade::cli {

/// Prints what came of a round whose rows these are, and what needs a person. Writes the tables for
/// learning management systems. Returns the exit code.
[[nodiscard]] int summarise(const BatchSetup&, const BatchRound&, const std::vector<record::Row>&);

}  // namespace cugrade::cli
