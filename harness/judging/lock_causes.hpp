// Causes of programs that wait for locks for ever.
#pragma once

#include <optional>
#include <span>

#include "build/build_submission.hpp"
#include "core/cause.hpp"
#include "emulator/findings/finding.hpp"

namespace cugrade {

/// Whether it is of locks that threads wait for.
[[nodiscard]] bool is_told_of_locks(std::span<const emulator::Finding>);

/// What the checkers have seen of locks at the end of a launch that made no progress.
[[nodiscard]] std::optional<Cause> lock_cause(std::span<const emulator::Finding>,
                                              std::span<const SourceFile>);

}  // namespace cugrade
