// Rules for edits (edit_rules.hpp) of arrays of which a part is not set.
#pragma once

#include "judging/edit_text.hpp"

namespace cugrade::edit {

/// The only statement that stores elements of an array before a line reads it, and one place
/// further on, `if (i + 1 < n) out[i + 1] = v;`: an element at the begin of the array, or of each
/// block's part, is left out.
[[nodiscard]] bool is_stored_further_on(const Text&, int line, Cause&);
/// What is missing goes behind the last store, or behind the branch around it.
void behind_the_last_store(const Text&, Cause&);
/// A part is set below a condition or in a loop: one of the two is edited.
void from_condition_to_store(const Text&, Cause&);

/// From a launch to the size of its dynamic shared memory. A size that is in bytes already is no
/// number of elements: then the array is too small.
void where_shared_size_is_made(const Text&, Cause&);

}  // namespace cugrade::edit
