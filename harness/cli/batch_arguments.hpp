// What `cugrade batch` is told on its command line.
#pragma once

#include <string>
#include <vector>

#include "cli/choices.hpp"
#include "cli/class_tables.hpp"

namespace cugrade::cli {

struct BatchArguments {
    std::string folder;
    std::string out;
    std::string assignment;
    ClassTables tables;
    std::vector<std::string> only;
    std::vector<std::string> tasks;
    std::vector<std::string> formats;
    std::string slurm;  ///< cluster.yaml; empty: graded here
    bool resume = false;
    bool watch = false;
    std::string until;  ///< of a watch; empty: until it is interrupted
    GradingChoices choices;
};

}  // namespace cugrade::cli
