// Grades a class. Theory of operation:
//
// Each grading is committed to the record (record/record.hpp) with all that it depends on. The
// reports' files and the gradebook are written from it after that. So if a batch is killed at any
// moment, the graded submissions are in the record and the rest are not, and --resume grades
// exactly the rest: a grading counts if this grader made it for this student, from the same bytes
// under the same policy, assignment, version, back end and options. Report files that are missing
// or not as this grader wrote them are written again.
//
// What a batch is made of: what holds all the time is in BatchSetup, what is known of the hand-ins
// in BatchResults; a BatchRound grades them, and summarise() tells the end.
//
// A watch (batch_watch.hpp) is round after round over one setup, of what a thread beside it
// collects.
//
// Where submissions are graded is an executor's matter (cluster/executor.hpp): in threads here, or
// as jobs of a cluster (cluster/coordinator.hpp), each in processes of its own. A step that needs a
// GPU takes the first free one and has it alone (gpu/gpu_seat.hpp); the other steps run at once.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/batch_arguments.hpp"
#include "cli/batch_round.hpp"
#include "cli/batch_setup.hpp"
#include "cli/batch_summary.hpp"
#include "cli/batch_watch.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "report/formats.hpp"

namespace cugrade::cli {
namespace {

int run_batch(const BatchArguments& arguments) {
    if (arguments.watch) return watch_batch(arguments);
    BatchSetup setup(arguments);
    BatchRound round(setup, std::move(setup.first_plan));
    const std::vector<record::Row> all = round.run();
    return summarise(setup, round, all);
}

}  // namespace

void add_batch(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand("batch", "Grade a class: reports and a gradebook");
    const auto arguments = std::make_shared<BatchArguments>();
    command
        ->add_option(
            "folder", arguments->folder,
            "Submissions: <student>.cu, <student>.zip or <student>/, or one folder of these per "
            "assignment; or an archive with all of that")
        ->required()
        ->type_name(takes::folder);
    command->add_option("-o,--out", arguments->out, "Folder for reports/ and gradebook.csv")
        ->required()
        ->type_name(takes::folder);
    command
        ->add_option("-a,--assignment", arguments->assignment,
                     "Id of the assignment that all are for; default: by the folders' names")
        ->type_name(takes::assignment);
    arguments->tables.add(*command);
    command
        ->add_option("--only", arguments->only,
                     "Grade this student anew (may be repeated), and keep the others' reports")
        ->take_all();
    command->add_option("--task", arguments->tasks, "Only this task (may be repeated)")
        ->take_all()
        ->type_name(takes::task);
    std::vector<std::string> more;
    for (const report::Format& format : report::formats())
        if (!format.for_everybody) more.emplace_back(format.name);
    command
        ->add_option("-f,--format", arguments->formats,
                     "Write each report in this format, too (may be repeated)")
        ->take_all()
        ->check(one_of(more));
    command->add_flag("--resume", arguments->resume,
                      "Keep the reports that are there and still right");
    auto* const watch =
        command
            ->add_flag("--watch", arguments->watch,
                       "Grade what lands in the folder, until Ctrl-C or SIGTERM; what is graded "
                       "already is kept")
            ->excludes(command->get_option("--only"))
            ->excludes(command->get_option("--submitted"));
    command
        ->add_option("--until", arguments->until,
                     "End the watch when what landed before this time is graded: "
                     "2026-11-30T23:59:00+01:00")
        ->needs(watch)
        ->type_name("TIME");
    command
        ->add_option("--slurm", arguments->slurm,
                     "Grade as jobs of a Slurm cluster, as this cluster.yaml says; --jobs does not "
                     "count then")
        ->type_name(takes::file);
    arguments->choices.is_class = true;
    arguments->choices.add_all(*command);
    arguments->choices.add_sign(*command);
    command->footer(
        "Examples:\n"
        "  cugrade batch submissions/ -a reduction --out graded\n"
        "  cugrade batch class/ --out graded --secret-file secret --resume\n"
        "  cugrade batch class/ --out graded --secret-file secret --slurm cluster.yaml\n"
        "  cugrade batch class/ --out graded --secret-file secret --watch");
    command->callback([arguments, &exit_code] { exit_code = run_batch(*arguments); });
}

}  // namespace cugrade::cli
