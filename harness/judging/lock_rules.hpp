// Rules for edits (edit_rules.hpp) of locks: where they are set, held and given back.
#pragma once

#include "judging/edit_text.hpp"

namespace cugrade::edit {

/// A vote that asks whether all lanes have their locks, in the loop that takes them; or the release
/// behind that loop, which belongs into it.
void where_all_lanes_are_asked(const Text&, Cause&);
/// Where the lock is given back too early, or is not taken yet: a guard without a name, of two
/// accesses the one behind the release, or the call of a function that only reads.
void where_lock_is_not_held(const Text&, Cause&);
/// From the end of a branch to the line above in which the lock is given back for some.
void where_others_give_it_back(const Text&, Cause&);
/// Of a lock that is taken twice: the flag that says whether there are two, or, in a loop over the
/// locks that are needed, how many those are.
void where_number_of_locks_is_made(const Text&, Cause&);
/// The condition that puts two locks in order.
void where_order_is_chosen(const Text&, Cause&);
/// A size that seems to be one in elements is that of a part of a lock, which others wait for.
/// Whether it is so.
bool is_part_of_lock_cleared(const Text&, Cause&);
/// What a loop waits for and nobody has set is a lock; it is set where the other members of its
/// structure are.
void where_lock_is_set(const Text&, Cause&);

}  // namespace cugrade::edit
