// The rule for edits (edit_rules.hpp) of wide accesses that are not aligned.
#pragma once

#include "judging/edit_text.hpp"

namespace cugrade::edit {

/// From the access to where the pointer is made, and from there to the offset that the host
/// computes.
void where_pointer_is_made(const Text&, Cause&);

}  // namespace cugrade::edit
