// Rules for edits (edit_rules.hpp) of scans: where the totals of groups are stored and read.
#pragma once

#include "judging/edit_text.hpp"

namespace cugrade::edit {

/// To where a group's total is stored, or read, that a pattern of wrong elements tells of; else
/// from the store of a variable to where that gets its first value.
void where_scan_is_shifted(const Text&, Cause&);
/// From the store of a variable to where that gets its first value.
void where_stored_value_is_made(const Text&, Cause&);

/// After a scan by shuffles the last lane has the warp's total, and the first one hands its own
/// element on: then that is the cause, and true is returned.
bool is_total_of_first_lane(const Text&, Cause&);

}  // namespace cugrade::edit
