#include "studies/sweep.hpp"

#include <memory>

#include <fmt/format.h>

#include "backend/backend.hpp"
#include "cli/choices.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/figure.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"
#include "core/shell.hpp"
#include "report/sweep.hpp"
#include "studies/sizes.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

struct SweepArguments {
    std::string task;
    std::vector<std::string> submissions;
    std::string sizes;
    std::string out;
    std::string figure = "svg";
    GradingChoices choices;
};

/// On the emulated GPU, only the oracle's time and the size of the data grow with the sizes; both
/// burden this machine.
constexpr const char* sizes_measured = "2^1..2^30";
constexpr const char* sizes_modelled = "2^1..2^24";

std::string command_of(const SweepArguments& arguments, const std::string& sizes) {
    std::string out = "cugrade sweep " + shell_word(arguments.task);
    for (const std::string& file : arguments.submissions)
        out += " --submission " + shell_word(file);
    return out + fmt::format(" --sizes {} --backend {}", sizes, arguments.choices.backend);
}

int run(const SweepArguments& arguments) {
    GradeOptions options = value_of(arguments.choices.options());
    refuse_other_ptx(arguments.choices);
    const std::string sizes = !arguments.sizes.empty()                             ? arguments.sizes
                              : value_of(choose_backend(options))->measures_time() ? sizes_measured
                                                                                   : sizes_modelled;
    const Course course = value_of(Course::load(value_of(Home::find()), arguments.choices.policy));
    const auto isolated = value_of(sandbox::isolate(course.home.libexec, options.isolation));
    options.keeper = isolated.keeper.get();
    const auto [assignment, task] =
        value_of(find_task_by_path(course.assignments, arguments.task, course.left_out));
    SweepRequest request{.assignment = assignment,
                         .task = task,
                         .submissions = {},
                         .sizes = value_of(parse_sizes(sizes)),
                         .options = options,
                         .command = command_of(arguments, sizes)};
    for (const std::string& file : arguments.submissions) request.submissions.emplace_back(file);
    const fs::path out = arguments.out.empty()
                             ? fs::path("sweep-" + assignment->id + "-" + task->name)
                             : fs::path(arguments.out);
    check(could_write_in(out));
    ProgressLine progress;
    request.options.progress = [&progress](const std::string& text) { progress.show(text); };
    // Writes after each size, so that an interrupted sweep keeps its results.
    request.after_size = [&](const Sweep& sweep, std::size_t done) {
        progress.clear();
        if (done == 0) check(make_folders(out));
        check(write_atomically(out / "sweep.csv", report::sweep_csv(sweep)));
        check(write_atomically(out / "sweep.json", report::sweep_json(sweep)));
        check(write_atomically(out / "sweep.gp", report::sweep_gnuplot(sweep, arguments.figure)));
        print(done == 0 ? report::sweep_head(sweep) : report::sweep_row(sweep, done - 1));
    };
    const Sweep result = value_of(sweep(course, request));
    progress.clear();
    print(report::sweep_findings(result));
    print(fmt::format("Written: {0}/sweep.csv, {0}/sweep.json, {0}/sweep.gp\n", out.string()));
    print(value_of(draw(course.home, out / "sweep.gp", "sweep." + arguments.figure)));
    return exit_graded;
}

}  // namespace

void add_sweep(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand(
        "sweep", "Time programs for one task over sizes, and draw it; for learning, not for marks");
    const auto arguments = std::make_shared<SweepArguments>();
    command->add_option("task", arguments->task, "The task")
        ->required()
        ->type_name(takes::assignment_and_task);
    command
        ->add_option(
            "-s,--submission", arguments->submissions,
            "A .cu file or a folder to time beside the CPU oracle, the baseline and, where "
            "it is installed, the solution (may be repeated)")
        ->take_all()
        ->type_name(takes::path);
    command->add_option(
        "--sizes", arguments->sizes,
        fmt::format("Elements of the largest argument: 2^1..2^30, or 1000,10^4..10^6; default: {} "
                    "on a GPU, {} with --backend emulator",
                    sizes_measured, sizes_modelled));
    command
        ->add_option("-o,--out", arguments->out,
                     "Folder for sweep.csv, sweep.json, sweep.gp and the figure; default: "
                     "sweep-ASSIGNMENT-TASK")
        ->type_name(takes::folder);
    add_figure(*command, arguments->figure);
    arguments->choices.add_backend(*command);
    command->get_option("--backend")
        ->description(
            "gpu, emulator (modelled times), or auto: a GPU, and an error if there is none");
    command->footer(
        "Examples:\n"
        "  cugrade sweep reduction/sum --submission student.cu\n"
        "  cugrade sweep scan/inclusive_int -s mine.cu -s yours.cu --sizes 2^10..2^28 --out "
        "scans\n"
        "  cugrade sweep reduction/sum --backend emulator   # modelled, where there is no GPU");
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace cugrade::cli
