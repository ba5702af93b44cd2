// The tables that an instructor gives to a batch: who is in the class, when hand-ins came,
// extensions.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/policy.hpp"
#include "record/chosen_names.hpp"
#include "record/record.hpp"
#include "record/roster.hpp"

namespace cugrade::cli {

/// Their options.
struct ClassTables {
    std::string roster;
    std::string submitted;
    std::string extensions;
    std::string time_zone;

    void add(CLI::App&);
};

/// Nothing if no file is named. Throws Failure if it cannot be read or is no roster.
[[nodiscard]] std::optional<record::Roster> read_roster(const std::string& file);

/// The names of the policy's leaderboard; nothing if it has none. Throws Failure if their file
/// cannot be read or does not fit the class.
[[nodiscard]] std::optional<record::ChosenNames> read_chosen_names(
    const GradingPolicy&, const std::vector<record::Entry>&);

/// Of each table of times: its file, and whom it names.
[[nodiscard]] std::vector<std::pair<std::string, std::vector<std::string>>> students_of(
    const ClassTables&);

/// Tells entries when they came and until when they could. Throws Failure if a file that is named
/// cannot be read or is no table of times, or if a worksheet of Moodle is that of others.
void set_times(std::vector<record::Entry>&, const ClassTables&);

}  // namespace cugrade::cli
