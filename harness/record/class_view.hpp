// A class as its pages show it: one row per submission, and per student of whom one is missing.
#pragma once

#include <string>
#include <vector>

#include "core/policy.hpp"
#include "record/chosen_names.hpp"
#include "record/rows.hpp"

namespace cugrade::record {

/// Of the roster; empty if it does not say.
[[nodiscard]] inline std::string name_of(const Row& row) {
    return row.entry.listed ? row.entry.listed->name : "";
}
[[nodiscard]] inline std::string section_of(const Row& row) {
    return row.entry.listed ? row.entry.listed->section : "";
}

struct ClassView {
    std::vector<Row> rows;                      ///< by assignment, then student; the missing last
    const GradingPolicy* policy = nullptr;      ///< for the tiers; null: none are shown
    std::vector<std::string> distrusted = {};   ///< what lay there and was graded anew, and why
    const ChosenNames* chosen_names = nullptr;  ///< of the leaderboard; null: there is none
};

}  // namespace cugrade::record
