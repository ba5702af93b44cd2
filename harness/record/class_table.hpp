// A class at a glance for a terminal: the same facts as its page, without the students' table.
#pragma once

#include <string>

#include "record/class_view.hpp"
#include "report/format.hpp"

namespace cugrade::record {

[[nodiscard]] std::string class_table(const ClassView&, const report::Style&);

}  // namespace cugrade::record
