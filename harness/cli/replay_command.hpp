// The command in a report, from which a grading can be repeated.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "backend/grade_options.hpp"
#include "core/error.hpp"
#include "core/report.hpp"

namespace cugrade::cli {

/// The options of a report's command. The report may have been changed by anybody, so only those
/// are taken that decide what is graded; none that names another file.
struct ReplayCommand {
    std::string source;
    std::string assignment;
    std::vector<std::string> tasks;
    std::string student;
    std::string secret_file;  ///< a placeholder: not empty if there was a secret
    int explore = 0;
    std::size_t check_bytes = default_check_bytes;
    std::string backend = "auto";
    int ptx_arch = 75;
    bool no_timing = false;
};

/// Errors: the command is none of `cugrade check`, holds what a replay does not do, or names
/// another assignment or student than the report.
[[nodiscard]] Result<ReplayCommand> replay_command(const Report&);

}  // namespace cugrade::cli
