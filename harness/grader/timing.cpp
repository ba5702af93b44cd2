// How fast a submission is, and whether that can be: the method is in docs/timing.md.
//
// Rounds of the baseline and of the submission alternate, in random order, each on data that nobody
// has seen before. A round of the submission is as many calls, each on a set of its own, as take
// `round_us`. What is measured is judged at the end, by judge_times.cpp. A submission that is too
// slow for all tiers, by its calls on the timed case, is not called again.
#include "grader/timing.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/clock.hpp"
#include "grader/gpu_turn.hpp"
#include "grader/judge_times.hpp"
#include "grader/nvml.hpp"
#include "grader/rounds.hpp"
#include "grader/sampling.hpp"

namespace cugrade {
namespace {

constexpr double round_us = 5000;
constexpr double short_round_share = 0.8;  ///< a round that takes less shall have more calls
/// A round of more calls than one takes no longer than this; nothing is gained by caching where one
/// call takes as long.
constexpr double longest_round_us = 500'000;
/// After a call as long as that a second one is not needed to warm up.
constexpr double slow_call_us = 250'000;
/// A tier is given from 1 % below it, and a single call of the baseline varies.
constexpr double too_slow_margin = 1.25;
constexpr std::uint32_t fewest_sets = 2;
/// Sets that are judged on the CPU in each round: as many as hold so much, and at least some.
constexpr double verified_bytes = 1 << 30;
constexpr double fewest_verified_sets = 8;

/// Of the time that moving the data takes at the measured bandwidth: other kernels may do better.
constexpr double floor_share = 0.95;
/// Of the baseline after the submission's end, as far as they begin within this.
constexpr std::size_t rounds_alone = 3;
constexpr double longest_alone_s = 1;

bool accepted(const Result<CallOutcome>& outcome) {
    return outcome && outcome->verdict == Verdict::accepted;
}

struct Round {
    Rounds::Timed baseline, submission;
    bool baseline_moved = false, submission_moved = false;  ///< although they were stopped
    double make_us = 0;
    std::optional<std::string> throttled;
};

OwnWork own_of(const Round& round) {
    return {.make_us = round.make_us, .give_us = round.submission.before.give_us};
}

/// By what is known of rounds without calls by now.
Pair pair_of(const Rounds& rounds, const Round& round) {
    return {.baseline_us = rounds.audit_us(Rounds::baseline, round.baseline),
            .submission_us = rounds.audit_us(Rounds::submission, round.submission),
            .baseline_claim_us = round.baseline.claim_us,
            .submission_claim_us = round.submission.claim_us,
            .ready_us = round.submission.before.ready_us,
            .settle_us = round.submission.settle_us,
            .own = own_of(round),
            .baseline_moved = round.baseline_moved,
            .submission_moved = round.submission_moved,
            .throttled = round.throttled};
}

/// One of the sets of the submission's last round, where all are not judged in each round anyway.
Status keep_one(Rounds& rounds) {
    if (!rounds.has_reference()) return Done{};
    const std::uint64_t call = secret_bits() % rounds.calls(Rounds::submission);
    return rounds.keep(static_cast<std::uint32_t>(call));
}

/// One round of each, or the outcome that ends the timing. Where asked to, one of the submission's
/// sets is kept, before the submission runs again.
Result<CallOutcome> one_round(Rounds& rounds, const GpuMonitor& monitor, Round& out,
                              bool keep = false) {
    auto make_us = rounds.make();
    if (!make_us) return make_us.error();
    out.make_us = *make_us;
    CUGRADE_TRY_STATUS(rounds.answer());
    const bool baseline_first = secret_bits() % 2 == 0;
    out.throttled = monitor.throttled();
    for (const bool of_baseline : {baseline_first, !baseline_first}) {
        auto timed = rounds.time(of_baseline ? Rounds::baseline : Rounds::submission);
        if (!timed) return timed.error();
        if (!out.throttled) out.throttled = monitor.throttled();
        if (timed->outcome.verdict != Verdict::accepted) return timed->outcome;
        (of_baseline ? out.baseline : out.submission) = std::move(*timed);
        if (!of_baseline && keep) CUGRADE_TRY_STATUS(keep_one(rounds));
    }
    for (const bool of_baseline : {baseline_first, !baseline_first}) {
        auto empty = rounds.time_empty(of_baseline ? Rounds::baseline : Rounds::submission);
        if (!accepted(empty)) return empty;
    }
    out.baseline_moved = rounds.moved(Rounds::baseline);
    out.submission_moved = rounds.moved(Rounds::submission);
    return CallOutcome{};
}

/// A round of the baseline alone, which is no pair.
Result<CallOutcome> baseline_round(Rounds& rounds, Round& out) {
    auto make_us = rounds.make();
    if (!make_us) return make_us.error();
    out.make_us = *make_us;
    CUGRADE_TRY_STATUS(rounds.answer());
    auto timed = rounds.time(Rounds::baseline);
    if (!timed) return timed.error();
    out.baseline = std::move(*timed);
    return out.baseline.outcome;
}

/// From what a call takes; at least `fewest_calls` of the submission, if so many are possible.
Result<Rounds::Plan> plan(const Rounds& rounds, const TimingRun& run, double submission_us,
                          double baseline_us, std::uint32_t fewest_calls = fewest_sets) {
    const auto bytes = static_cast<double>(std::max<std::uint64_t>(rounds.bytes_per_set(), 1));
    const auto of_call = static_cast<double>(std::max<std::uint64_t>(rounds.bytes_per_call(), 1));
    const auto in = [](double us, double call_us) { return us / std::max(call_us, 1.0); };
    double most_of_submission = in(longest_round_us, submission_us);
    if (!rounds.has_reference())
        most_of_submission =
            std::min(most_of_submission, std::max(fewest_verified_sets, verified_bytes / of_call));
    double most = protocol::max_sets;
    if (rounds.has_reference() && !run.reference)
        most = std::min(most, std::max(1.0, in(longest_round_us, baseline_us)));
    most = std::min(most, std::floor(static_cast<double>(rounds.room()) / bytes));

    const double of_submission =
        std::max({static_cast<double>(fewest_calls), std::ceil(in(round_us, submission_us)),
                  std::ceil(2.0 * static_cast<double>(rounds.cache_bytes()) / of_call)});
    const auto calls = [&](double wanted) {
        return static_cast<std::uint32_t>(std::min(std::max(1.0, wanted), most));
    };
    Rounds::Plan out{
        .sets = 0,
        .of_submission = calls(std::min(of_submission, most_of_submission)),
        .of_baseline = calls(std::ceil(in(round_us, baseline_us))),
    };
    out.sets = std::max(out.of_submission, out.of_baseline);
    return out;
}

/// Times one submission, with the GPU to itself.
class Timing {
public:
    /// The runners have one set.
    Timing(const TimingRun& run, Rounds& rounds)
        : run_(run), rounds_(rounds), monitor_(rounds.monitor_id()) {}

    Result<TimingResult> result() {
        auto bandwidth = rounds_.bandwidth();
        if (!bandwidth) return bandwidth.error();
        for (const auto step : {&Timing::probe, &Timing::sample, &Timing::time_alone}) {
            auto outcome = (this->*step)();
            if (!outcome) return outcome.error();
            if (outcome->verdict != Verdict::accepted) return ended_by(std::move(*outcome));
            if (plan_.sets == 0) return not_judged("too little memory is free on this GPU");
        }
        return judged(*bandwidth);
    }

private:
    /// One set: loads modules, warms up, and tells how long a call takes.
    Result<CallOutcome> probe() {
        Round round;
        double submission_us = run_.case_us;
        auto outcome = rounds_.calibrate();
        if (run_.case_at_least_us > 0 && std::isfinite(run_.case_claim_us)) {
            for (int i = 0; i < 2 && accepted(outcome); ++i)
                outcome = baseline_round(rounds_, round);
            if (!accepted(outcome)) return outcome;
            const double baseline_us = rounds_.most_us(Rounds::baseline, round.baseline);
            slow_ = too_slow_ =
                reaches_no_tier(run_.tiers, too_slow_margin * baseline_us / run_.case_at_least_us);
        }
        for (int i = 0; i < 2 && accepted(outcome) && !too_slow_; ++i) {
            outcome = slow_ ? baseline_round(rounds_, round) : one_round(rounds_, monitor_, round);
            submission_us = rounds_.most_us(Rounds::submission, round.submission);
            slow_ = submission_us > slow_call_us;
        }
        if (!accepted(outcome)) return outcome;
        auto planned =
            plan(rounds_, run_, submission_us, rounds_.most_us(Rounds::baseline, round.baseline));
        if (!planned) return planned.error();
        plan_ = *planned;
        return CallOutcome{};
    }

    /// Begins again with as many sets and calls as are planned.
    Result<CallOutcome> adopt() {
        all_.clear();
        counted_s_ = 0;
        sampling_ = Sampling(run_.tiers, limits_);
        own_ = {};
        warm_ = slow_;
        auto outcome = rounds_.resize(plan_);
        if (!accepted(outcome)) return outcome;
        outcome = rounds_.calibrate();
        Round not_counted;
        if (slow_ && accepted(outcome)) outcome = baseline_round(rounds_, not_counted);
        for (const auto who : {Rounds::baseline, Rounds::submission}) (void)rounds_.moved(who);
        return outcome;
    }

    /// Whether there are rounds enough to judge: where most do not count, as many as may be held
    /// against the submission.
    [[nodiscard]] bool enough() const {
        const double elapsed_s = seconds_since(started_) - rounds_.slow_empty_s();
        const std::size_t dropped = all_.size() - sampling_.pairs();
        if (2 * dropped > all_.size())
            return elapsed_s > limits_.most_s && dropped >= fewest_offences;
        // Work that came once, before them, leaves no time, but one round is no measurement.
        if (all_.size() < fewest_offences && counted_s_ < limits_.least_s) return false;
        return sampling_.enough(elapsed_s);
    }

    /// Whether a round was faster than the probe, by being warm or by having slept then: more calls
    /// are needed. Twice as many at least, so that this comes to an end.
    Result<bool> plan_again(const Round& round) {
        const double submission_us = rounds_.most_us(Rounds::submission, round.submission);
        if (submission_us >= short_round_share * round_us) return false;
        const std::uint32_t calls = rounds_.calls(Rounds::submission);
        const double baseline_us = rounds_.most_us(Rounds::baseline, round.baseline);
        auto larger = plan(rounds_, run_, per_call(submission_us, Rounds::submission),
                           per_call(baseline_us, Rounds::baseline), 2 * calls);
        if (!larger) return larger.error();
        if (larger->of_submission <= calls + calls / 8) return false;
        plan_ = *larger;
        return true;
    }

    Result<CallOutcome> sample() {
        auto outcome = adopt();
        if (!accepted(outcome) || too_slow_) return outcome;
        // One of the first pairs, and then each as likely as those before it: nobody knows which.
        const std::size_t first_kept = 1 + secret_bits() % limits_.fewest_pairs;
        while (!enough()) {
            Round round;
            const std::size_t number = sampling_.pairs() + 1;
            const bool keep = number == first_kept ||
                              (number > limits_.fewest_pairs && secret_bits() % number == 0);
            const auto began = Clock::now();
            outcome = one_round(rounds_, monitor_, round, keep);
            if (!accepted(outcome)) return outcome;
            const Pair pair = pair_of(rounds_, round);
            own_ = own_.shortest(pair.own);
            if (!std::exchange(warm_, true)) continue;
            const auto again = plan_again(round);
            if (!again) return again.error();
            if (*again) {
                outcome = adopt();
                if (!accepted(outcome)) return outcome;
                continue;
            }
            all_.push_back(round);
            counted_s_ += seconds_since(began);
            if (!pair.dropped(own_))
                sampling_.add(per_call(pair.baseline_us, Rounds::baseline),
                              per_call(pair.submission_us, Rounds::submission));
        }
        if (!rounds_.has_kept()) CUGRADE_TRY_STATUS(keep_one(rounds_));  // too slow for so many
        return CallOutcome{};
    }

    Result<CallOutcome> time_alone() {
        rounds_.end_submission();
        const auto ended = Clock::now();
        std::vector<Round> alone;
        do {
            Round& round = alone.emplace_back();
            auto outcome = baseline_round(rounds_, round);
            if (!accepted(outcome)) return outcome;
            CUGRADE_TRY_STATUS(rounds_.answer());  // as in pairs, another runner has the GPU before
            outcome = rounds_.time_empty(Rounds::baseline);
            if (!accepted(outcome)) return outcome;
            auto prepared = rounds_.prepare_alone();
            if (!prepared) return prepared.error();
            round.submission.before = *prepared;
        } while (alone.size() < rounds_alone && seconds_since(ended) < longest_alone_s);
        for (const Round& round : alone) {
            const double us = rounds_.audit_us(Rounds::baseline, round.baseline);
            alone_.baseline_us = std::max(alone_.baseline_us, us);
        }
        alone_.own = {
            .make_us = median_of(alone, &Round::make_us),
            .give_us = median_of(alone, [](auto& round) { return own_of(round).give_us; })};
        alone_.ready_us =
            median_of(alone, [](auto& round) { return round.submission.before.ready_us; });
        alone_.settle_us = median_of(alone, [](auto& round) { return round.baseline.settle_us; });
        if (too_slow_) add_the_case(std::move(alone));
        return CallOutcome{};
    }

    /// As a round of one call, beside the median one of the baseline.
    void add_the_case(std::vector<Round> alone) {
        const auto middle = alone.begin() + static_cast<std::ptrdiff_t>(alone.size() / 2);
        std::ranges::nth_element(alone, middle, {},
                                 [](const Round& round) { return round.baseline.wall_us; });
        Round round;
        round.baseline = std::move(middle->baseline);
        round.submission.wall_us = run_.case_us;
        round.submission.claim_us = run_.case_claim_us;
        round.make_us = alone_.own.make_us;
        all_.push_back(std::move(round));
    }

    Result<TimingResult> judged(double bandwidth) const {
        const auto moved = static_cast<double>(rounds_.moved_per_call()) * plan_.of_submission -
                           static_cast<double>(rounds_.cache_bytes());  // what may stay in caches
        Times times{.pairs = {},
                    .own = own_,
                    .alone = alone_,
                    .baseline_calls = rounds_.calls(Rounds::baseline),
                    .submission_calls = rounds_.calls(Rounds::submission),
                    .floor_us = floor_share * moved / bandwidth,
                    .tiers = run_.tiers};
        for (const Round& round : all_) times.pairs.push_back(pair_of(rounds_, round));
        auto out = judge_times(times);
        if (!out || !out->timing) return out;
        out->timing->empty_us = rounds_.empty_us(Rounds::submission);
        out->timing->baseline_empty_us = rounds_.empty_us(Rounds::baseline);
        out->timing->measured_on = rounds_.device_name();
        return out;
    }

    [[nodiscard]] double per_call(double us, Rounds::Who who) const {
        return us / rounds_.calls(who);
    }

    const Clock::time_point started_ = Clock::now();
    const Sampling::Limits limits_;
    const TimingRun& run_;
    Rounds& rounds_;
    const GpuMonitor monitor_;
    Rounds::Plan plan_;
    bool slow_ = false;      ///< a call takes so long that a second one is not needed to warm up
    bool too_slow_ = false;  ///< for all tiers: the case's call is the only one
    bool warm_ = false;      ///< the next round counts
    Sampling sampling_{run_.tiers, limits_};  ///< of those that count by what is known by then
    std::vector<Round> all_;
    double counted_s_ = 0;  ///< that these pairs took
    OwnWork own_;           ///< the shortest
    Alone alone_;
};

}  // namespace

Result<TimingResult> measured_speedup(const TimingRun& run) {
    const GpuInfo& gpu = run.submission.device;

    /// Closes under a shared hold, its last one or a new one.
    struct Closing {
        const GpuInfo& gpu;
        std::unique_ptr<Rounds> rounds;
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
    } open{.gpu = gpu, .rounds = std::make_unique<Rounds>(run), .turn = {}};
    Rounds& rounds = *open.rounds;
    {
        CUGRADE_TRY_STATUS(open.share());
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
        return Timing(run, rounds).result();
    }();
    if (result && result->timing && rounds.has_kept()) {
        CUGRADE_TRY_STATUS(open.share());
        auto kept = rounds.read_kept();
        if (!kept) return kept.error();
        result->kept = std::move(*kept);
    }
    if (result && !result->timing) {
        if (const Status answers = answers_after(result->call, *run.submission.home, gpu);
            !answers) {
            rounds.end_all();
            (void)open.rounds.release();  // what is asked of the GPU would not return
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
