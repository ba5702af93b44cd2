// What is here and what is missing, each with its remedy; then the self-test: cugrade grades what
// comes with every assignment and knows the answers to.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "cli/choices.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"
#include "core/clock.hpp"
#include "emulator/client/emulator_process.hpp"
#include "grader/build_cache.hpp"
#include "grader/gpus.hpp"
#include "grader/in_parallel.hpp"
#include "grader/pipeline.hpp"
#include "report/format.hpp"
#include "sandbox/sandbox.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

struct DoctorArguments {
    GradingChoices choices;
    bool quick = false;
};

/// Prints "ok       what: detail" or "missing  what: why" with the remedy below, and remembers.
class Checklist {
public:
    void ok(std::string_view what, std::string_view detail) { line("ok", what, detail, ""); }
    void missing(std::string_view what, const Error& error) {
        complete_ = false;
        Error without_remedy = error;
        without_remedy.remedy.clear();
        line("missing", what, without_remedy.text(), error.remedy);
    }
    [[nodiscard]] bool complete() const { return complete_; }

private:
    static void line(std::string_view state, std::string_view what, std::string_view detail,
                     std::string_view remedy) {
        print(fmt::format("{:<8} {}: {}\n", state, what, detail));
        if (!remedy.empty()) print(fmt::format("         {}\n", remedy));
    }
    bool complete_ = true;
};

void check_supervisor(const Home& home, Checklist& list) {
    const auto outcome = sandbox::run(home.libexec / "supervisor", {.argv = {"/bin/true"}}, {});
    if (!outcome)
        list.missing("sandbox", outcome.error());
    else if (outcome->end != sandbox::End::exited || outcome->exit_code != 0)
        list.missing("sandbox", {.message = "a trivial command did not run: " + outcome->message});
    else
        list.ok("sandbox", fmt::format("a trivial command takes {:.1f} ms", 1e3 * outcome->wall_s));
}

void check_emulator(const Home& home, int arch, Checklist& list) {
    emulator::EmulatorOptions options;
    options.libexec = home.libexec;
    options.machine.arch = arch;
    const auto process = emulator::EmulatorProcess::start(options);
    if (!process) return list.missing("emulated GPU", process.error());
    std::error_code error;
    const fs::path program =
        fs::read_symlink(fmt::format("/proc/{}/exe", (*process)->pid()), error);
    list.ok("emulated GPU", fmt::format("{}, presenting compute capability {}.{}",
                                        program.filename().string(), arch / 10, arch % 10));
}

void check_gpus(const Home& home, const GpuList& gpus, Checklist& list) {
    for (const GpuInfo& gpu : gpus.used) {
        const auto start = Clock::now();
        if (const Status answers = probe_gpu(home, gpu); !answers)
            list.missing("GPU", answers.error());
        else
            list.ok("GPU", fmt::format("{}, compute capability {}.{}, driver {}; answers a new "
                                       "process in {:.1f} s",
                                       gpu.name, gpu.arch / 10, gpu.arch % 10, gpu.driver,
                                       seconds_since(start)));
    }
    for (const std::string& one : gpus.passed_over) list.ok("GPU", one);
}

void check_cache(Checklist& list) {
    const auto cache = BuildCache::open();
    if (!cache) return list.missing("cache", cache.error());
    const fs::path probe = cache_folder() / fmt::format("doctor-{}", ::getpid());
    const auto written = write_atomically(probe, "probe\n");
    std::error_code error;
    fs::remove(probe, error);
    if (written)
        list.ok("cache", cache_folder().string());
    else
        list.missing("cache", written.error());
}

/// One grading of the self-test and what must come out of it.
struct Trial {
    const AssignmentSpec* assignment;
    fs::path source;
    Backend backend;
    std::string expectation;
    bool timed;  ///< its speed decides, too
    /// Empty if the report is as it must be, else what is wrong.
    std::function<std::string(const Report&)> judge;
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

std::string judge_solution(const Report& report) {
    for (const TaskReport& task : report.tasks)
        if (task.score.judged <= 0) return task.name + " was not judged: " + first_message(report);
    if (near(report.score.earned, report.score.judged)) return "";
    return fmt::format("{}; {}", report::score_line(report), first_message(report));
}

std::string judge_baseline(const Report& report) {
    for (const TaskReport& task : report.tasks)
        if (task.correctness.judged <= 0 || !near(task.correctness.earned, task.correctness.judged))
            return fmt::format("{} is {}; {}", task.name, name(task.verdict),
                               first_message(report));
    return "";
}

std::string judge_stub(const Report& report) {
    if (report.verdict == Verdict::compile_error)
        return "does not compile: " + first_message(report);
    if (report.score.judged <= 0) return "was not judged: " + first_message(report);
    return near(report.score.earned, 0) ? "" : report::score_line(report);
}

std::vector<Trial> plan(const Course& course, const std::vector<Backend>& backends) {
    std::vector<Trial> trials;
    for (const Backend backend : backends)
        for (const AssignmentSpec& assignment : course.assignments) {
            const fs::path reference = course.home.share / "reference" / assignment.id;
            trials.push_back({&assignment, reference / "solution.cu", backend, "full marks", true,
                              judge_solution});
            trials.push_back({&assignment, reference / "baseline.cu", backend, "correct", false,
                              judge_baseline});
            trials.push_back({&assignment,
                              course.home.share / "student_template" / assignment.id / "student.cu",
                              backend, "scores 0", false, judge_stub});
        }
    return trials;
}

/// Runs the trials, several at once (a GPU has one of their tasks at a time); true if all hold.
bool self_test(const Course& course, const std::vector<Trial>& trials, const GradeOptions& options,
               int jobs, int emulator_threads) {
    std::mutex printing;
    ProgressLine progress;
    std::size_t done = 0;
    bool all_hold = true;
    check(in_parallel(trials.size(), jobs, [&](std::size_t i) -> Status {
        const Trial& trial = trials[i];
        GradeOptions own = options;
        own.backend = trial.backend;
        own.jobs = 1;
        own.emulator_threads = emulator_threads;
        own.timing = own.timing && trial.timed;
        std::string problem;
        double seconds = 0;
        try {
            const auto report = grade(course, *trial.assignment, trial.source, own);
            problem = report ? trial.judge(*report) : report.error().text();
            if (report) seconds = report->seconds;
        } catch (const std::exception& error) {
            problem = error.what();
        }
        const std::lock_guard lock(printing);
        progress.clear();
        print(fmt::format("{:<8} {:<8} {}/{}: {}", problem.empty() ? "ok" : "wrong",
                          trial.backend == Backend::gpu ? "gpu" : "emulator", trial.assignment->id,
                          trial.source.filename().string(), trial.expectation));
        print(problem.empty() ? fmt::format(" ({:.1f} s)\n", seconds)
                              : fmt::format(" does not hold\n         {}\n", printable(problem)));
        if (!problem.empty()) all_hold = false;
        progress.show(fmt::format("{} of {} done", ++done, trials.size()));
        return Done{};
    }));
    return all_hold;
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
    std::vector<Backend> backends;
    int gpu_count = 0;
    if (options.backend != Backend::gpu) {
        check_emulator(*home, options.ptx_arch, list);
        backends.push_back(Backend::emulator);
    }
    if (options.backend != Backend::emulator) {
        if (const auto gpus = find_gpus()) {
            check_gpus(*home, *gpus, list);
            backends.push_back(Backend::gpu);
            gpu_count = static_cast<int>(gpus->used.size());
        } else if (options.backend == Backend::gpu) {
            list.missing("GPU", gpus.error());
        } else {
            list.ok("GPU", gpus.error().message + "; speed is modelled here");
        }
    }
    check_cache(list);
    std::optional<Course> course;
    if (toolchain) {
        auto loaded = Course::load(*home, arguments.choices.policy);
        if (loaded) {
            list.ok("assignments and policy",
                    fmt::format("{}; {}", fmt::join(ids_of(loaded->assignments), ", "),
                                loaded->policy.file));
            course = std::move(*loaded);
        } else {
            list.missing("assignments and policy", loaded.error());
        }
    }
    if (!list.complete()) {
        print("\nWhat is missing has to be there first.\n");
        return exit_harness;
    }
    if (arguments.quick) return exit_graded;
    print("\nSelf-test\n");
    const int jobs = arguments.choices.job_count(gpu_count);
    if (self_test(*course, plan(*course, backends), options, jobs,
                  arguments.choices.thread_count(jobs))) {
        print("\nAll is well.\n");
        return exit_graded;
    }
    print("\nThe self-test failed: do not grade with this installation.\n");
    return exit_harness;
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
