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

/// What the checkers have seen of data that a thread reads outside of the lock under which it stores
/// them: a likely cause.
[[nodiscard]] std::optional<Cause> unlocked_cause(std::span<const emulator::Finding>);

}  // namespace cugrade
