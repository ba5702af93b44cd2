// What one kernel stores for another one, which does not read it.
#pragma once

#include <optional>
#include <span>

#include "build/build_submission.hpp"
#include "core/cause.hpp"
#include "emulator/findings/finding.hpp"

namespace cugrade {

/// Partial results that do not reach the result, as the emulated GPU has seen them
/// (emulator/observe/unread_stores.hpp). Likely: they may also be not needed.
[[nodiscard]] std::optional<Cause> unread_cause(std::span<const emulator::Finding> seen,
                                                std::span<const SourceFile>);

}  // namespace cugrade
