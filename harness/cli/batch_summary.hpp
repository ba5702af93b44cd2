// The end of a batch: what the terminal says, and the exit code.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cli/batch_round.hpp"
#include "cli/batch_setup.hpp"
#include "record/rows.hpp"

namespace cugrade::cli {

/// What a watch leaves.
struct WatchEnd {
    std::size_t unfinished = 0;  ///< hand-ins that wait, or were landing
    std::size_t too_late = 0;    ///< that landed after --until
};

/// Prints what came of a round whose rows these are, and what needs a person. Writes the tables for
/// learning management systems. Returns the exit code.
[[nodiscard]] int summarise(const BatchSetup&, const BatchRound&, const std::vector<record::Row>&,
                            const std::optional<WatchEnd>& = {});

}  // namespace cugrade::cli
