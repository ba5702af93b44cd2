// Rules for edits (edit_rules.hpp) of loops: their first numbers, steps and limits.
#pragma once

#include <optional>

#include "judging/edit_text.hpp"

namespace cugrade::edit {

/// From a loop to the definition of its step.
void where_step_is_made(const Text&, Cause&);
/// A limit that is off by one, of a loop that halves or doubles, is a level of a tree.
void where_level_is_missing(const Text&, Cause&);
/// Where elements are left out: the step that a tree which is written out lacks, the one block that
/// takes them all, or the loop that halves.
void where_tree_ends(const Text&, Cause&);
/// Where the number of groups that the elements make is used as the index of an element.
void where_groups_are_an_index(const Text&, Cause&);
/// From a loop that halves, or the line in front of it, to where its first number is made: in the
/// function, or on the host, which passes it to the kernel.
void where_halved_number_is_made(const Text&, Cause&);
/// A loop's or condition's limit that is a quotient: what is left of the division has no round.
/// Whether it is so.
bool is_limit_rounded_down(const Text&, Cause&);
/// A division's rest that nobody takes, of a cause without a place. Whether there is one.
bool is_rest_left(const Text&, Cause&);
/// One block that takes one element per thread of all that there are.
[[nodiscard]] std::optional<Cause> taken_by_one_block(const Text&);
/// A loop around the cause that begins at `threadIdx.y` and steps by `blockDim.x`, or the reverse.
/// Whether there is one.
bool steps_along_another_axis(const Text&, Cause&);

}  // namespace cugrade::edit
