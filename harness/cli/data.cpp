#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "cli/choices.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"
#include "config/load.hpp"
#include "core/home.hpp"
#include "datasets/files.hpp"
#include "grading/pipeline.hpp"
#include "judging/case.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

struct DataArguments {
    std::string task;  ///< "reduction/sum"
    int case_id = 0;
    std::string out;
    std::string student;
    SecretChoice secret;
};

std::string shape_text(const Array& array) {
    return array.shape.empty() ? "0" : fmt::format("{}", fmt::join(array.shape, " x "));
}

std::string tolerance(const Expected& expected) {
    if (expected.bound.empty()) return "exactly";
    if (expected.bound.size() == 1) return fmt::format("within {:g}", expected.bound[0]);
    const auto [low, high] = std::ranges::minmax(expected.bound);
    return low == high ? fmt::format("within {:g}", low)
                       : fmt::format("each within a bound of its own, {:g} to {:g}", low, high);
}

/// A README for a student who debugs the case in a main of their own.
std::string readme(const AssignmentSpec& assignment, const CaseData& data,
                   const std::vector<Expected>& answers) {
    const TaskSpec& task = *data.task;
    std::string call;
    std::string rows;
    for (const ArgumentSpec& argument : task.arguments) {
        if (!call.empty()) call += ", ";
        if (argument.role == Role::scalar) {
            call += fmt::format("{}", data.param(argument.name));
            rows += fmt::format("  {:<12} {} = {}\n", argument.name, name(argument.dtype),
                                data.param(argument.name));
            continue;
        }
        const Array& buffer = data[argument.name];
        call += "d_" + argument.name;
        const std::string what =
            fmt::format("{}, {} elements", name(buffer.dtype), shape_text(buffer));
        if (argument.role == Role::output)
            rows += fmt::format("  {:<12} output: {}; device memory, garbage before the call\n",
                                argument.name, what);
        else
            rows += fmt::format("  {:<12} {}: {}; copy {}.npy to device memory\n", argument.name,
                                argument.role == Role::input ? "input" : "input and output", what,
                                argument.name);
    }
    std::string out =
        fmt::format("{}/{}, case {}: {}\n\nThe grader calls\n\n  {}({});\n\nwith\n\n{}",
                    assignment.id, task.name, data.spec->id, task.title, task.function, call, rows);
    for (const Expected& answer : answers)
        out += fmt::format("\nAfterwards `{0}` must equal expected_{0}.npy {1}.\n", answer.argument,
                           tolerance(answer));
    out +=
        "\nIn Python, numpy.load(\"NAME.npy\") reads a file; in C++, skip the header: it is 10 "
        "bytes plus\n"
        "the little-endian 16-bit number at byte 8, and row-major elements follow.\n";
    return out;
}

int run(const DataArguments& arguments) {
    const Home home = value_of(Home::find());
    std::vector<LeftOut> broken;
    const auto assignments =
        value_of(config::load_assignments(home.share / "assignments", &broken));
    const auto [assignment, task] =
        value_of(find_task_by_path(assignments, arguments.task, broken));
    const auto spec = std::ranges::find(task->cases, arguments.case_id, &CaseSpec::id);
    if (spec == task->cases.end())
        throw Failure(Error{
            .kind = ErrorKind::usage,
            .message = fmt::format("{} has no case {}", arguments.task, arguments.case_id),
            .remedy = fmt::format(
                "its cases are 1 to {}{}: `cugrade list {}` shows them", task->cases.back().id,
                task->withheld > 0 ? ", without the hidden ones" : "", assignment->id)});
    GradeOptions options;
    options.student = arguments.student;
    options.secret = value_of(read_secret(arguments.secret));
    if (spec->visibility == Visibility::hidden && options.secret.empty())
        throw Failure(
            Error{.kind = ErrorKind::usage,
                  .message = fmt::format("case {} of {} is hidden", spec->id, arguments.task),
                  .remedy = "only the instructor can see it: --secret-file F, and --student ID for "
                            "whom it was made"});

    const auto [data, answers, verified] =
        value_of(answered_case(*assignment, *task, *spec, options));
    const fs::path out = arguments.out;
    check(make_folders(out));
    for (const ArgumentSpec& argument : task->arguments)
        if (argument.role == Role::input || argument.role == Role::inout)
            check(datasets::write_npy(out / (argument.name + ".npy"), data[argument.name]));
    for (const Expected& answer : answers)
        check(datasets::write_npy(out / ("expected_" + answer.argument + ".npy"), answer.value));
    const std::string text = readme(*assignment, data, answers);
    check(write_atomically(out / "README.txt", text));
    print(fmt::format("{}\nWritten to {}\n", text, out.string()));
    return exit_graded;
}

}  // namespace

void add_data(CLI::App& app, int& exit_code) {
    CLI::App* command =
        app.add_subcommand("data", "Write the data of a case as .npy files, to debug with");
    const auto arguments = std::make_shared<DataArguments>();
    command->add_option("task", arguments->task, "The task whose case it is")
        ->required()
        ->type_name(takes::assignment_and_task);
    command->add_option("--case", arguments->case_id, "Number of the case, as reports name it")
        ->required();
    command->add_option("-o,--out", arguments->out, "Folder to write to")
        ->required()
        ->type_name(takes::folder);
    command->add_option("--student", arguments->student, "Whose hidden case");
    arguments->secret.add(*command);
    command->footer(
        "Example:\n"
        "  cugrade data reduction/sum --case 4 --out case4");
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace cugrade::cli
