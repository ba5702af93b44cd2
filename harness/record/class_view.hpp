// A class as its pages show it: one row per submission, and per student of whom one is missing.
#pragma once

#include <string>
#include <vector>

#include "core/policy.hpp"
#include "core/report.hpp"

namespace cugrade::record {

struct ClassRow {
    std::string student;     ///< names the files of the reports
    std::string assignment;  ///< its id
    std::string name = {};   ///< of the roster; may be empty, as the next one may
    std::string section = {};
    const Report* report = nullptr;  ///< null: not graded, or missing
    std::string problem = {};        ///< why there is no report
    bool is_missing = false;         ///< in the roster, and nothing is handed in
};

struct ClassView {
    std::vector<ClassRow> rows;                ///< by assignment, then student; the missing last
    const GradingPolicy* policy = nullptr;     ///< for the tiers; null: none are shown
    std::vector<std::string> distrusted = {};  ///< what lay there and was graded anew, and why
};

}  // namespace cugrade::record
