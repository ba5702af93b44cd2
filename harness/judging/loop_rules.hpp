// Rules for edits (edit_rules.hpp) of loops: their first numbers, steps and limits.
#pragma once

#include "judging/edit_text.hpp"

namespace cugrade::edit {

/// From a loop to the definition of its step.
void where_step_is_made(const Text&, Cause&);
/// A limit that is off by one, of a loop that halves or doubles, is a level of a tree.
void where_level_is_missing(const Text&, Cause&);
/// The loop that halves, where elements are left out by levels of it.
void where_tree_ends(const Text&, Cause&);
/// A loop's or condition's limit that is a quotient: what is left of the division has no round.
/// Whether it is so.
bool is_limit_rounded_down(const Text&, Cause&);
/// A loop around the cause that begins at `threadIdx.y` and steps by `blockDim.x`, or the reverse.
/// Whether there is one.
bool steps_along_another_axis(const Text&, Cause&);

}  // namespace cugrade::edit
