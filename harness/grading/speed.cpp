#include "grading/speed.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "judging/case.hpp"
#include "scoring/score.hpp"
#include "timing/modelling.hpp"
#include "timing/timing.hpp"
#include "timing/too_slow.hpp"

namespace cugrade {
namespace {

/// The outcome of the timed case. Precondition: the task has one.
CaseOutcome& of_timed_case(const TaskSpec& task, TaskOutcome& outcome) {
    return outcome.cases[static_cast<std::size_t>(task.timed_case() - task.cases.data())];
}

/// Gives the timed case the failure that happened while its speed was measured.
void charge_timed_case(const TaskSpec& task, TaskOutcome& outcome, Verdict verdict,
                       std::string message, const std::optional<SourceLocation>& location) {
    CaseOutcome& judged = of_timed_case(task, outcome);
    judged.verdict = verdict;
    judged.message = std::move(message);
    judged.location = location;
}

const TaskPolicy& policy_of(const Course& course, const TaskRun& run) {
    return course.policy.assignments.at(run.assignment->id).tasks.at(run.task->name);
}

Status model_task(const Course& course, const TaskRun& run, const SessionOptions& emulated,
                  TaskOutcome& outcome, std::optional<ModelCounts>& counted) {
    auto baseline = build_reference(course, *run.assignment, *run.limits, {});
    if (!baseline) return baseline.error();
    SessionOptions own = emulated;
    own.executable = baseline->executable;
    own.budget.reset();
    auto base = count_baseline(own, *run.cases);
    if (!base) return base.error();
    auto mine = count_for_model(emulated, *run.cases);
    if (!mine) return mine.error();
    if (mine->verdict == Verdict::accepted && !outcome.host_work)
        outcome.host_work = mine->host_work;
    if (mine->verdict == Verdict::accepted) {
        outcome.timing = modelled_speedup(*course.modelled_on, *run.task, *base, *mine);
        counted = std::move(*mine);
        return Done{};
    }
    Verdict verdict = mine->verdict;
    if (verdict == Verdict::skipped && run.session.ptx_arch != emulated.ptx_arch) {
        outcome.untimed = {NotJudged::Why::other, mine->message};
        return Done{};
    }
    // The same PTX ran in the cases, so a person looks at what is different here.
    if (verdict == Verdict::skipped) verdict = Verdict::suspicious;
    charge_timed_case(*run.task, outcome, verdict, "when its speed was modelled, " + mine->message,
                      {});
    return Done{};
}

/// The model answer, where the course has it: it is not everywhere where there is a GPU.
Result<std::optional<Build>> build_solution(const Course& course, const TaskRun& run) {
    std::error_code error;
    if (!std::filesystem::exists(reference_file(course, *run.assignment, "solution.cu"), error))
        return std::optional<Build>();
    auto built =
        build_reference(course, *run.assignment, *run.limits, run.backend->target(), "solution.cu");
    if (!built) return built.error();
    return std::optional(std::move(*built));
}

/// Times the submission beside baseline and solution on a device that nobody else grades on.
Result<TimingResult> time_on_device(const Course& course, const TaskRun& run,
                                    const Build& submission, TimingRun& timing, double& held_s) {
    auto baseline = build_reference(course, *run.assignment, *run.limits, run.backend->target());
    if (!baseline) return baseline.error();
    const auto solution = build_solution(course, run);
    if (!solution) return solution.error();
    // Work that needs no device is done before and after, while others may have the device.
    const auto place = run.backend->wait_for_place(Backend::For::timing);
    const auto made = run.cases->find(*run.task->timed_case());
    if (!made) return made.error();
    const auto answered = (*made)->answered();
    if (!answered) return answered.error();
    timing.timed_case = *answered;
    TimingResult result;
    const auto use = [&](const GpuInfo& device) -> Status {
        const auto session = [&](const Build& of) {
            return on(device, session_options(course, of, *run.limits, *run.options));
        };
        // A context with one hardware queue instead of eight is made in half the time, and
        // processes on all GPUs may have to queue for that; our programs use one stream.
        const auto session_of_ours = [&](const Build& of) {
            SessionOptions out = session(of);
            out.device.environment["CUDA_DEVICE_MAX_CONNECTIONS"] = "1";
            return out;
        };
        timing.submission = session(submission);
        timing.submission.budget = run.session.budget;
        timing.baseline = session_of_ours(*baseline);
        if (*solution) timing.reference = session_of_ours(**solution);
        auto measured = measured_speedup(timing);
        if (!measured) return measured.error();
        result = std::move(*measured);
        return Done{};
    };
    if (auto status = run.backend->with_device(course.home, use, &held_s); !status)
        return status.error();
    return judge_kept(timing, std::move(result));
}

Status measure_task(const Course& course, const TaskRun& run, const Build& submission,
                    TaskOutcome& outcome) {
    const CaseOutcome& call = of_timed_case(*run.task, outcome);
    TimingRun timing{.task = &run,
                     .timed_case = nullptr,
                     .case_us = 1e6 * call.seconds,
                     .case_claim_us = call.event_us,
                     .case_at_least_us = 1e6 * call.at_least_s,
                     .submission = {},
                     .baseline = {},
                     .reference = {},
                     .tiers = policy_of(course, run).tiers};
    auto result = time_on_device(course, run, submission, timing, outcome.gpu_s);
    if (!result) return result.error();
    outcome.untimed = std::move(result->untimed);
    outcome.timing = std::move(result->timing);
    if (!outcome.timing && !outcome.untimed)
        charge_timed_case(*run.task, outcome, result->call.verdict,
                          "in the timed calls: " + result->call.message + result->call.said,
                          result->call.location);
    return Done{};
}

}  // namespace

NotJudged why_untimed(const Course& course, const Backend& backend, const TaskSpec& task,
                      const GradeOptions& options) {
    using Why = NotJudged::Why;
    if (task.timed_case() == nullptr) return {Why::no_timed_case};
    if (!backend.measures_time() && (!course.modelled_on || task.model.empty()))
        return {Why::needs_gpu};
    if (!options.timing) return {Why::timing_off};
    return {};
}

Status judge_speed(const Course& course, const TaskRun& run, const SpeedOf& of,
                   TaskOutcome& outcome, std::optional<ModelCounts>& counted) {
    if (outcome.untimed) return Done{};
    const TaskPolicy& policy = policy_of(course, run);
    if (credited_share(*run.task, policy, outcome.cases) <= 0) return Done{};  // lost
    const Verdict timed = of_timed_case(*run.task, outcome).verdict;
    if (is_judged(timed) && timed != Verdict::accepted) return Done{};  // lost as well
    if (run.backend->measures_time()) return measure_task(course, run, *of.submission, outcome);
    if (of.on_emulator) return model_task(course, run, *of.on_emulator, outcome, counted);
    outcome.untimed.why = NotJudged::Why::not_built_for_model;
    return Done{};
}

bool is_right_but_slow(const TaskPolicy& policy, const TaskOutcome& outcome) {
    bool is_late = false;
    for (const CaseOutcome& one : outcome.cases) {
        is_late |= one.verdict == Verdict::time_limit;
        if (one.verdict != Verdict::accepted && one.verdict != Verdict::skipped &&
            one.verdict != Verdict::time_limit)
            return false;
    }
    return is_late || (outcome.timing && !policy.tiers.empty() && policy.performance > 0 &&
                       !reaches(*outcome.timing, policy.tiers.back()));
}

void explain_speed(const Course& course, const TaskRun& run, const SpeedOf& of,
                   std::optional<ModelCounts> counted, std::span<const SourceFile> source,
                   TaskOutcome& outcome) {
    const bool is_late = std::ranges::count(outcome.cases, Verdict::time_limit,
                                            &CaseOutcome::verdict) > 0;
    if (is_late) {
        outcome.causes = too_slow_for_large(*run.task, outcome);
        return;
    }
    if (!course.modelled_on) return;
    if (!counted) {
        if (!of.on_emulator || run.task->model.empty()) return;
        // The marks stand. What cannot be counted must not cost them.
        auto counts = count_for_model(*of.on_emulator, *run.cases);
        if (!counts || counts->verdict != Verdict::accepted) return;
        counted = std::move(*counts);
    }
    outcome.causes = too_slow(*course.modelled_on, *run.task, *counted, policy_of(course, run),
                              *outcome.timing, source);
}

}  // namespace cugrade
