// Rounds of the baseline and of the submission alternate, in random order, each on data that nobody
// has seen before. A round of the submission has as many calls as fill `round_us`, each on a set of
// its own. First a probe measures how long a call takes, which gives the numbers of calls and of
// sets. Then pairs of rounds are sampled until there are enough. Then the submission ends, and the
// baseline is timed alone. At the end judge_times.cpp judges the measurements. If the submission's
// calls on the timed case show that it is too slow for all tiers, it is not called again.
#include "timing/time_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "timing/empty_rounds.hpp"
#include "timing/judge_times.hpp"
#include "timing/sampling.hpp"

namespace cugrade {
namespace {

constexpr double round_us = 5000;
constexpr double short_round_share = 0.8;  ///< a shorter round gets more calls
/// A round of several calls takes at most this long. If a single call takes as long, caching gains
/// nothing.
constexpr double longest_round_us = 500'000;
/// After a call that takes this long, no second one is needed to warm up.
constexpr double slow_call_us = 250'000;
/// A tier is given from 1 % below it, and a single call of the baseline varies.
constexpr double too_slow_margin = 1.25;
constexpr std::uint32_t fewest_sets = 2;
constexpr int empty_rounds = 3;  ///< at first; later one follows each round with calls
/// Sets that are judged on the CPU in each round: as many as hold `verified_bytes`, but at least
/// `fewest_verified_sets`.
constexpr double verified_bytes = 1 << 30;
constexpr double fewest_verified_sets = 8;

/// Share of the time that moving the data takes at the measured bandwidth. Below 1, because other
/// kernels may do better.
constexpr double floor_share = 0.95;
/// Rounds of the baseline after the submission's end. None begins later than `longest_alone_s`
/// after it.
constexpr std::size_t rounds_alone = 3;
constexpr double longest_alone_s = 1;

bool accepted(const Result<CallOutcome>& outcome) {
    return outcome && outcome->verdict == Verdict::accepted;
}

struct Round {
    Rounds::Timed baseline, submission;
    bool baseline_moved = false, submission_moved = false;  ///< ran although they were stopped
    double make_us = 0;
    std::optional<std::string> throttled;
};

OwnWork own_of(const Round& round) {
    return {.make_us = round.make_us, .give_us = round.submission.before.give_us};
}

/// Uses the empty rounds that are known by now.
Pair pair_of(const EmptyRounds& empties, const Round& round) {
    return {.baseline_us = empties.audit_us(Rounds::baseline, round.baseline),
            .submission_us = empties.audit_us(Rounds::submission, round.submission),
            .baseline_claim_us = round.baseline.claim_us,
            .submission_claim_us = round.submission.claim_us,
            .ready_us = round.submission.before.ready_us,
            .settle_us = round.submission.settle_us,
            .own = own_of(round),
            .baseline_moved = round.baseline_moved,
            .submission_moved = round.submission_moved,
            .throttled = round.throttled};
}

/// The time of a call of each, and the fewest calls of the submission, if that many are possible.
struct PlanFor {
    double submission_us = 0, baseline_us = 0;
    std::uint32_t fewest_calls = fewest_sets;
    bool has_solution = false;  ///< else the baseline is the reference, if there is one
};

/// A plan with 0 sets means that there is no room for one.
Rounds::Plan plan(const Rounds::Facts& facts, const PlanFor& of) {
    const auto bytes = static_cast<double>(std::max<std::uint64_t>(facts.bytes_per_set, 1));
    const auto of_call = static_cast<double>(std::max<std::uint64_t>(facts.bytes_per_call, 1));
    const auto in = [](double us, double call_us) { return us / std::max(call_us, 1.0); };
    double most_of_submission = in(longest_round_us, of.submission_us);
    if (!facts.has_reference)
        most_of_submission =
            std::min(most_of_submission, std::max(fewest_verified_sets, verified_bytes / of_call));
    double most = facts.most_sets;
    if (facts.has_reference && !of.has_solution)
        most = std::min(most, std::max(1.0, in(longest_round_us, of.baseline_us)));
    most = std::min(most, std::floor(static_cast<double>(facts.room) / bytes));

    const double of_submission =
        std::max({static_cast<double>(of.fewest_calls), std::ceil(in(round_us, of.submission_us)),
                  std::ceil(2.0 * static_cast<double>(facts.cache_bytes) / of_call)});
    const auto calls = [&](double wanted) {
        return static_cast<std::uint32_t>(std::min(std::max(1.0, wanted), most));
    };
    Rounds::Plan out{
        .sets = 0,
        .of_submission = calls(std::min(of_submission, most_of_submission)),
        .of_baseline = calls(std::ceil(in(round_us, of.baseline_us))),
    };
    out.sets = std::max(out.of_submission, out.of_baseline);
    return out;
}

/// Times one submission, with the GPU to itself.
class Timing {
public:
    /// Precondition: the runners have one set.
    Timing(const TimingRun& run, Rounds& rounds)
        : run_(run), rounds_(rounds), facts_(rounds.facts()), started_s_(rounds.now_s()) {}

    Result<TimingResult> result() {
        auto bandwidth = rounds_.begin();
        if (!bandwidth) return bandwidth.error();
        for (const auto step : {&Timing::probe, &Timing::sample, &Timing::time_alone}) {
            auto outcome = (this->*step)();
            if (!outcome) return outcome.error();
            if (outcome->verdict != Verdict::accepted) return ended_by(std::move(*outcome));
            if (plan_.sets == 0) return not_judged({NotJudged::Why::too_little_memory});
        }
        return judged(*bandwidth);
    }

private:
    /// Keeps a random set of the submission's last round. Without a reference, all sets are judged
    /// in each round anyway.
    Status keep_one() {
        if (!facts_.has_reference) return Done{};
        const std::uint64_t call = rounds_.random_bits() % rounds_.calls(Rounds::submission);
        return rounds_.keep(static_cast<std::uint32_t>(call));
    }

    Result<CallOutcome> empty_round(Rounds::Who who) {
        auto empty = rounds_.time_empty(who);
        if (!empty) return empty.error();
        if (empty->outcome.verdict != Verdict::accepted) return std::move(empty->outcome);
        return empties_.add(who, empty->wall_s);
    }

    /// Stops all runners and measures what a round without a call costs each.
    Result<CallOutcome> calibrate() {
        if (auto status = rounds_.stop_runners(); !status) return status.error();
        empties_.clear();
        for (int i = 0; i < empty_rounds; ++i)
            for (const auto who : {Rounds::baseline, Rounds::submission, Rounds::reference}) {
                if (who == Rounds::reference && !facts_.has_reference) continue;
                auto outcome = empty_round(who);
                if (!accepted(outcome)) return outcome;
            }
        return CallOutcome{};
    }

    /// Runs one round of each, or returns the outcome that ends the timing. With `keep`, keeps one
    /// of the submission's sets before the submission runs again.
    Result<CallOutcome> one_round(Round& out, bool keep = false) {
        auto make_us = rounds_.make();
        if (!make_us) return make_us.error();
        out.make_us = *make_us;
        if (auto status = rounds_.answer(); !status) return status.error();
        const bool baseline_first = rounds_.random_bits() % 2 == 0;
        out.throttled = rounds_.throttled();
        for (const bool of_baseline : {baseline_first, !baseline_first}) {
            auto timed = rounds_.time(of_baseline ? Rounds::baseline : Rounds::submission);
            if (!timed) return timed.error();
            if (!out.throttled) out.throttled = rounds_.throttled();
            if (timed->outcome.verdict != Verdict::accepted) return timed->outcome;
            (of_baseline ? out.baseline : out.submission) = std::move(*timed);
            if (!of_baseline && keep)
                if (auto status = keep_one(); !status) return status.error();
        }
        for (const bool of_baseline : {baseline_first, !baseline_first}) {
            auto empty = empty_round(of_baseline ? Rounds::baseline : Rounds::submission);
            if (!accepted(empty)) return empty;
        }
        out.baseline_moved = rounds_.moved(Rounds::baseline);
        out.submission_moved = rounds_.moved(Rounds::submission);
        return CallOutcome{};
    }

    /// A round of the baseline alone, which is no pair.
    Result<CallOutcome> baseline_round(Round& out) {
        auto make_us = rounds_.make();
        if (!make_us) return make_us.error();
        out.make_us = *make_us;
        if (auto status = rounds_.answer(); !status) return status.error();
        auto timed = rounds_.time(Rounds::baseline);
        if (!timed) return timed.error();
        out.baseline = std::move(*timed);
        return out.baseline.outcome;
    }

    [[nodiscard]] Rounds::Plan plan_for(double submission_us, double baseline_us,
                                        std::uint32_t fewest_calls = fewest_sets) const {
        return plan(facts_, {.submission_us = submission_us,
                             .baseline_us = baseline_us,
                             .fewest_calls = fewest_calls,
                             .has_solution = run_.reference.has_value()});
    }

    /// Runs with one set: loads modules, warms up, and measures how long a call takes.
    Result<CallOutcome> probe() {
        Round round;
        double submission_us = run_.case_us;
        auto outcome = calibrate();
        if (run_.case_at_least_us > 0 && std::isfinite(run_.case_claim_us)) {
            for (int i = 0; i < 2 && accepted(outcome); ++i) outcome = baseline_round(round);
            if (!accepted(outcome)) return outcome;
            const double baseline_us = empties_.most_us(Rounds::baseline, round.baseline);
            slow_ = too_slow_ =
                reaches_no_tier(run_.tiers, too_slow_margin * baseline_us / run_.case_at_least_us);
        }
        for (int i = 0; i < 2 && accepted(outcome) && !too_slow_; ++i) {
            outcome = slow_ ? baseline_round(round) : one_round(round);
            submission_us = empties_.most_us(Rounds::submission, round.submission);
            slow_ = submission_us > slow_call_us;
        }
        if (!accepted(outcome)) return outcome;
        plan_ = plan_for(submission_us, empties_.most_us(Rounds::baseline, round.baseline));
        return CallOutcome{};
    }

    /// Begins again with the planned sets and calls.
    Result<CallOutcome> adopt() {
        all_.clear();
        counted_s_ = 0;
        sampling_ = Sampling(run_.tiers, limits_);
        own_ = {};
        warm_ = slow_;
        auto outcome = rounds_.resize(plan_);
        if (!accepted(outcome)) return outcome;
        outcome = calibrate();
        Round not_counted;
        if (slow_ && accepted(outcome)) outcome = baseline_round(not_counted);
        for (const auto who : {Rounds::baseline, Rounds::submission}) (void)rounds_.moved(who);
        return outcome;
    }

    /// Whether there are enough rounds to judge. If most of them do not count, there must be as
    /// many of those as may be held against the submission.
    [[nodiscard]] bool enough() const {
        const double elapsed_s = rounds_.now_s() - started_s_ - empties_.slow_s();
        const std::size_t dropped = all_.size() - sampling_.pairs();
        if (2 * dropped > all_.size())
            return elapsed_s > limits_.most_s && dropped >= fewest_offences;
        // Work that came once, before the rounds, leaves no time, but one round is no measurement.
        if (all_.size() < fewest_offences && counted_s_ < limits_.least_s) return false;
        return sampling_.enough(elapsed_s);
    }

    /// Plans more calls if a round was faster than the probe, because it was warm or because the
    /// submission slept in the probe. At least twice as many calls, so that this ends. Returns
    /// whether there is a new plan.
    bool plan_again(const Round& round) {
        const double submission_us = empties_.most_us(Rounds::submission, round.submission);
        if (submission_us >= short_round_share * round_us) return false;
        const std::uint32_t calls = rounds_.calls(Rounds::submission);
        const double baseline_us = empties_.most_us(Rounds::baseline, round.baseline);
        const Rounds::Plan larger = plan_for(per_call(submission_us, Rounds::submission),
                                             per_call(baseline_us, Rounds::baseline), 2 * calls);
        if (larger.of_submission <= calls + calls / 8) return false;
        plan_ = larger;
        return true;
    }

    Result<CallOutcome> sample() {
        auto outcome = adopt();
        if (!accepted(outcome) || too_slow_) return outcome;
        // Keep a set of one of the first pairs. A later pair replaces it with such a chance that
        // all pairs are equally likely: nobody can know which pair it is.
        const std::size_t first_kept = 1 + rounds_.random_bits() % limits_.fewest_pairs;
        while (!enough()) {
            Round round;
            const std::size_t number = sampling_.pairs() + 1;
            const bool keep = number == first_kept || (number > limits_.fewest_pairs &&
                                                       rounds_.random_bits() % number == 0);
            const double began_s = rounds_.now_s();
            outcome = one_round(round, keep);
            if (!accepted(outcome)) return outcome;
            const Pair pair = pair_of(empties_, round);
            own_ = own_.shortest(pair.own);
            if (!std::exchange(warm_, true)) continue;
            if (plan_again(round)) {
                outcome = adopt();
                if (!accepted(outcome)) return outcome;
                continue;
            }
            all_.push_back(round);
            counted_s_ += rounds_.now_s() - began_s;
            if (!pair.dropped(own_))
                sampling_.add(per_call(pair.baseline_us, Rounds::baseline),
                              per_call(pair.submission_us, Rounds::submission));
        }
        if (!rounds_.has_kept())  // too slow for that many pairs
            if (auto status = keep_one(); !status) return status.error();
        return CallOutcome{};
    }

    Result<CallOutcome> time_alone() {
        rounds_.end_submission();
        empties_.end_submission();
        const double ended_s = rounds_.now_s();
        std::vector<Round> alone;
        do {
            Round& round = alone.emplace_back();
            auto outcome = baseline_round(round);
            if (!accepted(outcome)) return outcome;
            // As in pairs, another runner has the GPU first.
            if (auto status = rounds_.answer(); !status) return status.error();
            outcome = empty_round(Rounds::baseline);
            if (!accepted(outcome)) return outcome;
            auto prepared = rounds_.prepare_alone();
            if (!prepared) return prepared.error();
            round.submission.before = *prepared;
        } while (alone.size() < rounds_alone && rounds_.now_s() - ended_s < longest_alone_s);
        for (const Round& round : alone) {
            const double us = empties_.audit_us(Rounds::baseline, round.baseline);
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

    /// Adds the timed case's call as a round of one call, paired with the median round of the
    /// baseline.
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
        const auto moved = static_cast<double>(facts_.moved_per_call) * plan_.of_submission -
                           static_cast<double>(facts_.cache_bytes);  // may stay in caches
        Times times{.pairs = {},
                    .own = own_,
                    .alone = alone_,
                    .baseline_calls = rounds_.calls(Rounds::baseline),
                    .submission_calls = rounds_.calls(Rounds::submission),
                    .floor_us = floor_share * moved / bandwidth,
                    .tiers = run_.tiers};
        for (const Round& round : all_) times.pairs.push_back(pair_of(empties_, round));
        auto out = judge_times(times);
        if (!out || !out->timing) return out;
        out->timing->empty_us = empties_.us(Rounds::submission);
        out->timing->baseline_empty_us = empties_.us(Rounds::baseline);
        out->timing->measured_on = facts_.device;
        return out;
    }

    [[nodiscard]] double per_call(double us, Rounds::Who who) const {
        return us / rounds_.calls(who);
    }

    const Sampling::Limits limits_;
    const TimingRun& run_;
    Rounds& rounds_;
    const Rounds::Facts facts_;
    const double started_s_;
    EmptyRounds empties_;
    Rounds::Plan plan_;
    bool slow_ = false;      ///< a call takes so long that a second one is not needed to warm up
    bool too_slow_ = false;  ///< for all tiers: only the case's call counts
    bool warm_ = false;      ///< the next round counts
    Sampling sampling_{run_.tiers, limits_};  ///< the pairs that counted when they were added
    std::vector<Round> all_;
    double counted_s_ = 0;  ///< time that the rounds in all_ took
    OwnWork own_;           ///< the shortest so far
    Alone alone_;
};

}  // namespace

Result<TimingResult> time_rounds(const TimingRun& run, Rounds& rounds) {
    return Timing(run, rounds).result();
}

}  // namespace cugrade
