// Rules for edits (edit_rules.hpp) of values that are made in one place and go wrong in another
// one.
#pragma once

#include <optional>

#include "judging/edit_text.hpp"

namespace cugrade::edit {

/// The function that gives the first value of a sum, a maximum and the like.
void where_first_value_is_made(const Text&, Cause&);
/// The `if` below which a swap is tried a second and last time.
void where_swap_is_tried_again(const Text&, Cause&);
/// Blocks whose results are lost because each tries a swap once.
void where_swap_is_tried_once(const Text&, Cause&);
/// To where a group's total is stored, or read, that a pattern of wrong elements tells of; else
/// from the store of a variable to where that gets its first value.
void where_scan_is_shifted(const Text&, Cause&);
/// From the store of a variable to where that gets its first value.
void where_stored_value_is_made(const Text&, Cause&);
/// From a launch to the size of its dynamic shared memory. A size that is in bytes already is no
/// number of elements: then the array is too small.
void where_shared_size_is_made(const Text&, Cause&);
/// `return n * part;` of two numbers of 32 bits, in a function that returns one of 64.
[[nodiscard]] std::optional<Cause> product_of_narrow_parameters(const Text&);
/// From a product that overflows to its operand, where that is made just above.
void where_operand_is_made(const Text&, Cause&);
/// From a launch that is refused to the numbers that it is made of.
void where_launch_is_sized(const Text&, Cause&);
/// From a launch that passes two numbers in each other's place to where they are put into what it
/// passes.
void where_numbers_are_exchanged(const Text&, Cause&);
/// From where a number is widened to the variable, or the parameter of a called function, whose
/// type has no sign.
void where_sign_is_lost(const Text&, Cause&);
/// From where a byte is taken for a negative number to the variable whose type has the sign.
void where_byte_is_signed(const Text&, Cause&);
/// The call or the minimum that clamps.
void where_it_saturates(const Text&, Cause&);
/// A variable of the device counts the blocks of a launch, and nothing in the kernel sets it back.
void where_count_begins_again(const Text&, Cause&);

}  // namespace cugrade::edit
