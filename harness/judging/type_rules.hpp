// Rules for edits (edit_rules.hpp) of numbers whose type has too few bits, or no sign, or one too
// many.
#pragma once

#include <optional>

#include "judging/edit_text.hpp"

namespace cugrade::edit {

/// `return n * part;` of two numbers of 32 bits, in a function that returns one of 64.
[[nodiscard]] std::optional<Cause> product_of_narrow_parameters(const Text&);
/// From a product that overflows to its operand, where that is made just above.
void where_operand_is_made(const Text&, Cause&);
/// From where a number is widened to the variable, or the parameter of a called function, whose
/// type has no sign.
void where_sign_is_lost(const Text&, Cause&);
/// From a ghost cell that nothing shows the place of to the variable without a sign that should be
/// below 0 there: the cause is `unsigned_index` then.
void where_place_has_no_sign(const Text&, Cause&);
/// From an access before an array to the loop that counts a number without a sign down to 0: the
/// cause is `unsigned_index` then.
void where_it_counts_down(const Text&, Cause&);
/// From where a byte is taken for a negative number to the variable whose type has the sign.
void where_byte_is_signed(const Text&, Cause&);

}  // namespace cugrade::edit
