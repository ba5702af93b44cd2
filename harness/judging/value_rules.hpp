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
/// From a launch that is refused to the numbers that it is made of.
void where_launch_is_sized(const Text&, Cause&);
/// From a launch that passes two numbers in each other's place to where they are put into what it
/// passes.
void where_numbers_are_exchanged(const Text&, Cause&);
/// `width - 1 / 2`: a quotient of two numbers that is 0, where a sum was to be divided.
[[nodiscard]] std::optional<Cause> divided_to_nothing(const Text&);
/// The call or the minimum that clamps.
void where_it_saturates(const Text&, Cause&);
/// A variable of the device counts the blocks of a launch, and nothing in the kernel sets it back.
void where_count_begins_again(const Text&, Cause&);

}  // namespace cugrade::edit
