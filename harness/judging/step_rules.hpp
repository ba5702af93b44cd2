// Loops that go on by less than a round takes.
#pragma once

#include "judging/edit_text.hpp"

namespace cugrade::edit {

/// The line of a loop that begins at multiples of a number, and goes on by what is none; 0: it does
/// not.
[[nodiscard]] int step_without_factor(const Text&, const Loop&);
/// The line in which a loop goes on by one step although a round takes elements one step apart; 0:
/// it does not.
[[nodiscard]] int step_too_short(const Text&, const Loop&);
void tell_step_too_short(const Text&, const Loop&, Cause&);
/// A loop around the cause that begins at the thread's number and goes on by more than a block has
/// threads, as its launch says: what is in between is left out. Whether there is one.
bool steps_over_elements(const Text&, Cause&);

}  // namespace cugrade::edit
