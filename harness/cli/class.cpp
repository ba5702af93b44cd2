#include <algorithm>
#include <deque>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/terminal.hpp"
#include "config/load.hpp"
#include "core/files.hpp"
#include "core/home.hpp"
#include "record/class_page.hpp"
#include "record/class_table.hpp"
#include "record/csv.hpp"
#include "report/format.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

struct ClassArguments {
    std::string folder;
    std::string policy;
    std::string colour = "auto";
};

std::string text_of(const fs::path& file) {
    auto text = read_file(file);
    if (text) return *std::move(text);
    Error error = text.error();
    error.kind = ErrorKind::usage;
    error.remedy = "give the folder that `cugrade batch --out` wrote";
    throw Failure(std::move(error));
}

/// The submissions that a batch's gradebook names. It says who counts: a report may still lie there
/// of somebody who is no longer in the class.
class GradedFolder {
public:
    explicit GradedFolder(const fs::path& folder) : folder_(folder) {
        const std::string file = (folder / "gradebook.csv").string();
        const auto lines = value_of(record::read_csv(text_of(file), file));
        if (lines.empty())
            throw Failure(Error{.kind = ErrorKind::usage, .message = "it is empty", .file = file});
        const auto at = [&](std::string_view name) {
            const auto& names = lines.front().fields;
            const auto column = std::ranges::find(names, name);
            if (column == names.end())
                throw Failure(Error{.kind = ErrorKind::usage,
                                    .message = fmt::format("there is no column `{}`", name),
                                    .file = file});
            return static_cast<std::size_t>(column - names.begin());
        };
        const std::size_t student = at("student"), assignment = at("assignment"),
                          verdict = at("verdict"), report = at("report");
        for (auto line = lines.begin() + 1; line != lines.end(); ++line)
            add({.entry = {.assignment = line->fields[assignment],
                           .student = line->fields[student],
                           .listed = std::nullopt,
                           .is_missing = line->fields[verdict] == "missing"}},
                line->fields[report]);
    }

    [[nodiscard]] const std::vector<record::Row>& rows() const { return rows_; }

private:
    void add(record::Row row, const std::string& report_file) {
        if (!report_file.empty()) {
            const fs::path file = (folder_ / report_file).replace_extension(".json");
            auto report = report::read_report(text_of(file));
            if (!report) {
                Error error = report.error();
                error.kind = ErrorKind::usage;
                error.file = file.string();
                throw Failure(std::move(error));
            }
            row.report = &reports_.emplace_back(*std::move(report));
        } else if (!row.entry.is_missing) {
            row.entry.problem = "its page says why, " + record::page_file(row);
        }
        rows_.push_back(std::move(row));
    }

    fs::path folder_;
    std::deque<Report> reports_;  ///< which stay where they are, because rows point to them
    std::vector<record::Row> rows_;
};

int run(const ClassArguments& arguments) {
    const GradedFolder graded(arguments.folder);
    const Home home = value_of(Home::find());
    std::vector<LeftOut> left_out;
    const auto assignments =
        value_of(config::load_assignments(home.share / "assignments", &left_out));
    const GradingPolicy policy = value_of(config::load_policy(
        arguments.policy.empty() ? home.share / "grading.yaml" : fs::path(arguments.policy),
        assignments, left_out));
    print(record::class_table({.rows = graded.rows(), .policy = &policy},
                              value_of(stdout_style(arguments.colour))));
    return exit_graded;
}

}  // namespace

void add_class(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand(
        "class", "Show what a graded class has in common: points, errors, speed");
    const auto arguments = std::make_shared<ClassArguments>();
    command->add_option("folder", arguments->folder, "The folder that `cugrade batch --out` wrote")
        ->required();
    command->add_option("--policy", arguments->policy,
                        "The grading.yaml that the class was graded by, for its tiers");
    command->add_option("--colour,--color", arguments->colour, "auto, always or never")
        ->capture_default_str();
    command->footer(
        "Examples:\n"
        "  cugrade class graded\n"
        "  cugrade class graded --policy course/grading.yaml");
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace cugrade::cli
