// The rules for edits (edit_rules.hpp) of barriers and atomic functions: what is told to be written
// can be written there.
#pragma once

#include "judging/edit_text.hpp"

namespace cugrade::edit {

/// A barrier goes behind a loop that some threads leave earlier, or that does but one half of what
/// is to be kept apart. One statement that reads what others overwrite needs two steps.
void where_barrier_can_stand(const Text&, Cause&);
/// A barrier that mends behind a loop goes behind the line in which its text ends.
void behind_the_loop(const Text&, Cause&);
/// Whether the parentheses of an `if` or a loop have the thread's number in them, or a name that is
/// made of it: threads go different ways.
[[nodiscard]] bool depends_on_thread(const Text&, Range statement);
/// Of two barriers that the threads of a block meet at, the one below a condition that only some of
/// them fulfil.
void which_barrier_is_held_back(const Text&, Cause&);
/// The loop around a line whose rounds are the thread's own; 0: there is none, or a condition in it
/// decides who comes to the line.
[[nodiscard]] int loop_left_by_threads(const Text&, int line);
void tell_loop_left_by_threads(int loop, Cause&);
/// A likely cause that elements are not set, where a kernel has such a loop with a barrier in it,
/// up to a size that it is given: then that is the cause.
bool is_left_by_threads(const Text&, Cause&);
/// There is no atomicAdd for signed numbers of 64 bits.
void which_atomic_there_is(const Text&, Cause&);
/// What an experiment has put behind a line goes anywhere in front of the next one that must not
/// come earlier.
void up_to_the_next_use(const Text&, Cause&);

}  // namespace cugrade::edit
