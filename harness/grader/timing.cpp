// How fast a submission is, and whether that can be: the method is in docs/timing.md.
//
// Rounds of the baseline and of the submission alternate, in random order, each on data that nobody
// has seen before. A round of the submission is as many calls, each on a set of its own, as take
// `round_us`. What is measured is judged at the end, by medians: a machine that hesitates once
// condemns nobody.
#include "grader/timing.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/clock.hpp"
#include "grader/gpu_turn.hpp"
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
constexpr std::uint32_t fewest_sets = 2;
/// Sets that are judged on the CPU in each round: as many as hold so much, and at least some.
constexpr double verified_bytes = 1 << 30;
constexpr double fewest_verified_sets = 8;

/// A claim is compatible with an audit from this share of it on, less what waking a process may
/// take. Points depend on the audit alone, so this only has to be beyond honest programs: of rounds
/// of 5 ms their claims were 0.96 of the audits and more.
constexpr double claim_share = 0.7;
constexpr double claim_slack_us = 200;
/// Of the time that moving the data takes at the measured bandwidth: other kernels may do better.
constexpr double floor_share = 0.95;
/// Work of others makes the making of inputs take longer than that.
constexpr double disturbed_share = 1.5;
constexpr double disturbed_slack_us = 100;
/// More than twice what the baseline takes, and this, to give the GPU back after an answer.
constexpr double settle_slack_us = 200;
/// The baseline counts at most so much of what it takes after the submission's end, where there are
/// so many rounds of it, as far as they fit into this.
constexpr double baseline_share = 1.02;
constexpr std::size_t rounds_alone = 3;
constexpr double longest_alone_s = 0.3;

struct Round {
    Rounds::Timed baseline, submission;
    double make_us = 0;
    std::optional<std::string> throttled;
    double baseline_us = 0, submission_us = 0;  ///< the audits of all calls together
    /// By what is known of empty rounds.
    void audit(const Rounds& rounds) {
        baseline_us = rounds.audit_us(Rounds::baseline, baseline);
        submission_us = rounds.audit_us(Rounds::submission, submission);
    }
    // Although they were stopped.
    [[nodiscard]] bool baseline_moved() const {
        return baseline.baseline_moved || submission.baseline_moved;
    }
    [[nodiscard]] bool submission_moved() const {
        return baseline.submission_moved || submission.submission_moved;
    }
    [[nodiscard]] bool disturbed(double clean_make_us) const {
        return make_us > disturbed_share * clean_make_us + disturbed_slack_us;
    }
    /// Why the round does not count.
    [[nodiscard]] std::optional<std::string> dropped(double clean_make_us) const {
        if (throttled) return "the GPU was held back: " + *throttled;
        if (baseline_moved() || submission_moved()) return "a stopped process seemed to run";
        if (disturbed(clean_make_us)) return "something else ran on the GPU";
        return std::nullopt;
    }
};

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
    auto answered = rounds.answer();
    if (!answered) return answered.error();
    if (answered->verdict != Verdict::accepted) return *answered;
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
        if (!empty || empty->verdict != Verdict::accepted) return empty;
    }
    out.audit(rounds);
    return CallOutcome{};
}

/// A round of the baseline alone, which is no pair.
Result<CallOutcome> baseline_round(Rounds& rounds, Round& out) {
    auto make_us = rounds.make();
    if (!make_us) return make_us.error();
    out.make_us = *make_us;
    auto answered = rounds.answer();
    if (!answered || answered->verdict != Verdict::accepted) return answered;
    auto timed = rounds.time(Rounds::baseline);
    if (!timed) return timed.error();
    out.baseline = std::move(*timed);
    out.baseline_us = rounds.audit_us(Rounds::baseline, out.baseline);
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
    std::size_t free = 0, all = 0;
    CUGRADE_TRY(cudaMemGetInfo(&free, &all));
    // What is there for the sets at present is free again by then.
    const double room = (static_cast<double>(free) + bytes * rounds.sets()) / 4;
    most = std::min(most, std::floor(room / bytes));

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

double medians(const std::vector<Round>& rounds, double (*value)(const Round&)) {
    std::vector<double> values;
    for (const Round& round : rounds) values.push_back(value(round));
    return median(std::move(values));
}

/// What the times say against the submission, or nothing.
std::optional<std::string> impossible(const std::vector<Round>& rounds, double usual_settle_us,
                                      double floor_us) {
    const auto of = [&](double (*value)(const Round&)) { return medians(rounds, value); };
    const double audit = of([](const Round& r) { return r.submission_us; });
    const double claim = of([](const Round& r) { return r.submission.claim_us; });
    const double settled = of([](const Round& r) { return r.submission.settle_us; });
    if (settled > 2 * usual_settle_us + settle_slack_us)
        return fmt::format(
            "kernels of the submission were still running when its calls were reported done: the "
            "GPU was free {:.0f} us after that, where it takes the baseline {:.0f} us",
            settled, usual_settle_us);
    if (claim < claim_share * audit - claim_slack_us)
        return fmt::format(
            "the submission's process says that a round of calls took {:.1f} us; by the grader's "
            "clock it took {:.1f} us",
            claim, audit);
    if (audit < floor_us)
        return fmt::format(
            "a round of calls took {:.1f} us, but this GPU needs at least {:.1f} us to move the "
            "data",
            audit, floor_us);
    return std::nullopt;
}

CallOutcome tampering(std::string message) {
    CallOutcome out;
    out.verdict = Verdict::tampering;
    out.message = std::move(message);
    return out;
}

TimingResult ended_by(CallOutcome outcome) {
    return {.timing = {}, .call = std::move(outcome), .note = {}, .kept = {}};
}

TimingResult not_judged(std::string_view because) {
    return {.timing = {}, .call = {}, .note = fmt::format("not judged: {}", because), .kept = {}};
}

TimingOutcome summary_of(const Rounds& rounds, const std::vector<Round>& kept,
                         const Sampling& sampling) {
    const auto per_call = [&](double us, Rounds::Who who) { return us / rounds.calls(who); };
    const auto of = [&](double (*value)(const Round&), Rounds::Who who) {
        return per_call(medians(kept, value), who);
    };
    const MedianInterval speedup = sampling.interval();
    TimingOutcome out{.basis = TimingOutcome::Basis::measured};
    out.speedup = speedup.median;
    out.low = speedup.low;
    out.high = speedup.high;
    out.baseline_us = of([](const Round& r) { return r.baseline_us; }, Rounds::baseline);
    out.submission_us = of([](const Round& r) { return r.submission_us; }, Rounds::submission);
    out.baseline_claim_us =
        of([](const Round& r) { return r.baseline.claim_us; }, Rounds::baseline);
    out.submission_claim_us =
        of([](const Round& r) { return r.submission.claim_us; }, Rounds::submission);
    for (const Round& round : kept)
        out.samples.push_back(
            {.baseline_us = per_call(round.baseline_us, Rounds::baseline),
             .submission_us = per_call(round.submission_us, Rounds::submission),
             .baseline_claim_us = per_call(round.baseline.claim_us, Rounds::baseline),
             .submission_claim_us = per_call(round.submission.claim_us, Rounds::submission)});
    out.calls = static_cast<int>(rounds.calls(Rounds::submission));
    out.baseline_calls = static_cast<int>(rounds.calls(Rounds::baseline));
    out.empty_us = rounds.empty_us(Rounds::submission);
    out.baseline_empty_us = rounds.empty_us(Rounds::baseline);
    out.boundary = sampling.boundary().value_or(0);
    out.measured_on = rounds.device_name();
    return out;
}

/// Medians of the baseline's rounds once the submission's processes have ended: nothing that they
/// have left on the GPU runs then.
struct Alone {
    double baseline_us = 0, settle_us = 0;
    double make_us = HUGE_VAL;  ///< the least
};

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
        return conclude(*bandwidth);
    }

private:
    /// One set: loads modules, warms up, and tells how long a call takes.
    Result<CallOutcome> probe() {
        Round round;
        auto outcome = rounds_.calibrate();
        for (int i = 0; i < 2 && outcome && outcome->verdict == Verdict::accepted; ++i) {
            outcome = slow_ ? baseline_round(rounds_, round) : one_round(rounds_, monitor_, round);
            slow_ = round.submission_us > slow_call_us;
        }
        if (!outcome || outcome->verdict != Verdict::accepted) return outcome;
        auto planned = plan(rounds_, run_, round.submission_us, round.baseline_us);
        if (!planned) return planned.error();
        plan_ = *planned;
        return CallOutcome{};
    }

    /// Begins again with as many sets and calls as are planned.
    Result<CallOutcome> adopt() {
        all_.clear();
        sampling_ = Sampling(run_.tiers, limits_);
        best_make_us_ = HUGE_VAL;
        warm_ = slow_;
        auto outcome = rounds_.resize(plan_);
        if (!outcome || outcome->verdict != Verdict::accepted) return outcome;
        outcome = rounds_.calibrate();
        if (!slow_ || !outcome || outcome->verdict != Verdict::accepted) return outcome;
        Round not_counted;
        return baseline_round(rounds_, not_counted);
    }

    /// Whether a round was faster than the probe, by being warm or by having slept then: more calls
    /// are needed. Twice as many at least, so that this comes to an end.
    Result<bool> plan_again(const Round& round) {
        if (round.submission_us >= short_round_share * round_us) return false;
        const std::uint32_t calls = rounds_.calls(Rounds::submission);
        auto larger = plan(rounds_, run_, per_call(round.submission_us, Rounds::submission),
                           per_call(round.baseline_us, Rounds::baseline), 2 * calls);
        if (!larger) return larger.error();
        if (larger->of_submission <= calls + calls / 8) return false;
        plan_ = *larger;
        return true;
    }

    Result<CallOutcome> sample() {
        auto outcome = adopt();
        if (!outcome || outcome->verdict != Verdict::accepted) return outcome;
        // One of the first pairs, and then each as likely as those before it: nobody knows which.
        const std::size_t first_kept = 1 + secret_bits() % limits_.fewest_pairs;
        while (!sampling_.enough(seconds_since(started_))) {
            Round round;
            const std::size_t pair = sampling_.pairs() + 1;
            const bool keep =
                pair == first_kept || (pair > limits_.fewest_pairs && secret_bits() % pair == 0);
            outcome = one_round(rounds_, monitor_, round, keep);
            if (!outcome || outcome->verdict != Verdict::accepted) return outcome;
            best_make_us_ = std::min(best_make_us_, round.make_us);
            if (!std::exchange(warm_, true)) continue;
            const auto again = plan_again(round);
            if (!again) return again.error();
            if (*again) {
                outcome = adopt();
                if (!outcome || outcome->verdict != Verdict::accepted) return outcome;
                continue;
            }
            all_.push_back(round);
            if (!round.dropped(best_make_us_))
                add_to(sampling_, round);
            else if (seconds_since(started_) > limits_.most_s)
                break;
        }
        if (!rounds_.has_kept()) CUGRADE_TRY_STATUS(keep_one(rounds_));  // too slow for so many
        return CallOutcome{};
    }

    Result<CallOutcome> time_alone() {
        rounds_.end_submission();
        const auto ended = Clock::now();
        std::vector<Round> alone;
        do {
            auto outcome = baseline_round(rounds_, alone.emplace_back());
            if (!outcome || outcome->verdict != Verdict::accepted) return outcome;
            outcome = rounds_.time_empty(Rounds::baseline);
            if (!outcome) return outcome;
        } while (alone.size() < rounds_alone && seconds_since(ended) < longest_alone_s);
        for (Round& round : alone) {
            round.baseline_us = rounds_.audit_us(Rounds::baseline, round.baseline);
            alone_.make_us = std::min(alone_.make_us, round.make_us);
        }
        alone_.baseline_us = medians(alone, [](const Round& r) { return r.baseline_us; });
        alone_.settle_us = medians(alone, [](const Round& r) { return r.baseline.settle_us; });
        return CallOutcome{};
    }

    Result<TimingResult> conclude(double bandwidth) {
        const double clean_make_us = std::min(best_make_us_, alone_.make_us);
        std::vector<Round> kept;
        std::string because;
        for (Round& round : all_) {
            round.audit(rounds_);
            if (const auto reason = round.dropped(clean_make_us))
                because = *reason;
            else
                kept.push_back(round);
        }
        const auto count = [&](auto&& is) {
            return static_cast<std::size_t>(std::ranges::count_if(all_, is));
        };
        // The baseline does not wake itself; where it seems to, the submission would seem to as
        // well.
        if (2 * count(&Round::baseline_moved) > all_.size())
            return Error{.message = "processes that are stopped do not stay so on this machine",
                         .remedy =
                             "see whether something else continues them, or whether /proc tells "
                             "the states of threads"};
        if (const auto moved = count(&Round::submission_moved); 2 * moved > all_.size())
            return ended_by(tampering(fmt::format(
                "a process of the submission ran although it was stopped, in {} of {} rounds",
                moved, all_.size())));
        const auto disturbed =
            count([&](const Round& r) { return !r.throttled && r.disturbed(clean_make_us); });
        if (2 * disturbed > all_.size() &&
            alone_.make_us * disturbed_share < medians(
                                                   all_, [](const Round& r) { return r.make_us; }))
            return ended_by(tampering(fmt::format(
                "the submission leaves work running on the GPU between its calls: in {} of {} "
                "rounds the grader's own work took over {:g} times as long as after the "
                "submission's end",
                disturbed, all_.size(), disturbed_share)));
        if (2 * kept.size() < all_.size() || kept.empty())
            return not_judged(fmt::format("{} of {} rounds do not count, because {}",
                                          all_.size() - kept.size(), all_.size(), because));
        const auto moved = static_cast<double>(rounds_.moved_per_call()) * plan_.of_submission -
                           static_cast<double>(rounds_.cache_bytes());  // what may stay in caches
        if (auto why = impossible(kept, alone_.settle_us, floor_share * moved / bandwidth))
            return ended_by(tampering(*why));

        // Nothing is gained by slowing the baseline down.
        const double usual = medians(kept, [](const Round& r) { return r.baseline_us; });
        const double share = std::min(1.0, baseline_share * alone_.baseline_us / usual);
        Sampling decisive(run_.tiers, limits_);
        for (Round& round : kept) {
            round.baseline_us *= share;
            add_to(decisive, round);
        }
        TimingResult out;
        out.timing = summary_of(rounds_, kept, decisive);
        out.timing->dropped = static_cast<int>(all_.size() - kept.size());
        out.timing->dropped_because = because;
        return out;
    }

    [[nodiscard]] double per_call(double us, Rounds::Who who) const {
        return us / rounds_.calls(who);
    }
    void add_to(Sampling& sampling, const Round& round) const {
        sampling.add(per_call(round.baseline_us, Rounds::baseline),
                     per_call(round.submission_us, Rounds::submission));
    }

    const Clock::time_point started_ = Clock::now();
    const Sampling::Limits limits_;
    const TimingRun& run_;
    Rounds& rounds_;
    const GpuMonitor monitor_;
    Rounds::Plan plan_;
    bool slow_ = false;  ///< a call takes so long that a second one is not needed to warm up
    bool warm_ = false;  ///< the next round counts
    Sampling sampling_{run_.tiers, limits_};  ///< of those that count by what is known by then
    std::vector<Round> all_;
    double best_make_us_ = HUGE_VAL;
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
        // For one set. Importing memory also makes the runners' contexts, which takes long.
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
