// What the formats for course servers share: a task's points, part by part.
#pragma once

#include <string>
#include <vector>

#include "core/report.hpp"

namespace cugrade::report {

struct Part {
    std::string name;  ///< "sum: correctness"
    Score score;
    std::string text;  ///< what to say of it; several lines
};

/// The parts of all tasks that have points: correctness, technique, speed. `report` is
/// presentable().
[[nodiscard]] std::vector<Part> parts_of(const Report& report);

}  // namespace cugrade::report
