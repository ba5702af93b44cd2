// A person's decision about a mark, which holds whatever is graded anew.
#include <cstdlib>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "build/build_submission.hpp"
#include "build/course.hpp"
#include "cli/choices.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/folder_lock.hpp"
#include "cli/terminal.hpp"
#include "core/home.hpp"
#include "core/printable.hpp"
#include "core/utc.hpp"
#include "record/changes.hpp"
#include "record/record.hpp"
#include "record/tables.hpp"
#include "report/format.hpp"

namespace cugrade::cli {
namespace {

struct OverrideArguments {
    std::string folder;
    std::string student;
    std::string assignment;
    std::optional<double> points;
    std::string reason;
    std::string author;
    bool withdraw = false;
    std::string policy;
};

Error usage(std::string message, std::string key, std::string remedy) {
    return {.kind = ErrorKind::usage,
            .message = std::move(message),
            .key = std::move(key),
            .remedy = std::move(remedy)};
}

/// The standing that is meant: of this student, and of the only assignment unless it is named.
const record::Standing& find(const std::vector<record::Standing>& all,
                             const OverrideArguments& arguments) {
    std::vector<const record::Standing*> found;
    std::vector<std::string> students;
    for (const record::Standing& one : all) {
        students.push_back(one.grading.student);
        if (one.grading.student == safe_name(arguments.student) &&
            (arguments.assignment.empty() || one.grading.assignment == arguments.assignment))
            found.push_back(&one);
    }
    if (found.empty()) throw Failure(unknown("student", arguments.student, students));
    if (found.size() > 1)
        throw Failure(usage("this student has several assignments", "-a", "name one of them"));
    if (!found.front()->report)
        throw Failure(usage("there is no mark yet: " + found.front()->grading.problem, "student",
                            "grade it first"));
    return *found.front();
}

record::Decision decision_of(const OverrideArguments& arguments, const record::Standing& standing) {
    const double possible = standing.report->score.possible;
    if (arguments.withdraw == arguments.points.has_value())
        throw Failure(usage("give either points or --withdraw", "--points", "see --help"));
    if (arguments.points && !(*arguments.points >= 0 && *arguments.points <= possible))
        throw Failure(usage(fmt::format("{} is not between 0 and {}, the points that there are",
                                        *arguments.points, report::points_text(possible)),
                            "--points", "give points of this assignment"));
    if (arguments.reason.empty())
        throw Failure(usage("a decision needs a reason", "--reason", "say why, in a sentence"));
    std::string author = arguments.author;
    for (const char* variable : {"SUDO_USER", "USER", "LOGNAME"})
        if (const char* name = std::getenv(variable); author.empty() && name != nullptr)
            author = name;
    if (author.empty())
        throw Failure(usage("nobody knows who decides", "--author", "give your name"));
    return {.assignment = standing.grading.assignment,
            .student = standing.grading.student,
            .points = arguments.points,
            .reason = arguments.reason,
            .author = author,
            .decided_at = utc_now()};
}

int run(const OverrideArguments& arguments) {
    const Course course = value_of(Course::load(value_of(Home::find()), arguments.policy));
    const seal::Key key = value_of(seal::existing_key());
    record::Record record = value_of(record::Record::existing(arguments.folder));
    const FolderLock lock(arguments.folder);
    const auto all = value_of(record::standings(record, key));
    const record::Standing& standing = find(all, arguments);
    for (const record::Standing& one : all)
        if (one.report && one.report->policy_sha256 != course.policy.sha256)
            throw Failure(usage("the class was graded under another policy", "--policy",
                                "give the policy under which it was graded"));
    check(record.decide(key, decision_of(arguments, standing)));

    const auto entries = value_of(record.entries());
    const auto rows = record::rows_of(entries, all, course.policy, value_of(record.decisions(key)));
    check(record::write_tables(arguments.folder, rows, record::has_roster(entries)));
    for (const record::Row& row : rows)
        if (row.entry->student == standing.grading.student &&
            row.entry->assignment == standing.grading.assignment)
            print(fmt::format("{} ({}): {} of {}{}\n", printable(row.entry->student),
                              row.entry->assignment, report::points_text(row.mark.points),
                              report::points_text(row.report->score.possible),
                              row.mark.why.empty() ? "" : "; " + row.mark.why));
    return exit_graded;
}

}  // namespace

void add_override(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand("override", "Decide a student's mark, with a reason");
    const auto arguments = std::make_shared<OverrideArguments>();
    command->add_option("folder", arguments->folder, "What `cugrade batch --out` has written")
        ->required()
        ->type_name(takes::folder);
    command->add_option("student", arguments->student, "The student's id")->required();
    command
        ->add_option("-a,--assignment", arguments->assignment,
                     "Id of the assignment, if the class has several")
        ->type_name(takes::assignment);
    command->add_option("--points", arguments->points, "What the student gets");
    command->add_flag("--withdraw", arguments->withdraw,
                      "The report's points count again, less what lateness costs");
    command->add_option("--reason", arguments->reason, "Why; it is in the gradebook");
    command->add_option("--author", arguments->author, "Who decides; default: your user's name");
    command
        ->add_option("--policy", arguments->policy,
                     "The policy of the class; default: grading.yaml of the course")
        ->type_name(takes::file);
    command->footer(
        "Example:\n"
        "  cugrade override graded ada --points 80 --reason 'the assignment was ambiguous'");
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace cugrade::cli
