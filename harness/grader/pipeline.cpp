// Grading, from top to bottom: load, build, run, compare, time, score, report.
#include "grader/pipeline.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "config/load.hpp"
#include "core/clock.hpp"
#include "core/shell.hpp"
#include "grader/checks.hpp"
#include "grader/gpu_seat.hpp"
#include "grader/in_parallel.hpp"
#include "grader/modelling.hpp"
#include "grader/session.hpp"
#include "grader/target.hpp"
#include "grader/task_runner.hpp"
#include "grader/technique.hpp"
#include "grader/timing.hpp"
#include "scoring/score.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

std::vector<const TaskSpec*> choose_tasks(const AssignmentSpec& assignment,
                                          const GradeOptions& options) {
    std::vector<const TaskSpec*> out;
    for (const TaskSpec& task : assignment.tasks)
        if (options.tasks.empty() ||
            std::ranges::find(options.tasks, task.name) != options.tasks.end())
            out.push_back(&task);
    return out;
}

/// Every case of the task ends like this, without being run.
TaskOutcome same_for_all(const TaskSpec& task, Verdict verdict, const std::string& message) {
    TaskOutcome out{.name = task.name};
    for (const CaseSpec& spec : task.cases) {
        CaseOutcome outcome{.id = spec.id, .visibility = spec.visibility};
        outcome.verdict = verdict;
        outcome.message = message;
        out.cases.push_back(std::move(outcome));
    }
    return out;
}

bool all_accepted(const TaskOutcome& task) {
    return std::ranges::all_of(task.cases, [](const CaseOutcome& c) {
        return c.verdict == Verdict::accepted || !is_judged(c.verdict);
    });
}

OpenSession session_opener(const SessionOptions& session, bool on_gpu) {
    return [session, on_gpu] {
        return on_gpu ? open_gpu_session(session) : open_emulator_session(session);
    };
}

/// What became of the timed case, which there is.
CaseOutcome& of_timed_case(const TaskSpec& task, TaskOutcome& outcome) {
    return outcome.cases[static_cast<std::size_t>(task.timed_case() - task.cases.data())];
}

/// The timed case gets what happened where its speed was looked at.
void charge_timed_case(const TaskSpec& task, TaskOutcome& outcome, Verdict verdict,
                       std::string message, const std::optional<SourceLocation>& location) {
    CaseOutcome& judged = of_timed_case(task, outcome);
    judged.verdict = verdict;
    judged.message = std::move(message);
    judged.location = location;
}

/// Why no speed is judged where there is no GPU; empty if it is modelled.
std::string why_not_modelled(const Course& course, const TaskSpec& task) {
    return std::string(course.modelled_on && !task.model.empty() ? "" : needs_gpu_note);
}

/// As time_task, without a GPU. `emulated` is the submission's build for compute_75.
Status model_task(const Course& course, const TaskRun& run, const SessionOptions& emulated,
                  TaskOutcome& outcome) {
    auto baseline = build_reference(course, *run.assignment, *run.limits, {});
    if (!baseline) return baseline.error();
    SessionOptions own = emulated;
    own.executable = baseline->executable;
    auto base = count_baseline(own, *run.assignment, *run.task, *run.options);
    if (!base) return base.error();
    auto mine = count_for_model(emulated, *run.assignment, *run.task, *run.options);
    if (!mine) return mine.error();
    if (mine->verdict == Verdict::accepted)
        outcome.timing = modelled_speedup(*course.modelled_on, *run.task, *base, mine->samples);
    else
        charge_timed_case(*run.task, outcome, mine->verdict,
                          "when its speed was modelled, " + mine->message, {});
    return Done{};
}

/// Fills the performance part of `outcome`, or says in `timing_note` why it cannot be judged.
Status time_task(const Course& course, const Target& target, const Build& submission,
                 const TaskRun& run, const std::optional<SessionOptions>& emulated,
                 TaskOutcome& outcome) {
    const CaseSpec* timed = run.task->timed_case();
    if (timed == nullptr) {
        outcome.timing_note = "this task has no timed case";
        return Done{};
    }
    if (!target.on_gpu) outcome.timing_note = why_not_modelled(course, *run.task);
    if (!outcome.timing_note.empty()) return Done{};
    if (!run.options->timing) {
        outcome.timing_note = "timing was switched off";
        return Done{};
    }
    if (!all_accepted(outcome)) return Done{};  // lost: speed counts only for right results
    if (!target.on_gpu) {
        if (emulated) return model_task(course, run, *emulated, outcome);
        outcome.timing_note = "it does not compile for compute_75, on which speed is modelled";
        return Done{};
    }
    auto baseline = build_reference(course, *run.assignment, *run.limits, target.build);
    if (!baseline) return baseline.error();
    std::optional<Build> solution;
    std::error_code error;  // the solution is not everywhere where there is a GPU
    if (fs::exists(reference_file(course, *run.assignment, "solution.cu"), error)) {
        auto built =
            build_reference(course, *run.assignment, *run.limits, target.build, "solution.cu");
        if (!built) return built.error();
        solution = std::move(*built);
    }
    // What needs no GPU is done before and after, while others may have it.
    const WaitingPlace place(target, WaitingPlace::For::timing);
    auto answered = answered_case(*run.assignment, *run.task, *timed, *run.options);
    if (!answered) return answered.error();
    const CaseOutcome& call = of_timed_case(*run.task, outcome);
    TimingRun timing{
        .task = &run,
        .timed_case = &*answered,
        .case_us = 1e6 * call.seconds,
        .case_claim_us = call.event_us,
        .case_at_least_us = 1e6 * call.at_least_s,
        .submission = {},
        .baseline = {},
        .reference = {},
        .tiers = course.policy.assignments.at(run.assignment->id).tasks.at(run.task->name).tiers};
    auto result = on_free_gpu(
        course, target,
        [&](const GpuInfo& gpu) {
            const auto session = [&](const Build& of) {
                return on(gpu, session_options(course, of, *run.limits, *run.options));
            };
            // A context with one hardware queue instead of eight is made in half the time, for
            // which all GPUs' processes may have to queue; our programs use one stream.
            const auto session_of_ours = [&](const Build& of) {
                SessionOptions out = session(of);
                out.device.environment["CUDA_DEVICE_MAX_CONNECTIONS"] = "1";
                return out;
            };
            timing.submission = session(submission);
            timing.baseline = session_of_ours(*baseline);
            if (solution) timing.reference = session_of_ours(*solution);
            return measured_speedup(timing);
        },
        &outcome.gpu_s);
    if (result) result = judge_kept(timing, std::move(*result));
    if (!result) return result.error();
    outcome.timing_note = result->note;
    outcome.timing = std::move(result->timing);
    if (!outcome.timing && outcome.timing_note.empty())
        charge_timed_case(*run.task, outcome, result->call.verdict,
                          "in the timed calls: " + result->call.message + result->call.said,
                          result->call.location);
    return Done{};
}

/// What is checked and counted besides right results is so on the emulated GPU as compute_75, on
/// every machine, so that the points are the same. Nothing if it does not compile for that alone.
Result<std::optional<Build>> build_emulated(const Course& course, const Target& target,
                                            const BuildRequest& request) {
    BuildRequest emulated = request;
    if (target.on_gpu || std::ranges::find(request.target.archs, 75) == request.target.archs.end())
        emulated.target = {};
    auto built = build(course.home, course.toolchain, emulated);
    if (!built) return built.error();
    return built->build;
}

/// Counts what a right submission's kernels do.
Status count_technique(const SessionOptions& session, const TaskRun& run, const TaskPolicy& policy,
                       TaskOutcome& outcome) {
    if (policy.technique <= 0 || !all_accepted(outcome)) return Done{};
    auto profiled = profile_task(session, *run.assignment, *run.task, *run.options, std::nullopt);
    if (!profiled) return profiled.error();
    if (*profiled && (*profiled)->call.verdict == Verdict::accepted)
        outcome.technique = measure_technique(**profiled, policy.limits);
    return Done{};
}

std::string replay_command(const AssignmentSpec& assignment, const fs::path& source,
                           const GradeOptions& options, const Target& target) {
    std::string out =
        fmt::format("cugrade check {} -a {} --backend {}", shell_word(source.filename().string()),
                    assignment.id, target.on_gpu ? "gpu" : "emulator");
    if (!target.on_gpu && options.ptx_arch != 75) out += fmt::format(" --ptx {}", options.ptx_arch);
    if (options.check_bytes != default_check_bytes)
        out += fmt::format(" --check-bytes {}", options.check_bytes);
    if (options.explore > 0) out += fmt::format(" --explore {}", options.explore);
    for (const auto& task : options.tasks) out += " --task " + task;
    if (!options.student.empty()) out += " --student " + shell_word(options.student);
    if (!options.secret.empty()) out += " --secret-file FILE";
    return out;
}

}  // namespace

int threads_of_each(int chosen, int at_once) {
    if (chosen > 0) return chosen;
    return std::max(1,
                    static_cast<int>(std::thread::hardware_concurrency()) / std::max(at_once, 1));
}

const AssignmentSpec* Course::find(std::string_view id) const {
    const auto found = std::ranges::find(assignments, id, &AssignmentSpec::id);
    return found == assignments.end() ? nullptr : &*found;
}

Result<Course> Course::load(const Home& home, const fs::path& policy_file) {
    Course course{.home = home};
    auto toolchain = Toolchain::find();
    if (!toolchain) return toolchain.error();
    course.toolchain = std::move(*toolchain);
    auto assignments = config::load_assignments(home.share / "assignments");
    if (!assignments) return assignments.error();
    course.assignments = std::move(*assignments);
    auto policy = config::load_policy(
        policy_file.empty() ? home.share / "grading.yaml" : policy_file, course.assignments);
    if (!policy) return policy.error();
    course.policy = std::move(*policy);
    if (!course.policy.modelled_on.empty()) {
        auto device = config::load_device(home.share / "devices", course.policy.modelled_on);
        if (!device) return device.error();
        course.modelled_on = std::move(*device);
    }
    return course;
}

bool gpu_available(std::string* why) {
    auto gpus = find_gpus();
    if (!gpus && why != nullptr) *why = gpus.error().message;
    return gpus.ok();
}

Result<Report> grade(const Course& course, const AssignmentSpec& assignment, const fs::path& source,
                     const GradeOptions& options) {
    const auto start = Clock::now();
    Report report;

    // What is graded, on what, by which rules.
    auto target = choose_target(options);
    if (!target) return target.error();
    auto hash = submission_sha256(source);
    if (!hash) return hash.error();
    const AssignmentPolicy& policy = course.policy.assignments.at(assignment.id);
    const std::vector<const TaskSpec*> tasks = choose_tasks(assignment, options);
    report.assignment = assignment.id;
    report.assignment_title = assignment.title;
    report.submission_file = source.filename().string();
    report.submission_sha256 = *hash;
    report.student = options.student;
    report.provenance = provenance(course, *target);
    if (!target->on_gpu)
        report.provenance.device = fmt::format("emulated GPU, compute_{}", options.ptx_arch);
    report.notes = target->gpus.passed_over;
    report.policy_sha256 = course.policy.sha256;
    report.replay = replay_command(assignment, source, options, *target);
    if (options.secret.empty())
        report.notes.push_back("hidden cases use the development secret: not for official grades");

    // Build.
    if (options.progress) options.progress("compiling");
    const BuildRequest request{.source = source,
                               .assignment = &assignment,
                               .target = target->build,
                               .limits = policy.limits};
    auto built = build(course.home, course.toolchain, request);
    if (!built) return built.error();

    std::vector<TaskOutcome> outcomes(tasks.size());
    if (built->failure) {
        report.compile_output = built->failure->compiler_output;
        for (std::size_t i = 0; i < tasks.size(); ++i)
            outcomes[i] = same_for_all(*tasks[i], built->failure->verdict, built->failure->message);
    } else {
        report.compile_output = built->build->compiler_output;
        report.phases.push_back(
            {built->build->from_cache ? "compile (cached)" : "compile", built->build->compile_s});
        report.phases.push_back({"link", built->build->link_s});

        // Run and compare; on each GPU one task at a time, so that none disturbs another.
        const auto running = Clock::now();
        const int threads = threads_of_each(options.emulator_threads,
                                            std::min(static_cast<int>(tasks.size()), options.jobs));
        const SessionOptions sessions =
            session_options(course, *built->build, policy.limits, options, threads);
        std::vector<TaskRun> runs;
        for (const TaskSpec* task : tasks)
            runs.push_back({.assignment = &assignment,
                            .task = task,
                            .limits = &policy.limits,
                            .options = &options,
                            .on_gpu = target->on_gpu,
                            .open = session_opener(sessions, target->on_gpu)});
        if (target->on_gpu) {
            const auto has = has_functions(sessions, tasks);
            if (!has) return has.error();
            for (std::size_t i = 0; i < runs.size(); ++i) runs[i].defined = (*has)[i];
        }
        const int at_once =
            target->on_gpu  // one more than there are GPUs makes its data meanwhile
                ? std::min(options.jobs, static_cast<int>(target->gpus.used.size()) + 1)
                : options.jobs;
        const auto run_here = [&](std::size_t i) {
            if (!target->on_gpu || !runs[i].defined) return run_task(runs[i]);
            const WaitingPlace place(*target, WaitingPlace::For::cases);
            auto ready = ready_cases(runs[i]);  // while others have the GPU
            if (!ready) return Result<TaskOutcome>(ready.error());
            double held_s = 0;
            auto outcome = on_free_gpu(
                course, *target,
                [&](const GpuInfo& gpu) {
                    runs[i].open = session_opener(on(gpu, sessions), true);
                    return run_task(runs[i], std::move(*ready));
                },
                &held_s);
            if (outcome) outcome->gpu_s = held_s;
            return outcome;
        };
        auto ran = in_parallel(tasks.size(), at_once, [&](std::size_t i) -> Status {
            auto outcome = run_here(i);
            if (!outcome) return outcome.error();
            outcomes[i] = std::move(*outcome);
            return Done{};
        });
        if (!ran) return ran.error();
        report.phases.push_back({"run and compare", seconds_since(running)});

        // Check and count, always on the emulated GPU.
        auto emulated = build_emulated(course, *target, request);
        if (!emulated) return emulated.error();
        std::optional<SessionOptions> emulated_session;
        if (*emulated) {
            const SessionOptions& session =
                emulated_session.emplace(SessionOptions{.home = &course.home,
                                                        .executable = (*emulated)->executable,
                                                        .limits = policy.limits});
            const auto checking = Clock::now();
            auto checked = in_parallel(tasks.size(), options.jobs, [&](std::size_t i) {
                return check_cases(runs[i], session, outcomes[i]);
            });
            if (!checked) return checked.error();
            report.phases.push_back({"check", seconds_since(checking)});

            const auto counting = Clock::now();
            auto counted = in_parallel(tasks.size(), options.jobs, [&](std::size_t i) {
                return count_technique(session, runs[i], policy.tasks.at(tasks[i]->name),
                                       outcomes[i]);
            });
            if (!counted) return counted.error();
            report.phases.push_back({"count", seconds_since(counting)});
        }

        // Time.
        const auto timing = Clock::now();
        auto timed = in_parallel(tasks.size(), at_once, [&](std::size_t i) {
            if (options.progress && target->on_gpu)
                options.progress(fmt::format("{}/{} timing", assignment.id, tasks[i]->name));
            return time_task(course, *target, *built->build, runs[i], emulated_session,
                             outcomes[i]);
        });
        if (!timed) return timed.error();
        report.phases.push_back({target->on_gpu ? "time" : "model", seconds_since(timing)});
    }
    if (!target->on_gpu)
        for (std::size_t i = 0; i < tasks.size(); ++i)
            if (outcomes[i].timing_note.empty())
                outcomes[i].timing_note = why_not_modelled(course, *tasks[i]);

    // Score.
    for (std::size_t i = 0; i < tasks.size(); ++i)
        report.tasks.push_back(
            score_task(*tasks[i], policy.tasks.at(tasks[i]->name), std::move(outcomes[i])));
    report.score = total(report.tasks);
    report.verdict = Verdict::accepted;
    for (const TaskReport& task : report.tasks)
        report.verdict = worst(report.verdict, task.verdict);
    for (std::string& why : GpuSeat::left_alone()) report.notes.push_back(std::move(why));
    report.seconds = seconds_since(start);
    return report;
}

}  // namespace cugrade
