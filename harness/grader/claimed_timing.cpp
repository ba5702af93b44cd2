// The speedup as the runners' own events claim it: the baseline, then the submission, on one data
// set. The outputs of the last call are checked. It is what is used unless audited timing is asked
// for.
#include "grader/timing.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "grader/sampling.hpp"

namespace cugrade {
namespace {

constexpr std::uint32_t warmups = 2;
constexpr std::uint32_t most_repeats = 31;
constexpr std::uint32_t fewest_repeats = 5;
constexpr double target_us = 400'000;  ///< of timed calls in one runner

struct Timed {
    CallOutcome call;
    Judgement judgement;
};

/// One probing call decides how many timed calls fit into the target.
Result<Timed> time_calls(Session& session, const TimingRun& run, const CaseData& data,
                         const std::vector<Expected>& expected) {
    const TaskRun& task = *run.task;
    auto prepared = prepare(session, *task.task, data, *task.limits);
    if (!prepared) return prepared.error();
    prepared->request.timed = true;
    prepared->request.warmups = 1;
    auto probe = session.call(prepared->request);
    if (!probe) return probe.error();
    if (probe->verdict != Verdict::accepted) return Timed{.call = *probe, .judgement = {}};
    const double once = std::max(probe->event_us.front(), 1.0);
    prepared->request.warmups = once * warmups < target_us ? warmups : 0;
    prepared->request.repeats = static_cast<std::uint32_t>(
        std::clamp(target_us / once, double{fewest_repeats}, double{most_repeats}));
    auto call = session.call(prepared->request);
    if (!call) return call.error();
    Timed out{.call = std::move(*call), .judgement = {}};
    if (out.call.verdict != Verdict::accepted) return out;
    Outputs outputs;
    auto judged = judge(session, *task.task, *task.assignment, data, expected, *prepared, outputs);
    if (!judged) return judged.error();
    out.judgement = std::move(*judged);
    return out;
}

}  // namespace

Result<TimingResult> claimed_speedup(const TimingRun& run) {
    const TaskRun& task = *run.task;
    auto data = make_case(*task.assignment, *task.task, *run.timed_case, *task.options);
    if (!data) return data.error();
    auto expected = expected_answer(*task.assignment, *data);
    if (!expected) return expected.error();

    std::vector<double> times[2];  // baseline, submission
    for (const bool of_submission : {false, true}) {
        auto session = open_gpu_session(of_submission ? run.submission : run.baseline);
        if (!session) return session.error();
        auto timed = time_calls(**session, run, *data, *expected);
        if (!timed) return timed.error();
        if (timed->call.verdict == Verdict::accepted &&
            timed->judgement.verdict != Verdict::accepted) {
            timed->call.verdict = timed->judgement.verdict;
            timed->call.message = timed->judgement.message;
        }
        if (timed->call.verdict != Verdict::accepted) {
            if (of_submission) return TimingResult{.timing = {}, .call = timed->call, .note = {}};
            return Error{.message = fmt::format("the baseline of {}/{} fails on its timed case: {}",
                                                task.assignment->id, task.task->name,
                                                timed->call.message + timed->call.said),
                         .remedy = "run `cugrade doctor`"};
        }
        times[of_submission ? 1 : 0] = timed->call.event_us;
    }
    const MedianInterval baseline = median_interval(times[0]);
    const MedianInterval submission = median_interval(times[1]);
    TimingResult out;
    out.timing = TimingOutcome{.basis = TimingOutcome::Basis::measured,
                               .audited = false,
                               .speedup = baseline.median / submission.median,
                               .low = baseline.low / submission.high,
                               .high = baseline.high / submission.low,
                               .baseline_us = baseline.median,
                               .submission_us = submission.median,
                               .samples = {}};
    const std::size_t count = std::max(times[0].size(), times[1].size());
    for (std::size_t i = 0; i < count; ++i)
        out.timing->samples.push_back(
            {i < times[0].size() ? times[0][i] : 0, i < times[1].size() ? times[1][i] : 0});
    return out;
}

}  // namespace cugrade
