// How fast a submission is, and whether that can be: the method is in docs/engineering/timing.md.
//
// This file has the steps that need a GPU, in order: sessions open while others grade on it, rounds
// are timed alone, results are read and sessions closed while others may have it again.
// time_rounds.cpp decides how many rounds there are, judge_times.cpp judges their times.
#include "timing/timing.hpp"

#include <fmt/format.h>

#include "backend/gpu/attachment.hpp"
#include "gpu/gpu_turn.hpp"
#include "timing/gpu_rounds.hpp"
#include "timing/judge_times.hpp"
#include "timing/time_rounds.hpp"

namespace cugrade {

Error failure_of_ours(const char* who, const TimingRun& run, const std::string& why) {
    return Error{.message = fmt::format("the {} of {}/{} fails on its timed case: {}", who,
                                        run.task->assignment->id, run.task->task->name, why),
                 .remedy = "run `cugrade doctor`"};
}

Result<TimingResult> measured_speedup(const TimingRun& run) {
    const GpuInfo& gpu = run.submission.device;

    /// Closes under a shared hold, its last one or a new one.
    struct Closing {
        const GpuInfo& gpu;
        std::unique_ptr<GpuRounds> rounds;
        std::optional<GpuTurn> turn;
        Status share() {
            auto mine = GpuTurn::wait(gpu.id, GpuTurn::Hold::shared);
            if (!mine) return mine.error();
            turn.emplace(std::move(*mine));
            return Done{};
        }
        ~Closing() {
            if (!turn) (void)share();
            rounds.reset();
        }
    } open{.gpu = gpu, .rounds = std::make_unique<GpuRounds>(run), .turn = {}};
    GpuRounds& rounds = *open.rounds;
    {
        if (auto status = open.share(); !status) return status.error();
        if (auto status = rounds.open(); !status) return status.error();
        // For one set.
        auto outcome = rounds.resize({});
        if (!outcome) return outcome.error();
        if (outcome->verdict != Verdict::accepted) return ended_by(*outcome);
        open.turn.reset();
    }
    auto result = [&]() -> Result<TimingResult> {
        const auto turn = GpuTurn::wait(gpu.id, GpuTurn::Hold::exclusive);
        if (!turn) return turn.error();
        return time_rounds(run, rounds);
    }();
    if (result && result->timing && rounds.has_kept()) {
        if (auto status = open.share(); !status) return status.error();
        auto kept = rounds.read_kept();
        if (!kept) return kept.error();
        result->kept = std::move(*kept);
    }
    if (result && !result->timing) {
        if (const Status answers = answers_after(result->call, *run.submission.home, gpu);
            !answers) {
            rounds.end_all();
            (void)open.rounds.release();  // calls to the GPU would not return
            return answers.error();
        }
    }
    return result;
}

Result<TimingResult> judge_kept(const TimingRun& run, TimingResult result) {
    if (!result.timing || !result.kept) return result;
    const AssignmentSpec& assignment = *run.task->assignment;
    const CaseData& data = run.timed_case->data;
    const auto right = judge_set(assignment, data, result.kept->reference);
    if (!right) return right.error();
    if (right->verdict != Verdict::accepted)
        return failure_of_ours(run.reference ? "solution" : "baseline", run, right->message);
    auto judged = judge_set(assignment, data, result.kept->submission);
    if (!judged) return judged.error();
    if (judged->verdict != Verdict::accepted) return ended_by(std::move(*judged));
    return result;
}

}  // namespace cugrade
