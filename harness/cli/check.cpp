#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "build/build_submission.hpp"
#include "cli/choices.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "cli/replay.hpp"
#include "cli/terminal.hpp"
#include "core/printable.hpp"
#include "grading/pipeline.hpp"
#include "report/format.hpp"
#include "report/hints.hpp"
#include "report/seal.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

struct CheckArguments {
    SubmissionChoices submission;
    std::string student;
    std::string format;
    std::vector<std::string> out;
    std::optional<double> fail_under;
    std::string colour = "auto";
    bool details = false;
    std::string replay;  ///< a report; empty: grade as the other options say
    int explore = 0;
    std::size_t check_bytes = default_check_bytes;
    GradingChoices choices;
};

report::Format format_named(const std::string& name) {
    std::vector<std::string> names;
    for (const report::Format& format : report::formats()) names.emplace_back(format.name);
    if (std::ranges::find(names, name) == names.end())
        throw Failure(unknown("format", name, names));
    return value_of(report::find(name));
}

report::Format format_of(const std::string& file) {
    if (const auto format = report::format_of_file(file)) return *format;
    const std::string extension = fs::path(file).extension().string();
    if (extension.empty()) return report::formats().front();
    std::vector<std::string_view> known;
    for (const report::Format& format : report::formats()) known.push_back(format.extension);
    throw Failure(Error{.kind = ErrorKind::usage,
                        .message = fmt::format("no format belongs to `{}`", extension),
                        .file = file,
                        .remedy = fmt::format("give --format, or one of the extensions {}",
                                              fmt::join(known, ", "))});
}

/// A file to write, or the terminal, and the format: the one that was named, else that of the
/// file's extension, else a table.
struct Output {
    std::string file;  ///< empty: standard output
    report::Format format;
};

std::vector<Output> outputs_of(const CheckArguments& arguments) {
    if (arguments.out.empty())
        return {{"", arguments.format.empty() ? report::formats().front()
                                              : format_named(arguments.format)}};
    if (!arguments.format.empty() && arguments.out.size() > 1)
        throw Failure(Error{.kind = ErrorKind::usage,
                            .message = "several files cannot all have one format",
                            .key = "--format",
                            .remedy = "leave it out: the extension of each --out says its format"});
    std::vector<Output> outputs;
    for (const std::string& file : arguments.out) {
        outputs.push_back(
            {file, arguments.format.empty() ? format_of(file) : format_named(arguments.format)});
        check(could_write(file));
    }
    return outputs;
}

/// A person sees the part that could be judged. Programs and files get no score if part of it
/// failed.
void write(const std::vector<Output>& outputs, const Report& report, report::Style style,
           const std::string& colour) {
    const bool failed = report.verdict == Verdict::harness_error;
    std::string written;
    for (const Output& output : outputs) {
        const bool for_programs = output.format.name != report::formats().front().name;
        if (failed && (for_programs || !output.file.empty())) continue;
        if (output.file.empty()) {
            print(output.format.write(report, style));
            continue;
        }
        style.colour = style.colour && colour == "always";
        check(write_or_print(output.file, output.format.write(report, style)));
        written += (written.empty() ? "" : ", ") + output.file;
    }
    if (!written.empty())
        print(fmt::format("{}\nReport: {}\n", report::score_line(report), written));
}

/// The submission's files, if they are still what was graded.
std::vector<SourceFile> graded_sources(const fs::path& source, const Report& report) {
    auto submission = read_submission(source);
    if (!submission || submission->sha256 != report.submission_sha256) return {};
    return std::move(submission->files);
}

int run_replay(const CheckArguments& arguments) {
    ProgressLine progress;
    const Replayed replayed =
        value_of(replay(arguments.replay, arguments.submission.source, arguments.choices,
                        [&progress](const std::string& text) { progress.show(text); }));
    progress.clear();
    for (const std::string& line : replayed.notes) print(fmt::format("{}\n", printable(line)));
    for (const std::string& line : replayed.differences)
        print(fmt::format("DIFFERENT: {}\n", printable(line)));
    print(fmt::format("{}: {}\n", printable(arguments.replay),
                      replayed.differences.empty() ? "the same submission, rules, data and score"
                                                   : "not reproduced"));
    return replayed.differences.empty() ? exit_graded : exit_not_the_same;
}

int run(const CheckArguments& arguments) {
    if (!arguments.replay.empty()) return run_replay(arguments);
    if (arguments.submission.source.empty())
        throw Failure(
            Error{.kind = ErrorKind::usage,
                  .message = "no submission is named",
                  .remedy = "cugrade check student.cu, or cugrade check --replay REPORT"});
    const std::vector<Output> outputs = outputs_of(arguments);
    report::Style style = value_of(stdout_style(arguments.colour));
    style.details = arguments.details;
    style.source = fs::proximate(arguments.submission.source);
    style.folder = fs::is_directory(style.source) ? style.source : style.source.parent_path();
    GradeOptions options = value_of(arguments.choices.options());
    std::optional<sandbox::MadeAhead> ahead;
    if (const auto home = Home::find(); home && options.isolation != sandbox::Isolation::off)
        ahead.emplace(home->libexec);
    const Course course = value_of(arguments.submission.course(arguments.choices.policy));
    const AssignmentSpec* assignment = value_of(arguments.submission.assignment_of(course));
    if (arguments.explore > 0) {
        if (options.backend != "auto" && options.backend != emulator_name)
            throw Failure(Error{.kind = ErrorKind::usage,
                                .message = "only the emulated GPU has schedules to explore",
                                .key = "--explore",
                                .remedy = fmt::format("leave out --backend {}", options.backend)});
        options.backend = emulator_name;
        options.explore = arguments.explore;
    }
    options.check_bytes = arguments.check_bytes;
    options.tasks = arguments.submission.tasks;
    options.student = arguments.student;

    ProgressLine progress;
    options.progress = [&progress](const std::string& text) { progress.show(text); };
    const report::Sealer sealer = value_of(arguments.choices.sealer());
    Report graded = value_of(grade(course, *assignment, arguments.submission.source, options));
    const Hints hints = course.policy.assignments.at(assignment->id).hints;
    const Report report = report::sealed(report::for_student(std::move(graded), hints), sealer);
    progress.clear();

    style.policy = report::policy_of(report, &course.policy);
    style.sources = graded_sources(arguments.submission.source, report);
    write(outputs, report, style, arguments.colour);
    if (report.verdict == Verdict::harness_error) {
        for (const TaskReport& task : report.tasks)
            for (const CaseOutcome& outcome : task.outcome.cases)
                if (outcome.verdict == Verdict::harness_error) {
                    fmt::print(stderr, "cugrade: {}/{} could not be judged: {}\n",
                               report.assignment, task.name, printable(outcome.message));
                    break;
                }
        return exit_harness;
    }
    if (report.verdict == Verdict::suspicious) {
        fmt::print(stderr, "cugrade: a person has to look at this submission\n");
        return exit_person;
    }
    const double percent =
        report.score.judged > 0 ? 100 * report.score.earned / report.score.judged : 0;
    // Sums of fractions of points may miss a whole number by a rounding error.
    if (arguments.fail_under && percent < *arguments.fail_under - 1e-9) {
        fmt::print(stderr, "cugrade: {:.1f} % of what was judged is below {:g} %\n", percent,
                   *arguments.fail_under);
        return exit_fail_under;
    }
    return exit_graded;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand("check", "Grade one submission");
    const auto arguments = std::make_shared<CheckArguments>();
    arguments->submission.add(*command, false);
    command->add_option("--student", arguments->student,
                        "Id of the student; hidden cases depend on it");
    arguments->choices.add_all(*command);
    arguments->choices.add_sign(*command);
    std::vector<std::string> names;
    for (const report::Format& format : report::formats()) names.emplace_back(format.name);
    command
        ->add_option("-f,--format", arguments->format,
                     fmt::format("Default: by the extension of --out, else {}", names.front()))
        ->check(one_of(names));
    command
        ->add_option("-o,--out", arguments->out,
                     "Write the report to this file (may be repeated, for several formats)")
        ->take_all()
        ->type_name(takes::file);
    command
        ->add_option("--fail-under", arguments->fail_under,
                     "Exit with 3 if less than this percentage of what was judged is earned")
        ->check(CLI::Range(0.0, 100.0));
    command
        ->add_option("--explore", arguments->explore,
                     "Run each case under so many more schedules of warps and blocks, on the "
                     "emulated GPU, and compare the results")
        ->check(CLI::Range(1, 100000));
    command
        ->add_option(
            "--check-bytes", arguments->check_bytes,
            "Run the checkers on cases of up to so many bytes; another size may find more, "
            "or less, and so change the score")
        ->capture_default_str();
    command->add_flag("--details", arguments->details,
                      "In the table, show each failure with its wrong values, and what the "
                      "checkers saw, also where the cause of it is known");
    CLI::Option* replay =
        command
            ->add_option(
                "--replay", arguments->replay,
                "Grade again as this report (JSON or YAML) says it was made, and tell what "
                "differs: "
                "hashes, "
                "data, verdicts, score. The submission is the one given, or its file beside the "
                "report; "
                "--policy, --secret-file and --jobs count. Exit with 3 if anything differs")
            ->type_name(takes::file);
    for (const char* name :
         {"--assignment", "--task", "--student", "--backend", "--ptx", "--format", "--out",
          "--fail-under", "--explore", "--check-bytes", "--no-timing", "--details"})
        replay->excludes(command->get_option(name));
    command->add_option("--colour,--color", arguments->colour, "On a terminal, always or never")
        ->check(one_of({"auto", "always", "never"}))
        ->capture_default_str();
    command->footer(
        "Examples:\n"
        "  cugrade check student.cu -a reduction\n"
        "  cugrade check reduction/ --task sum --backend emulator\n"
        "  cugrade check ada.cu -a scan --student ada --out ada.json --fail-under 50\n"
        "  cugrade check --replay graded/reports/scan/ada.json class/ada.cu --secret-file secret");
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace cugrade::cli
