// Slips that the text of a submission shows by itself: asked for where neither a checker nor an
// experiment names a cause, so whatever they say is likely at most.
#pragma once

#include <optional>
#include <span>

#include "core/cause.hpp"
#include "core/spec.hpp"
#include "judging/source_places.hpp"
#include "judging/symptoms.hpp"

namespace cugrade {

/// What is hardly ever meant, whatever the results look like: a sum that begins as nothing, numbers
/// with a fraction in an int, rows as wide as the data are high.
[[nodiscard]] std::optional<Cause> plain_slip(const TaskSpec&, std::span<const SourceFile>,
                                              const Symptoms&);

/// What is right in other programs: a loop that leaves a rest, a grid with a limit.
[[nodiscard]] std::optional<Cause> possible_slip(const TaskSpec&, std::span<const SourceFile>);

}  // namespace cugrade
