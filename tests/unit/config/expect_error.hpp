// Malformed files as rows of a table: what is replaced in a good file, and the error that it gives.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include "core/error.hpp"

struct BadRow {
    std::string from;  ///< text in the good file
    std::string to;    ///< what stands there instead; an @, which is left out, is the error's place
    std::string at;    ///< without an @: the text in the changed file that the error points at
    std::string key;   ///< of the error
    std::string message;  ///< part of the message or the remedy
};

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    INFO("looking for: " << from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

/// Expects an error in `load(text)`, `text` being `good` with the row's change, read from `file`.
template <class Load>
void expect_error(const std::string& good, const BadRow& row, const std::string& file, Load load) {
    INFO(row.from << "  ->  " << row.to);
    auto text = replaced(good, row.from, row.to);
    auto place = text.find(row.at.empty() ? "@" : row.at);
    REQUIRE(place != std::string::npos);
    if (row.at.empty()) text.erase(place, 1);
    const auto line_start = place == 0 ? 0 : text.rfind('\n', place - 1) + 1;

    const auto result = load(text);
    REQUIRE_FALSE(result);
    const auto& error = result.error();
    INFO(error.text());
    CHECK(error.kind == cugrade::ErrorKind::configuration);
    CHECK(error.file == file);
    CHECK(error.line ==
          1 + std::count(text.begin(), text.begin() + static_cast<long>(place), '\n'));
    CHECK(error.column == static_cast<int>(place - line_start) + 1);
    CHECK(error.key == row.key);
    CHECK((error.message + "\n" + error.remedy).find(row.message) != std::string::npos);
    CHECK_FALSE(error.remedy.empty());
}
