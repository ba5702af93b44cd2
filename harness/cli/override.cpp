// A person's decision about a mark, which holds whatever is graded anew.
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "build/build_submission.hpp"
#include "build/course.hpp"
#include "cli/choices.hpp"
#include "cli/class_files.hpp"
#include "cli/class_tables.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/folder_lock.hpp"
#include "cli/terminal.hpp"
#include "core/home.hpp"
#include "core/printable.hpp"
#include "core/utc.hpp"
#include "record/record.hpp"
#include "record/rescoring.hpp"
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

/// The row that is meant: of this student, and of the only assignment unless it is named. A student
/// of the class need not have handed in anything: then it is a row of nothing yet.
record::Row find(const record::Class& all, const std::vector<record::Row>& rows,
                 const OverrideArguments& arguments) {
    std::vector<const record::Row*> found, of_student;
    std::vector<std::string> students;
    for (const record::Row& one : rows) {
        students.push_back(one.entry.student);
        if (one.entry.student != safe_name(arguments.student)) continue;
        of_student.push_back(&one);
        if (arguments.assignment.empty() || one.entry.assignment == arguments.assignment)
            found.push_back(&one);
    }
    if (of_student.empty()) {
        Error error = unknown("student", arguments.student, students);
        error.remedy += " A student who is in no batch yet has to be in its --roster";
        throw Failure(std::move(error));
    }
    if (found.size() > 1)
        throw Failure(usage("this student has several assignments", "-a", "name one of them"));
    if (!found.empty()) return *found.front();
    const record::Rules* rules = record::find(all.rules, arguments.assignment);
    if (rules == nullptr) {
        std::vector<std::string> ids;
        for (const record::Rules& one : all.rules) ids.push_back(one.assignment);
        Error error = unknown("assignment", arguments.assignment, ids);
        error.key = "-a";
        throw Failure(std::move(error));
    }
    return {.entry = {.assignment = rules->assignment,
                      .student = of_student.front()->entry.student,
                      .listed = of_student.front()->entry.listed,
                      .is_missing = true},
            .title = rules->title,
            .possible = rules->possible};
}

record::Decision decision_of(const OverrideArguments& arguments, const record::Row& row) {
    const double possible = record::possible_of(row);
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
    return {.assignment = row.entry.assignment,
            .student = row.entry.student,
            .points = arguments.points,
            .reason = arguments.reason,
            .author = author,
            .decided_at = utc_now()};
}

/// Of the record of an older cugrade, which had no rules.
std::vector<record::Rules> rules_of(const Course& course, const record::Class& all) {
    std::map<std::string, std::string> inputs;
    for (const record::Standing& one : all.standings)
        inputs[one.grading.assignment] = one.grading.inputs;
    std::vector<record::Rules> out;
    for (const AssignmentSpec& one : course.assignments)
        out.push_back(record::rules_of(course, one, inputs[one.id]));
    return out;
}

std::string words_of(const record::Row& row) {
    return fmt::format("{} ({}): {} of {}{}\n", printable(row.entry.student), row.entry.assignment,
                       row.mark ? report::points_text(row.mark->points) : "no mark",
                       report::points_text(record::possible_of(row)),
                       !row.mark || row.mark->why.empty() ? "" : "; " + row.mark->why);
}

/// Moodle's number of a student comes with a hand-in.
std::string left_to_a_person(const std::vector<record::Row>& rows, const record::Row& of) {
    const bool is_moodles = record::assignments_of_moodle(rows).contains(of.entry.assignment);
    return is_moodles && of.entry.participant.empty() && of.mark
               ? fmt::format(
                     "moodle-{}.csv has no line for this mark, because nothing was handed "
                     "in: type it in Moodle\n",
                     of.entry.assignment)
               : "";
}

int run(const OverrideArguments& arguments) {
    const Course course = value_of(Course::load(value_of(Home::find()), arguments.policy));
    const seal::Key key = value_of(seal::existing_key());
    record::Record record = value_of(record::Record::existing(arguments.folder));
    const FolderLock lock(arguments.folder);
    record::Class all = value_of(record::read_class(record, key));
    if (all.rules.empty()) all.rules = rules_of(course, all);
    const auto before = all.rows();
    for (const record::Row& row : before)
        if (row.report != nullptr && row.report->policy_sha256 != course.policy.sha256)
            throw Failure(usage("the class was graded under another policy", "--policy",
                                "repeat the --policy of the batch"));
    const auto names = read_chosen_names(course.policy, all.entries);
    const record::Decision decision = decision_of(arguments, find(all, before, arguments));
    check(record.decide(key, decision));
    all.decisions = value_of(record.decisions(key));

    const auto rows = all.rows();
    check(record::write_tables(arguments.folder, rows, record::has_roster(all.entries)));
    check(write_class_pages(arguments.folder, {.rows = rows,
                                               .policy = &course.policy,
                                               .distrusted = {},
                                               .chosen_names = names ? &*names : nullptr}));
    for (const record::Row& row : rows)
        if (row.entry.student == decision.student && row.entry.assignment == decision.assignment)
            print(words_of(row) + left_to_a_person(rows, row));
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
        "  cugrade override graded ada --points 80 --reason 'the assignment was ambiguous'\n"
        "  cugrade override graded ada --points 80 --reason illness --policy grading.yaml");
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace cugrade::cli
