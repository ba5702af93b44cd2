// Rules for edits (edit_rules.hpp) of what is counted: in types that are too narrow, in whole
// groups.
#pragma once

#include "judging/edit_text.hpp"

namespace cugrade::edit {

/// The declaration of an array of small numbers in a kernel, or of their type or width, or the
/// number of elements after which they are emptied.
void where_counter_is_declared(const Text&, Cause&);
/// One round more or less than the number of rounds after which narrow counters are emptied: then
/// that is the cause, and true is returned.
bool is_emptied_too_late(const Text&, Cause&);
/// From a rest that is left out, of which nothing shows where, to the one loop over whole groups.
void where_groups_are_walked(const Text&, Cause&);
/// The declaration of a `float` in a kernel whose inputs are doubles.
void where_sum_is_declared(const Text&, Cause&);

}  // namespace cugrade::edit
