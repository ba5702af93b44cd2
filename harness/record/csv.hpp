// Tables of comma-separated values, as RFC 4180 has them and spreadsheets write them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace cugrade::record {

/// Whether a spreadsheet would run this text as a formula.
[[nodiscard]] bool is_formula(std::string_view text);

/// One field, quoted if necessary. A formula gets an apostrophe in front, which makes it another
/// text: what other programs find rows by may be none (a roster refuses such ids).
[[nodiscard]] std::string csv_field(std::string_view text);

struct CsvRow {
    int line = 0;  ///< where it begins, from 1
    std::vector<std::string> fields;
};

/// All rows, the one with the names of the columns included; empty lines are left out, and so is a
/// mark of the byte order. `file` is for errors: a quote that is not closed, or text after one, or
/// another number of fields than the first row has.
[[nodiscard]] Result<std::vector<CsvRow>> read_csv(std::string_view text, const std::string& file);

/// What is wrong with a table; line 0: with all of it.
[[nodiscard]] Error wrong_table(const std::string& file, int line, std::string message,
                                std::string remedy);

/// The place of a column in the row of names; nothing: there is none.
[[nodiscard]] std::optional<std::size_t> column_of(const CsvRow& names, std::string_view name);

/// A table that has these columns in any order, and no others.
struct CsvColumns {
    std::string_view table;                  ///< "a roster"
    std::vector<std::string_view> columns;   ///< all that there may be
    std::vector<std::string_view> required;  ///< those that have to be there
    std::string_view example;                ///< a row of names: "id,name,email"
};
/// Errors: the row of names has another column, one twice, or lacks one.
[[nodiscard]] Status check_columns(const CsvRow& names, const CsvColumns&, const std::string& file);

}  // namespace cugrade::record
