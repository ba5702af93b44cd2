// The writers behind the table in format.cpp, and what they share.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/report.hpp"
#include "report/format.hpp"

namespace cugrade::report {

std::string write_table(const Report&, const Style&);
std::string write_yaml(const Report&, const Style&);
std::string write_json(const Report&, const Style&);

/// The report as every writer shows it: valid UTF-8 without control characters and of bounded
/// length, and no data of hidden cases. Applied twice it changes nothing more.
[[nodiscard]] Report presentable(Report);

/// The structure that YAML and JSON share, with keys in the order in which they are shown. Numbers
/// that are not finite become null.
[[nodiscard]] nlohmann::ordered_json to_tree(Report);

}  // namespace cugrade::report
