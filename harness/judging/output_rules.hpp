// Where arrays are edited that a function is given: outputs that nobody sets, inputs that are
// changed, arrays that are both.
#pragma once

#include "judging/edit_text.hpp"

namespace cugrade::edit {

/// What the kernels compute that a kernel launches is read behind the launches.
void where_children_are_read(const Text&, Cause&);
/// Where the host sets an output: in one branch alone, or behind an early return.
void where_output_is_set(const Text&, Cause&);
/// Where an input becomes writable: a reference to its element, or a cast that takes its const
/// away.
void where_input_is_writable(const Text&, Cause&);
/// An element is read in one line and overwritten in another one: what is between them is edited.
void from_read_to_store(const Text&, Cause&);

}  // namespace cugrade::edit
