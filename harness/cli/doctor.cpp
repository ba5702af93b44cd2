// Reports what is here and what is missing, each with its remedy. Then the self-test grades
// programs that come with every assignment and whose results are known.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "backend/backend.hpp"
#include "build/build_cache.hpp"
#include "cli/choices.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"
#include "core/clock.hpp"
#include "core/in_parallel.hpp"
#include "core/printable.hpp"
#include "grading/pipeline.hpp"
#include "report/format.hpp"
#include "sandbox/sandbox.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

struct DoctorArguments {
    GradingChoices choices;
    bool quick = false;
};

/// Prints "ok       what: detail" or "missing  what: why" with the remedy below, and remembers the
/// result.
class Checklist {
public:
    void ok(std::string_view what, std::string_view detail) { line("ok", what, detail, ""); }
    void missing(std::string_view what, const Error& error) {
        complete_ = false;
        Error without_remedy = error;
        without_remedy.remedy.clear();
        line("missing", what, without_remedy.text(), error.remedy);
    }
    /// For faults that do not keep the other checks from running.
    void wrong(std::string_view what, const Error& error) {
        all_right_ = false;
        Error without_remedy = error;
        without_remedy.remedy.clear();
        line("wrong", what, without_remedy.text(), error.remedy);
    }
    [[nodiscard]] bool complete() const { return complete_; }
    [[nodiscard]] bool all_right() const { return all_right_; }

private:
    static void line(std::string_view state, std::string_view what, std::string_view detail,
                     std::string_view remedy) {
        print(fmt::format("{:<8} {}: {}\n", state, what, detail));
        if (!remedy.empty()) print(fmt::format("         {}\n", remedy));
    }
    bool complete_ = true, all_right_ = true;
};

void check_supervisor(const Home& home, Checklist& list) {
    const auto outcome = sandbox::run(home.libexec / "supervisor", {.argv = {"/bin/true"}}, {});
    if (!outcome)
        list.missing("supervisor", outcome.error());
    else if (outcome->end != sandbox::End::exited || outcome->exit_code != 0)
        list.missing("supervisor",
                     {.message = "a trivial command did not run: " + outcome->message});
    else
        list.ok("supervisor",
                fmt::format("a trivial command takes {:.1f} ms", 1e3 * outcome->wall_s));
}

/// Without a sandbox `batch` refuses to grade.
void check_sandbox(const Home& home, Checklist& list) {
    const auto keeper = sandbox::Keeper::make(home.libexec);
    if (!keeper) return list.wrong("sandbox", keeper.error());
    const auto start = Clock::now();
    const auto enclosure = (*keeper)->enclose({});
    if (!enclosure) return list.wrong("sandbox", enclosure.error());
    list.ok("sandbox",
            fmt::format("all namespaces, a filter of system calls, {}; made in {:.0f} ms",
                        (*keeper)->own_user() ? "a user of its own"
                                              : "as the user of the grader (as root, each "
                                                "submission would have one of its own)",
                        1e3 * seconds_since(start)));
}

/// The back ends for the self-test: all that are available, or the one that was named.
std::vector<std::string> check_backends(const Home& home, const GradeOptions& options,
                                        Checklist& list) {
    std::vector<std::string> usable;
    for (const BackendKind& kind : backends()) {
        if (options.backend != "auto" && options.backend != kind.name) continue;
        const auto backend = kind.make(options);
        if (!backend) {
            if (options.backend == kind.name)
                list.missing(kind.name, backend.error());
            else
                list.ok(kind.name, backend.error().message + "; grading does without");
            continue;
        }
        for (const Backend::Part& part : (*backend)->examine(home))
            if (part.missing)
                list.missing(part.what, *part.missing);
            else
                list.ok(part.what, part.detail);
        usable.emplace_back(kind.name);
    }
    return usable;
}

/// Checks for each back end the libraries that submissions to any assignment are linked with.
void check_libraries(const Course& course, const std::vector<std::string>& backends,
                     GradeOptions options, Checklist& list) {
    for (const std::string& name : backends) {
        options.backend = name;
        const auto backend = choose_backend(options);
        if (!backend) return list.missing(name, backend.error());
        for (const AssignmentSpec& assignment : course.assignments)
            if (const auto missing = missing_library(course.home, course.toolchain, assignment,
                                                     (*backend)->target()))
                return list.missing("libraries", *missing);
    }
    list.ok("libraries", course.home.lib.string());
}

void check_cache(Checklist& list) {
    if (const auto why = BuildCache::why_not_kept()) return list.missing("cache", *why);
    const fs::path probe = cache_folder() / fmt::format("doctor-{}", ::getpid());
    const auto written = write_atomically(probe, "probe\n");
    std::error_code error;
    fs::remove(probe, error);
    if (written)
        list.ok("cache", cache_folder().string());
    else
        list.missing("cache", written.error());
}

/// What one grading of the self-test shows: that all is as expected if both are empty.
struct Finding {
    std::string problem;  ///< what is wrong
    /// Which thresholds this GPU does not reach with the model answer: no fault of the
    /// installation.
    std::string unreached;
};

/// One grading of the self-test, with its expected result.
struct Trial {
    const AssignmentSpec* assignment;
    fs::path source;
    std::string backend;
    std::string expectation;
    bool timed;  ///< its speed matters, too
    std::function<Finding(const Report&)> judge;
};

std::string first_message(const Report& report) {
    for (const TaskReport& task : report.tasks)
        for (const CaseOutcome& outcome : task.outcome.cases)
            if (outcome.verdict != Verdict::accepted && outcome.verdict != Verdict::skipped)
                return fmt::format("{} case {}: {}: {}", task.name, outcome.id,
                                   name(outcome.verdict), outcome.message);
    return "";
}

bool near(double a, double b) { return a > b - 1e-9 && a < b + 1e-9; }

bool is_full(const Score& score) { return near(score.earned, score.judged); }

/// The tiers of the course are for one kind of GPU. On a slower one, the model answer may miss the
/// highest of them.
bool misses_a_tier_only(const TaskReport& task) {
    return is_full(task.correctness) && (!task.technique || is_full(task.technique->score)) &&
           task.next_tier > 0 && task.outcome.timing &&
           task.outcome.timing->basis == TimingOutcome::Basis::measured;
}

Finding judge_solution(const Report& report) {
    std::vector<std::string> unreached;
    for (const TaskReport& task : report.tasks) {
        if (task.score.judged <= 0)
            return {.problem = task.name + " was not judged: " + first_message(report)};
        if (is_full(task.score)) continue;
        if (!misses_a_tier_only(task))
            return {.problem =
                        fmt::format("{}; {}", report::score_line(report), first_message(report))};
        unreached.push_back(fmt::format("{}: {:.1f} times the baseline, the next tier asks for {}",
                                        task.name, task.outcome.timing->speedup, task.next_tier));
    }
    return {.unreached = fmt::format("{}", fmt::join(unreached, "; "))};
}

Finding judge_baseline(const Report& report) {
    for (const TaskReport& task : report.tasks)
        if (task.correctness.judged <= 0 || !is_full(task.correctness))
            return {.problem = fmt::format("{} is {}; {}", task.name, name(task.verdict),
                                           first_message(report))};
    return {};
}

Finding judge_stub(const Report& report) {
    if (report.verdict == Verdict::compile_error)
        return {.problem = "does not compile: " + first_message(report)};
    if (report.score.judged <= 0) return {.problem = "was not judged: " + first_message(report)};
    if (!near(report.score.earned, 0)) return {.problem = report::score_line(report)};
    return {};
}

bool has_solution(const Course& course, const AssignmentSpec& assignment) {
    std::error_code error;
    return fs::exists(reference_file(course, assignment, "solution.cu"), error);
}

/// Names what a student's installation lacks on purpose.
void check_secrets(const Course& course, Checklist& list) {
    std::vector<std::string> without;
    int withheld = 0, hidden = 0;
    for (const AssignmentSpec& assignment : course.assignments) {
        if (!has_solution(course, assignment)) without.push_back(assignment.id);
        for (const TaskSpec& task : assignment.tasks) {
            withheld += task.withheld;
            hidden += static_cast<int>(
                std::ranges::count(task.cases, Visibility::hidden, &CaseSpec::visibility));
        }
    }
    if (without.empty())
        list.ok("solutions", "installed; keep them from students");
    else
        list.ok("solutions",
                fmt::format("not installed for {}; the self-test grades baselines and stubs there, "
                            "which cannot show that full marks are reached (`make install "
                            "SOLUTIONS=1`, or the package cugrade-solutions)",
                            fmt::join(without, ", ")));
    if (withheld > 0)
        list.ok("hidden cases",
                fmt::format("{} are not installed; grade a class where they are (`make install "
                            "HIDDEN=1`)",
                            withheld));
    else if (hidden > 0)
        list.ok("hidden cases", fmt::format("{}; keep them from students", hidden));
}

std::vector<Trial> plan(const Course& course, const std::vector<std::string>& backends) {
    std::vector<Trial> trials;
    for (const std::string& backend : backends)
        for (const AssignmentSpec& assignment : course.assignments) {
            const fs::path reference = course.home.share / "reference" / assignment.id;
            if (has_solution(course, assignment))
                trials.push_back({&assignment, reference / "solution.cu", backend, "full marks",
                                  true, judge_solution});
            trials.push_back({&assignment, reference / "baseline.cu", backend, "correct", false,
                              judge_baseline});
            trials.push_back({&assignment,
                              course.home.share / "student_template" / assignment.id / "student.cu",
                              backend, "scores 0", false, judge_stub});
        }
    return trials;
}

/// How all trials together ended.
struct SelfTest {
    bool all_hold = true;
    bool all_reached = true;  ///< every threshold of speed, by the model answers
};

/// Runs the trials, several at once (a GPU has one of their tasks at a time).
SelfTest self_test(const Course& course, const std::vector<Trial>& trials,
                   const GradeOptions& options, int jobs, int emulator_threads) {
    std::mutex printing;
    ProgressLine progress;
    std::size_t done = 0;
    SelfTest out;
    check(in_parallel(trials.size(), jobs, [&](std::size_t i) -> Status {
        const Trial& trial = trials[i];
        GradeOptions own = options;
        own.backend = trial.backend;
        own.jobs = 1;
        own.emulator_threads = emulator_threads;
        own.timing = own.timing && trial.timed;
        Finding found;
        double seconds = 0;
        try {
            const auto report = grade(course, *trial.assignment, trial.source, own);
            if (report)
                found = trial.judge(*report);
            else
                found.problem = report.error().text();
            if (report) seconds = report->seconds;
        } catch (const std::exception& error) {
            found.problem = error.what();
        }
        const bool holds = found.problem.empty() && found.unreached.empty();
        const std::lock_guard lock(printing);
        progress.clear();
        print(fmt::format("{:<8} {:<8} {}/{}: {}",
                          holds                   ? "ok"
                          : found.problem.empty() ? "slower"
                                                  : "wrong",
                          trial.backend, trial.assignment->id, trial.source.filename().string(),
                          trial.expectation));
        if (holds)
            print(fmt::format(" ({:.1f} s)\n", seconds));
        else if (found.problem.empty())
            print(fmt::format(" but for speed\n         {}\n", printable(found.unreached)));
        else
            print(fmt::format(" does not hold\n         {}\n", printable(found.problem)));
        out.all_hold = out.all_hold && found.problem.empty();
        out.all_reached = out.all_reached && found.unreached.empty();
        progress.show(fmt::format("{} of {} done", ++done, trials.size()));
        return Done{};
    }));
    return out;
}

/// The self-test and its last line. The exit code.
int conclude(const Course& course, const std::vector<std::string>& usable,
             const DoctorArguments& arguments, const GradeOptions& options, const Checklist& list) {
    print("\nSelf-test\n");
    std::size_t shared = 0;
    for (const std::string& name : usable) {
        GradeOptions own = options;
        own.backend = name;
        shared = std::max(shared, value_of(choose_backend(own))->shared_devices());
    }
    const int jobs = arguments.choices.job_count(static_cast<int>(shared));
    const SelfTest tested = self_test(course, plan(course, usable), options, jobs,
                                      arguments.choices.thread_count(jobs));
    if (!tested.all_hold) {
        print("\nThe self-test failed: do not grade with this installation.\n");
        return exit_harness;
    }
    if (!list.all_right()) {
        print("\nWhat was tried is well. What is wrong above is not graded.\n");
        return exit_harness;
    }
    if (tested.all_reached)
        print("\nAll is well.\n");
    else
        print(fmt::format(
            "\nAll is well, but this GPU does not reach some tiers: set tiers for it in\n"
            "{}, or nobody can earn their points here.\n",
            course.policy.file));
    return exit_graded;
}

int run(const DoctorArguments& arguments) {
    GradeOptions options = value_of(arguments.choices.options());
    Checklist list;
    const auto home = Home::find();
    if (!home) {
        list.missing("installation", home.error());
        return exit_harness;
    }
    list.ok("installation", home->share.parent_path().parent_path().string());
    const auto toolchain = Toolchain::find();
    if (toolchain) {
        list.ok("nvcc", fmt::format("{} ({})", toolchain->nvcc_version, toolchain->nvcc.string()));
        list.ok("host compiler", toolchain->host_compiler.string());
    } else {
        list.missing("compiler", toolchain.error());
    }
    check_supervisor(*home, list);
    check_sandbox(*home, list);
    const std::vector<std::string> usable = check_backends(*home, options, list);
    check_cache(list);
    std::optional<Course> course;
    if (toolchain) {
        auto loaded = Course::load(*home, arguments.choices.policy);
        if (loaded) {
            list.ok("assignments and policy",
                    fmt::format("{}; {}", fmt::join(ids_of(loaded->assignments), ", "),
                                loaded->policy.file));
            course = std::move(*loaded);
            for (const LeftOut& one : course->left_out)
                if (one.is_broken())
                    list.wrong("assignment " + one.id, one.why);
                else
                    list.ok("assignment " + one.id, one.why.message);
            check_secrets(*course, list);
            check_libraries(*course, usable, options, list);
        } else {
            list.missing("assignments and policy", loaded.error());
        }
    }
    if (!list.complete()) {
        print("\nWhat is missing has to be there first.\n");
        return exit_harness;
    }
    if (arguments.quick) return list.all_right() ? exit_graded : exit_harness;
    return conclude(*course, usable, arguments, options, list);
}

}  // namespace

void add_doctor(CLI::App& app, int& exit_code) {
    CLI::App* command =
        app.add_subcommand("doctor", "Say what is here and grade what comes with cugrade");
    const auto arguments = std::make_shared<DoctorArguments>();
    arguments->choices.add_all(*command);
    command->add_flag("--quick", arguments->quick, "Without the self-test");
    command->footer(
        "Examples:\n"
        "  cugrade doctor\n"
        "  cugrade doctor --quick --backend gpu");
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace cugrade::cli
