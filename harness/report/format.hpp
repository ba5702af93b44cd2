// Report writers: one file per format, one table of formats.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/policy.hpp"
#include "core/report.hpp"
#include "core/source_location.hpp"

namespace cugrade::report {

/// How a format looks, and what it may show beside the report. Most formats ignore most of it.
struct Style {
    // Of the table:
    bool colour = false;  ///< only on a terminal, and not with NO_COLOR
    int width = 80;       ///< columns; no line is wider, and fewer than 40 are taken as 40
    bool unicode = true;  ///< false: nothing but ASCII
    /// False: nothing that a task's causes explain. A file has it all, for nobody can ask it again.
    bool details = true;
    /// Where the submission's files lie, seen from the current directory: for the formats that mark
    /// lines in a repository. Empty: here.
    std::filesystem::path folder = {};
    /// The submission, a file or a folder, seen from there: the place of what has none. Empty: the
    /// report's name for it, in `folder`.
    std::filesystem::path source = {};
    /// Of the page: the submission's files, in whose margins it says what is wrong. Empty: it has
    /// the excerpts that causes come with.
    std::vector<SourceFile> sources = {};
    /// Of the page: what says the tiers of the report's tasks; null: it shows the next one.
    const AssignmentPolicy* policy = nullptr;
};

/// What to give as the style's policy: of the report's assignment, if the report was scored by it.
[[nodiscard]] const AssignmentPolicy* policy_of(const Report&, const GradingPolicy*);

struct Format {
    std::string_view name;       ///< "table", "html", "yaml", "json"
    std::string_view extension;  ///< ".txt", ".html", ".yaml", ".json"
    std::string_view summary;
    /// Ends with a line end. Text that a submission printed or named is made harmless (see
    /// `presentable`), and hidden cases show no data even if the report holds some.
    std::string (*write)(const Report&, const Style&);
    bool for_everybody = false;  ///< a batch writes it without being asked
};

[[nodiscard]] const std::vector<Format>& formats();
[[nodiscard]] Result<Format> find(std::string_view name);
/// The format whose extension the file has, the longest one if several fit; nothing if none does.
[[nodiscard]] std::optional<Format> format_of_file(const std::filesystem::path&);
/// What a batch writes: the formats for everybody, and those that are named.
[[nodiscard]] Result<std::vector<Format>> formats_of_batch(const std::vector<std::string>& also);

/// A report as written by the JSON or the YAML format, read back. Errors name the key.
[[nodiscard]] Result<Report> read_report(std::string_view text);

/// "Score: 70 of 70 judged; 30 need a GPU", without a line end.
[[nodiscard]] std::string score_line(const Report&);
/// Points with two decimals at most: "28", "12.5", "33.33".
[[nodiscard]] std::string points_text(double points);

}  // namespace cugrade::report
