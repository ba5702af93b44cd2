// Rules for edits (edit_rules.hpp) of the order of the host's calls: what waits for what, and what
// is freed when.
#pragma once

#include "judging/edit_text.hpp"

namespace cugrade::edit {

/// A wait belongs between the work in one stream and what uses its result, in another one or on the
/// host.
void between_streams(const Text&, Cause&);
/// From a function, or a destructor, that frees to its call, or to the object, in front of the
/// launch that still needs the memory.
void where_it_is_freed_too_early(const Text&, Cause&);

/// From a launch by a structure's members to where the structure is made.
void where_grid_is_made(const Text&, Cause&);
/// From a launch by a structure's members to where the function that makes it puts them in.
void where_shape_is_made(const Text&, Cause&);
/// A kernel that takes a reference gets an address of the host.
void where_kernel_takes_address(const Text&, Cause&);

}  // namespace cugrade::edit
