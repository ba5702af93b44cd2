#include "studies/roofline.hpp"

#include <memory>

#include <fmt/format.h>

#include "cli/choices.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/figure.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"
#include "report/roofline.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

struct RooflineArguments {
    SubmissionChoices submission;
    std::string out;
    std::string figure = "svg";
    GradingChoices choices;
};

int run(const RooflineArguments& arguments) {
    GradeOptions options = value_of(arguments.choices.options());
    refuse_other_ptx(arguments.choices);
    const Course course = value_of(arguments.submission.course(arguments.choices.policy));
    const auto isolated = value_of(sandbox::isolate(course.home.libexec, options.isolation));
    options.keeper = isolated.keeper.get();
    const AssignmentSpec* assignment = value_of(arguments.submission.assignment_of(course));
    options.tasks = arguments.submission.tasks;
    const fs::path out =
        arguments.out.empty() ? fs::path("roofline-" + assignment->id) : fs::path(arguments.out);

    check(could_write_in(out));

    ProgressLine progress;
    options.progress = [&progress](const std::string& text) { progress.show(text); };
    const Roofline result =
        value_of(roofline(course, *assignment, arguments.submission.source, options));
    progress.clear();
    print(report::roofline_table(result));
    check(make_folders(out));
    check(write_atomically(out / "roofline.csv", report::roofline_csv(result)));
    check(write_atomically(out / "roofline.json", report::roofline_json(result)));
    check(
        write_atomically(out / "roofline.gp", report::roofline_gnuplot(result, arguments.figure)));
    print(fmt::format("Written: {0}/roofline.csv, {0}/roofline.json, {0}/roofline.gp\n",
                      out.string()));
    print(value_of(draw(course.home, out / "roofline.gp", "roofline." + arguments.figure)));
    return exit_graded;
}

}  // namespace

void add_roofline(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand(
        "roofline", "Draw a submission's tasks under the roofs of memory and arithmetic");
    const auto arguments = std::make_shared<RooflineArguments>();
    arguments->submission.add(*command);
    command
        ->add_option("-o,--out", arguments->out,
                     "Folder for roofline.csv, roofline.json, roofline.gp and the figure; "
                     "default: roofline-ASSIGNMENT")
        ->type_name(takes::folder);
    add_figure(*command, arguments->figure);
    arguments->choices.add_backend(*command);
    command->footer(
        "Examples:\n"
        "  cugrade roofline student.cu -a reduction\n"
        "  cugrade roofline student.cu -a scan --backend emulator --out roof");
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace cugrade::cli
