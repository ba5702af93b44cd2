// From where a mistake shows to where it is edited: what the whole submission's text tells.
#pragma once

#include <optional>
#include <span>

#include "core/cause.hpp"
#include "core/source_location.hpp"
#include "core/spec.hpp"

namespace cugrade {

/// Moves a cause whose edit lies in another function than the execution shows, or which has no
/// place at all; what the text does not show stays as it was. To be called after the moves within a
/// function (place_to_edit.hpp).
void move_by_text(const TaskSpec&, std::span<const SourceFile>, Cause&);

/// Where rows and columns are exchanged in an array in shared memory, for a task whose data are
/// planes: one line takes its elements otherwise than all others. Likely.
[[nodiscard]] std::optional<Cause> exchanged_in_table(const TaskSpec&, std::span<const SourceFile>);
/// `width - 1 / 2`, which is the width. Likely.
[[nodiscard]] std::optional<Cause> divided_first(const TaskSpec&, std::span<const SourceFile>);
/// What is right up to a size: a launch of one block that takes one element per thread of all that
/// another kernel has left, or a product that outgrows 32 bits.
[[nodiscard]] std::optional<Cause> wrong_from_a_size_on(const TaskSpec&,
                                                        std::span<const SourceFile>);

/// Where the index of an access that is not coalesced is made: the definition that has the thread's
/// number in it, or the loop over a section of its own; or else the access.
[[nodiscard]] SourceLocation index_of_access(const SourceLocation& access,
                                             std::span<const SourceFile>);

}  // namespace cugrade
