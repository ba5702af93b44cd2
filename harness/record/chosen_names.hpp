// The names that students have chosen for the leaderboard, which they may all see.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "record/record.hpp"

namespace cugrade::record {

/// What a student without a chosen name is shown as, if at all; so nobody may choose it.
constexpr std::string_view anonymous_name = "anonymous";
/// Chosen: a table of these fits on a page.
constexpr std::size_t longest_chosen_name = 40;

struct ChosenNames {
    std::map<std::string, std::string> of;  ///< by Entry::student
    std::vector<std::string> nobodys;       ///< ids that are not in the class, which has no roster
};

/// A table with the columns `id` and `name`; a line without a name is of a student who has chosen
/// none. `file` is for errors. Errors: the table is none or not UTF-8; an id is there twice, or not
/// in the class though that has a roster; a name is too long, does not show what it is, is another
/// one's as a person reads it, or is what staff call a student of the class.
[[nodiscard]] Result<ChosenNames> read_chosen_names(std::string_view text, const std::string& file,
                                                    const std::vector<Entry>& entries);

}  // namespace cugrade::record
