#include "studies/profile.hpp"

#include <memory>

#include <fmt/format.h>

#include "build/build_submission.hpp"
#include "cli/choices.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"
#include "report/profile.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

struct ProfileArguments {
    SubmissionChoices submission;
    std::optional<int> case_id;
    std::string format;
    std::string out;
    std::string student;
    GradingChoices choices;
};

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

std::string format_of(const ProfileArguments& arguments) {
    if (!arguments.format.empty()) return arguments.format;
    const std::string extension = fs::path(arguments.out).extension().string();
    return extension == ".json" || extension == ".html" ? extension.substr(1) : "table";
}

int run(const ProfileArguments& arguments) {
    GradeOptions options = value_of(arguments.choices.options());
    if (options.backend != "auto" && options.backend != emulator_name)
        throw Failure(Error{.kind = ErrorKind::usage,
                            .message = "only the emulated GPU counts what kernels do",
                            .remedy = "leave out --backend; on a GPU, Nsight Compute counts"});
    if (!arguments.out.empty()) check(could_write(arguments.out));
    const Course course = value_of(arguments.submission.course(arguments.choices.policy));
    const auto isolated = value_of(sandbox::isolate(course.home.libexec, options.isolation));
    options.keeper = isolated.keeper.get();
    const AssignmentSpec* assignment = value_of(arguments.submission.assignment_of(course));
    options.tasks = arguments.submission.tasks;
    options.student = arguments.student;

    report::ProfilePage page{
        .device = fmt::format("the emulated GPU, compute_{}", options.ptx_arch),
        .tasks = {},
        .sources = {}};
    const Submission submission = value_of(read_submission(arguments.submission.source));
    for (const SourceFile& file : submission.files) page.sources[file.name] = lines_of(file.text);
    for (TaskProfile& task : value_of(
             profile(course, *assignment, arguments.submission.source, options, arguments.case_id)))
        page.tasks.push_back({.title = fmt::format("{}/{}, case {}: {}", assignment->id, task.task,
                                                   task.case_id, task.description),
                              .problem = task.call.message + task.call.said,
                              .elements = task.elements,
                              .kernels = std::move(task.counts.kernels)});
    const std::string text = value_of(report::write_profile(page, format_of(arguments)));
    if (arguments.out.empty()) {
        print(text);
    } else {
        check(write_or_print(arguments.out, text));
        print(fmt::format("Profile: {}\n", arguments.out));
    }
    return exit_graded;
}

}  // namespace

void add_profile(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand(
        "profile", "Count what a submission's kernels do, line by line, on the emulated GPU");
    const auto arguments = std::make_shared<ProfileArguments>();
    arguments->submission.add(*command);
    command->add_option("--case", arguments->case_id,
                        "Number of the case; default: the largest public one");
    command->add_option("--student", arguments->student, "Whose hidden case");
    command
        ->add_option("-f,--format", arguments->format,
                     "Default: by the extension of --out, else table")
        ->check(one_of({"table", "json", "html"}));
    command->add_option("-o,--out", arguments->out, "Write the profile to this file")
        ->type_name(takes::file);
    arguments->choices.add_all(*command);
    command->footer(
        "Examples:\n"
        "  cugrade profile student.cu -a reduction --task sum\n"
        "  cugrade profile student.cu -a convolution --out profile.html");
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace cugrade::cli
