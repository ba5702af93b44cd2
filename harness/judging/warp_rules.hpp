// Rules for edits (edit_rules.hpp) of the masks of warp-level calls.
#pragma once

#include "judging/edit_text.hpp"

namespace cugrade::edit {

/// A barrier shows that lanes are missing; the call that names them is the last one before. A mask
/// that is a function's parameter is named by the call of that function.
void where_mask_is_named(const Text&, Cause&);

}  // namespace cugrade::edit
