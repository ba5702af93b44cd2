// Rules for edits (edit_rules.hpp) of two-dimensional arrays in shared memory: `tile[row][column]`.
#pragma once

#include "judging/edit_text.hpp"

namespace cugrade::edit {

/// Where rows and columns of such an array are exchanged: the only line that has the column first,
/// while others have the row first. 0: there is none.
[[nodiscard]] int where_table_is_turned(const Text&);
/// Where a function of a row and a column, as its parameters are named, is called with names of
/// columns first and of rows second. 0: nowhere.
[[nodiscard]] int where_call_is_turned(const Text&);
/// A function that computes an index of a row and a column is right in itself: the cause moves to
/// the only line that calls it. Whether it does.
bool is_asked_in_other_order(const Text&, Cause&);
/// Threads that store different elements by one statement meet in one word: rows are longer than
/// the array's. Then that is the cause, and true is returned.
bool is_row_too_short(const Text&, Cause&);

}  // namespace cugrade::edit
