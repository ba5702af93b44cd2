// Causes on the host's side: what CUDA calls say themselves, and where they are.
#pragma once

#include <optional>
#include <span>

#include "build/build_submission.hpp"
#include "core/outcome.hpp"

namespace cugrade {

/// Of one failing case: a call that was refused, memory that was freed too early, a pointer to the
/// wrong side's memory, an array that is too small.
[[nodiscard]] std::optional<Cause> host_cause(const CaseOutcome&, std::span<const SourceFile>);

}  // namespace cugrade
