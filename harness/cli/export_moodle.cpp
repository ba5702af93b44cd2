// Reports for the students of Moodle, in the form in which it takes them.
//
// Moodle hands files out to students from a .zip with folders that are called as in its own archive
// of hand-ins: a name, Moodle's number of the hand-in, and the plugin, with _ between. It looks at
// the number and the plugin (mod/assign/feedback/file/importziplib.php).
#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"
#include "core/files.hpp"
#include "core/printable.hpp"
#include "handin/pack.hpp"
#include "record/record.hpp"
#include "record/rows.hpp"
#include "record/tables.hpp"
#include "seal/key.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

struct MoodleArguments {
    std::string folder;
    std::string to;
    std::string assignment;
};

/// The assignment that is meant: the only one with hand-ins from Moodle, unless it is named.
std::string assignment_of(const std::vector<record::Row>& rows, const MoodleArguments& arguments) {
    const std::set<std::string> of_moodle = record::assignments_of_moodle(rows);
    const auto fault = [&](std::string message, std::string remedy) {
        return Failure(Error{.kind = ErrorKind::usage,
                             .message = std::move(message),
                             .file = arguments.folder,
                             .key = "-a",
                             .remedy = std::move(remedy)});
    };
    if (!arguments.assignment.empty() && !of_moodle.contains(arguments.assignment))
        throw fault(fmt::format("no hand-in of `{}` has a number of Moodle", arguments.assignment),
                    "grade Moodle's download with its names as they are, and a --roster");
    if (of_moodle.empty())
        throw fault("no hand-in has a number of Moodle",
                    "grade Moodle's download with its names as they are, and a --roster");
    if (arguments.assignment.empty() && of_moodle.size() > 1)
        throw fault("several assignments are Moodle's", "name one of them");
    return arguments.assignment.empty() ? *of_moodle.begin() : arguments.assignment;
}

std::string folder_for_moodle(const record::Entry& entry) {
    std::string name =
        entry.listed && !entry.listed->name.empty() ? entry.listed->name : entry.student;
    std::ranges::replace_if(
        name, [](char c) { return c == '_' || c == '/' || c == '\\'; }, ' ');
    return fmt::format("{}_{}_assignsubmission_file_", name, entry.participant);
}

int export_moodle(const MoodleArguments& arguments) {
    const record::Record record = value_of(record::Record::existing(arguments.folder));
    const record::Class all = value_of(record::read_class(record, value_of(seal::existing_key())));
    const auto rows = all.rows();
    const std::string assignment = assignment_of(rows, arguments);
    check(could_write(arguments.to));
    std::vector<handin::PackedFile> files;
    std::vector<std::string> left_out;
    for (const record::Row& row : rows) {
        if (row.entry.assignment != assignment) continue;
        if (row.entry.is_missing) {
            left_out.push_back(
                fmt::format("  {}: nothing is handed in\n", printable(row.entry.student)));
            continue;
        }
        if (row.entry.participant.empty() || row.report == nullptr) {
            left_out.push_back(fmt::format("  {}: {}\n", printable(row.entry.student),
                                           row.report == nullptr
                                               ? "not graded"
                                               : "not named by Moodle after a student of the "
                                                 "roster, as hand-ins of teams are not"));
            continue;
        }
        const fs::path report = record::report_file(assignment, row.entry.student, ".html");
        files.push_back({folder_for_moodle(row.entry) + "/report.html",
                         value_of(read_file(fs::path(arguments.folder) / report))});
    }
    check(write_atomically(arguments.to, value_of(handin::zip_of(files))));
    std::string out = fmt::format(
        "{}: {}\n", arguments.to,
        files.size() == 1 ? std::string("1 report") : fmt::format("{} reports", files.size()));
    if (!left_out.empty()) out += "\nLeft out:\n";
    for (const std::string& one : left_out) out += one;
    print(out);
    return exit_graded;
}

}  // namespace

void add_export_moodle(CLI::App& command, int& exit_code) {
    CLI::App* moodle = command.add_subcommand(
        "moodle", "Make the archive by which Moodle gives each student the report");
    const auto arguments = std::make_shared<MoodleArguments>();
    moodle->add_option("folder", arguments->folder, "What `cugrade batch --out` has written")
        ->required()
        ->type_name(takes::folder);
    moodle->add_option("--to", arguments->to, "The archive to write, a .zip file")
        ->required()
        ->type_name(takes::file);
    moodle
        ->add_option("-a,--assignment", arguments->assignment,
                     "Id of the assignment, if several have hand-ins from Moodle")
        ->type_name(takes::assignment);
    moodle->footer(
        "Moodle takes it at the assignment: Upload multiple feedback files in a zip.\n"
        "Example:\n"
        "  cugrade export moodle graded --to feedback.zip");
    moodle->callback([arguments, &exit_code] { exit_code = export_moodle(*arguments); });
}

}  // namespace cugrade::cli
