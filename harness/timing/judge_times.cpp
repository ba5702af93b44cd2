#include "timing/judge_times.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "timing/sampling.hpp"

namespace cugrade {
namespace {

/// A claim is compatible with an audit if it is at least this share of it, less the time to wake a
/// process. Points depend on the audit alone, so this only has to be beyond honest programs: of
/// rounds of 5 ms their claims were 0.96 of the audits and more.
constexpr double claim_share = 0.7;
constexpr double claim_slack_us = 200;
/// If the grader's own work takes longer than this, others are using the GPU.
constexpr double disturbed_share = 1.5;
constexpr double disturbed_slack_us = 100;
/// A small kernel has waited too long after twice its wait without the submission, plus this.
constexpr double wait_slack_us = 200;
/// Two allowances against the time without the submission: the share by which giving the inputs may
/// take longer, and the sum of that excess and the small kernel's longer wait. Any more is added to
/// the time of the calls. Of honest work these were 0.5 % and 17 us at most, as medians of a
/// grading.
constexpr double free_give_share = 0.01;
constexpr double free_outside_us = 30;

TimingResult tampering(std::string message) {
    CallOutcome out;
    out.verdict = Verdict::tampering;
    out.message = std::move(message);
    return ended_by(std::move(out));
}

bool most(std::size_t offences, std::size_t rounds) {
    return offences >= fewest_offences && 2 * offences > rounds;
}

template <class F>
std::size_t count(const std::vector<Pair>& pairs, F&& is) {
    return static_cast<std::size_t>(std::ranges::count_if(pairs, is));
}

/// What the submission does between its calls, round by round.
class BetweenCalls {
public:
    explicit BetweenCalls(const Alone& alone) : alone_(alone) {}

    [[nodiscard]] static bool moved(const Pair& pair) {
        return pair.submission_moved && !pair.baseline_moved;
    }
    [[nodiscard]] bool begins_early(const Pair& pair) const {
        return too_long(pair.ready_us, alone_.ready_us);
    }
    [[nodiscard]] bool runs_on(const Pair& pair) const {
        return too_long(pair.settle_us, alone_.settle_us);
    }
    [[nodiscard]] bool disturbs(const Pair& pair) const {
        return !pair.throttled && pair.disturbed(alone_.own);
    }

    /// What it does in most rounds, or nothing.
    [[nodiscard]] std::optional<std::string> offence(const std::vector<Pair>& pairs) const {
        const std::size_t all = pairs.size(), moves = count(pairs, moved);
        if (most(moves, all))
            return fmt::format(
                "a process of the submission ran although it was stopped, in {} of {} rounds",
                moves, all);
        if (most(count(pairs, [this](auto& pair) { return begins_early(pair); }), all))
            return fmt::format(
                "kernels of the submission were running before its calls began: the GPU was free "
                "{:.0f} us after it had been given its inputs, where it takes {:.0f} us after the "
                "submission's end",
                median_of(pairs, &Pair::ready_us), alone_.ready_us);
        if (most(count(pairs, [this](auto& pair) { return runs_on(pair); }), all))
            return fmt::format(
                "kernels of the submission were still running when its calls were reported done: "
                "the GPU was free {:.0f} us after that, where it takes the baseline {:.0f} us",
                median_of(pairs, &Pair::settle_us), alone_.settle_us);
        const std::size_t disturbed = count(pairs, [this](auto& pair) { return disturbs(pair); });
        if (most(disturbed, all))
            return fmt::format(
                "the submission leaves work running on the GPU between its calls: in {} of {} "
                "rounds the grader's own work took over {:g} times as long as after the "
                "submission's end",
                disturbed, all, disturbed_share);
        const std::size_t any = count(pairs, [this](auto& pair) {
            return moved(pair) || begins_early(pair) || runs_on(pair) || disturbs(pair);
        });
        if (most(any, all))
            return fmt::format(
                "in {} of {} rounds the submission did something between its calls: its processes "
                "ran although they were stopped, or its kernels went on",
                any, all);
        return std::nullopt;
    }

private:
    static bool too_long(double us, double usual_us) { return us > 2 * usual_us + wait_slack_us; }

    const Alone& alone_;
};

/// The charge that the counted rounds support against the submission, or nothing.
std::optional<std::string> impossible(const std::vector<Pair>& kept, const Times& times) {
    const double audit = median_of(kept, &Pair::submission_us);
    const double claim = median_of(kept, &Pair::submission_claim_us);
    if (kept.size() >= fewest_offences && claim < claim_share * audit - claim_slack_us)
        return fmt::format(
            "the submission's process says that a round of calls took {:.1f} us; by the grader's "
            "clock it took {:.1f} us",
            claim, audit);
    if (audit < times.floor_us)
        return fmt::format(
            "a round of calls took {:.1f} us, but this GPU needs at least {:.1f} us to move the "
            "data",
            audit, times.floor_us);
    return std::nullopt;
}

/// Adds the submission's work before and after its calls to their time, so that beginning or
/// answering early gains nothing.
double outside_us(const Pair& pair, const Alone& alone) {
    const auto longer = [](double us, double usual_us) { return std::max(0.0, us - usual_us); };
    return longer(longer(pair.own.give_us, (1 + free_give_share) * alone.own.give_us) +
                      longer(pair.ready_us, alone.ready_us) +
                      longer(pair.settle_us, alone.settle_us),
                  free_outside_us);
}

TimingOutcome outcome_of(const std::vector<Pair>& kept, const Times& times) {
    TimingOutcome out{.basis = TimingOutcome::Basis::measured};
    out.baseline_alone_us = times.alone.baseline_us / times.baseline_calls;
    Sampling sampling(times.tiers, {});
    for (const Pair& pair : kept) {
        const double outside = outside_us(pair, times.alone);
        const TimingSample& sample = out.samples.emplace_back(
            TimingSample{.baseline_us = pair.baseline_us / times.baseline_calls,
                         .submission_us = (pair.submission_us + outside) / times.submission_calls,
                         .baseline_claim_us = pair.baseline_claim_us / times.baseline_calls,
                         .submission_claim_us = pair.submission_claim_us / times.submission_calls,
                         .outside_us = outside / times.submission_calls});
        // Ensures that a submission gains nothing by slowing the baseline down.
        sampling.add(std::min(sample.baseline_us, out.baseline_share * out.baseline_alone_us),
                     sample.submission_us);
    }
    out.baseline_us = median_of(out.samples, &TimingSample::baseline_us);
    out.submission_us = median_of(out.samples, &TimingSample::submission_us);
    out.baseline_claim_us = median_of(out.samples, &TimingSample::baseline_claim_us);
    out.submission_claim_us = median_of(out.samples, &TimingSample::submission_claim_us);
    out.outside_us = median_of(out.samples, &TimingSample::outside_us);
    const MedianInterval speedup = sampling.interval();
    out.speedup = speedup.median;
    out.low = speedup.low;
    out.high = speedup.high;
    out.boundary = sampling.boundary().value_or(0);
    out.calls = static_cast<int>(times.submission_calls);
    out.baseline_calls = static_cast<int>(times.baseline_calls);
    return out;
}

}  // namespace

OwnWork OwnWork::shortest(const OwnWork& other) const {
    return {.make_us = std::min(make_us, other.make_us),
            .give_us = std::min(give_us, other.give_us)};
}

bool Pair::disturbed(const OwnWork& clean) const {
    const auto longer = [](double us, double clean_us) {
        return us > disturbed_share * clean_us + disturbed_slack_us;
    };
    return longer(own.make_us, clean.make_us) || longer(own.give_us, clean.give_us);
}

std::optional<std::string> Pair::dropped(const OwnWork& clean) const {
    if (throttled) return "the GPU was held back: " + *throttled;
    if (baseline_moved || submission_moved) return "a stopped process seemed to run";
    if (disturbed(clean)) return "something else ran on the GPU";
    return std::nullopt;
}

TimingResult not_judged(NotJudged why) {
    return {.timing = {}, .call = {}, .untimed = std::move(why), .kept = {}};
}

TimingResult ended_by(CallOutcome outcome) {
    return {.timing = {}, .call = std::move(outcome), .untimed = {}, .kept = {}};
}

Result<TimingResult> judge_times(const Times& times) {
    const std::size_t all = times.pairs.size();
    OwnWork clean = times.own.shortest(times.alone.own);
    // The baseline does not wake itself. If it seems to run while stopped, the same sign proves
    // nothing against the submission.
    if (most(count(times.pairs, &Pair::baseline_moved), all))
        return Error{.message = "processes that are stopped do not stay so on this machine",
                     .remedy =
                         "see whether something else continues them, or whether /proc tells the "
                         "states of threads"};
    const BetweenCalls between(times.alone);
    if (auto offence = between.offence(times.pairs)) return tampering(std::move(*offence));
    // Where each call is so slow that there are few rounds, none can be spared for work that may be
    // the submission's: it would be left unjudged for fewer offences than it is charged for. What
    // it waited is added to its time, and the baseline counts by what it takes alone.
    const bool spare = all >= 2 * (fewest_offences - 1);
    if (!spare) clean = {};
    std::vector<Pair> kept;
    std::map<std::string, std::size_t> reasons;
    for (const Pair& pair : times.pairs) {
        if (const auto reason = pair.dropped(clean))
            ++reasons[*reason];
        else if (spare && between.begins_early(pair))
            ++reasons["kernels were running before the calls"];
        else if (spare && between.runs_on(pair))
            ++reasons["kernels were still running after the calls"];
        else
            kept.push_back(pair);
    }
    std::string because;
    for (const auto& [reason, rounds] : reasons)
        if (because.empty() || rounds > reasons[because]) because = reason;
    if (2 * kept.size() < all || kept.empty())
        return not_judged({.why = NotJudged::Why::disturbed,
                           .detail = fmt::format("{} of {} rounds do not count, because {}",
                                                 all - kept.size(), all, because)});
    if (auto why = impossible(kept, times)) return tampering(std::move(*why));
    TimingResult out;
    out.timing = outcome_of(kept, times);
    out.timing->dropped = static_cast<int>(all - kept.size());
    out.timing->dropped_because = because;
    return out;
}

}  // namespace cugrade
