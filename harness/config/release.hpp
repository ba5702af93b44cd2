// What of an assignment and of a policy may reach students, as YAML of the same formats.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace cugrade::config {

struct PublicAssignment {
    std::string id;
    std::string yaml;                ///< assignment.yaml without its hidden cases
    std::vector<std::string> files;  ///< data of public cases, relative to the assignment's folder
    int public_cases = 0;
    int withheld = 0;  ///< hidden cases that were taken out
};

/// Takes the hidden cases out of <folder>/assignment.yaml. The other cases keep their numbers, and
/// with them their data. Comments go, too: one may speak of a hidden case. A key that is not known
/// to be public is an error.
[[nodiscard]] Result<PublicAssignment> public_assignment(const std::filesystem::path& folder);

/// The policy's file with the entry of this assignment alone, without comments.
[[nodiscard]] Result<std::string> public_policy(const std::filesystem::path& file,
                                                const std::string& id);

}  // namespace cugrade::config
