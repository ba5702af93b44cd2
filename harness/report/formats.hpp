// The writers behind the table in format.cpp, and what they share.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/report.hpp"
#include "report/format.hpp"

namespace cugrade::report {

std::string write_table(const Report&, const Style&);
std::string write_html(const Report&, const Style&);
std::string write_yaml(const Report&, const Style&);
std::string write_json(const Report&, const Style&);
std::string write_gradescope(const Report&, const Style&);
std::string write_prairielearn(const Report&, const Style&);
std::string write_autolab(const Report&, const Style&);
std::string write_junit(const Report&, const Style&);
std::string write_sarif(const Report&, const Style&);
std::string write_gitlab(const Report&, const Style&);
std::string write_github(const Report&, const Style&);
std::string write_markdown(const Report&, const Style&);

/// The report as every writer shows it: valid UTF-8 without control characters and of bounded
/// length, and no data of hidden cases. Applied twice it changes nothing more.
[[nodiscard]] Report presentable(Report);

/// A text of presentable() as XML and HTML hold it, in attributes, too.
[[nodiscard]] std::string markup(std::string_view text);

/// The structure that YAML and JSON share, with keys in the order in which they are shown. Numbers
/// that are not finite become null.
[[nodiscard]] nlohmann::ordered_json to_tree(Report);
/// The way back. Errors name the key.
[[nodiscard]] Result<Report> from_tree(const nlohmann::ordered_json&);

/// Of the member `seal`.
[[nodiscard]] Status seal_from_tree(const nlohmann::ordered_json&, ReportSeal&);

/// The structure of a report as text, in JSON or YAML. Errors: it is neither, one key is there
/// twice (readers differ on what that means), or it is nested deeper than any report.
[[nodiscard]] Result<nlohmann::ordered_json> read_tree(std::string_view text);

/// Whether this text, without quotes in YAML, can only be a text.
[[nodiscard]] bool is_plain(const std::string&);

}  // namespace cugrade::report
