// From where a mistake shows to where it is edited.
#pragma once

#include <span>

#include "build/build_submission.hpp"
#include "core/cause.hpp"
#include "core/spec.hpp"

namespace cugrade {

/// Moves the cause's place from the line in which a finding or a change of the execution lies to the
/// one that has to be edited, as far as the source shows it; renames the line in its texts. False: it
/// has no rule for the cause.
bool move_to_edit(const TaskSpec&, std::span<const SourceFile>, Cause&);

}  // namespace cugrade
