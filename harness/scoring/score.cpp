// Turns outcomes into points. docs/grading-policy.md has the rules for people.
//
// Points are kept in hundredths, as reports print them: the parts shown add up to the total shown.

#include "scoring/score.hpp"

#include <algorithm>
#include <cassert>

#include "core/rounding.hpp"

namespace cugrade {
namespace {

Score sum(const Score& a, const Score& b) {
    return {.earned = hundredths(a.earned + b.earned),
            .judged = hundredths(a.judged + b.judged),
            .possible = hundredths(a.possible + b.possible)};
}

bool failed(const CaseOutcome& c) { return is_judged(c.verdict) && c.verdict != Verdict::accepted; }

bool is_right(const std::vector<CaseOutcome>& cases) { return std::ranges::none_of(cases, failed); }

bool is_ours(const TaskReport& task) { return task.verdict == Verdict::harness_error; }

/// Whether the case whose calls are timed gave a wrong result in this run.
bool timed_case_failed(const TaskSpec& spec, const std::vector<CaseOutcome>& cases) {
    return std::ranges::any_of(cases, [&](const CaseOutcome& outcome) {
        const auto facts = std::ranges::find(spec.cases, outcome.id, &CaseSpec::id);
        return facts->timed && failed(outcome);
    });
}

Verdict worst_judged(const std::vector<CaseOutcome>& cases) {
    Verdict out = Verdict::skipped;
    bool seen = false;
    for (const auto& c : cases) {
        if (c.verdict == Verdict::skipped) continue;
        out = seen ? worst(out, c.verdict) : c.verdict;
        seen = true;
    }
    return out;
}

void score_performance(const TaskSpec& spec, const TaskPolicy& policy, const TaskOutcome& outcome,
                       double share, TaskReport& out) {
    out.performance.possible = policy.performance;
    if (policy.performance <= 0) return;
    const bool lost = is_ours(out) || share <= 0 || timed_case_failed(spec, outcome.cases);
    const bool wrong = !is_right(outcome.cases);
    // A wrong task loses these points only where they could have been earned.
    if (!is_ours(out) && (outcome.timing || (wrong && !outcome.untimed)))
        out.performance.judged = policy.performance;
    const bool unreal = outcome.host_work && outcome.timing &&
                        outcome.timing->basis == TimingOutcome::Basis::modelled;
    for (const auto& tier : policy.tiers) {
        if (lost || unreal || !outcome.timing || !reaches(*outcome.timing, tier)) {
            out.next_tier = tier.speedup;
            break;
        }
        out.credit = tier.credit;
    }
    out.performance.earned = hundredths(policy.performance * out.credit * share);
}

/// The counters that the policy limits, in its order.
std::vector<Measure> limited(const std::vector<Counter>& counters,
                             const std::vector<TechniqueLimit>& limits) {
    std::vector<Measure> out;
    for (const TechniqueLimit& limit : limits)
        if (const auto counter = std::ranges::find(counters, limit.metric, &Counter::metric);
            counter != counters.end())
            out.push_back({limit.metric, counter->value, limit.max, counter->location});
    return out;
}

void score_technique(const TaskPolicy& policy, const TaskOutcome& outcome, double share,
                     TaskReport& out) {
    if (policy.technique <= 0) return;
    TechniqueReport& technique = out.technique.emplace();
    technique.score.possible = policy.technique;
    technique.measures = limited(outcome.counters, policy.limits);
    const bool counted = !technique.measures.empty();
    if (!is_ours(out) && (counted || !is_right(outcome.cases)))
        technique.score.judged = policy.technique;
    if (technique.score.judged > 0 && counted && !outcome.host_work) {
        const auto kept = std::ranges::count_if(technique.measures, &Measure::kept);
        technique.score.earned = hundredths(policy.technique * share * static_cast<double>(kept) /
                                            static_cast<double>(technique.measures.size()));
    }
    out.score = sum(out.score, technique.score);
}

}  // namespace

bool reaches(const TimingOutcome& timing, const Tier& tier) {
    return timing.speedup >= tier.speedup ||
           (timing.basis == TimingOutcome::Basis::measured && timing.high >= tier.speedup);
}

std::optional<double> accepted_share(const TaskSpec& spec, const TaskPolicy& policy,
                                     const std::vector<CaseOutcome>& cases) {
    double accepted = 0;
    double counted = 0;
    for (const auto& outcome : cases) {
        const auto facts = std::ranges::find(spec.cases, outcome.id, &CaseSpec::id);
        assert(facts != spec.cases.end());
        if (facts->timed) continue;
        if (!is_judged(outcome.verdict)) continue;
        const double weight = facts->visibility == Visibility::hidden ? policy.hidden_weight : 1;
        counted += weight;
        if (outcome.verdict == Verdict::accepted) accepted += weight;
    }
    if (counted == 0) return std::nullopt;
    return accepted / counted;
}

double credited_share(const TaskSpec& spec, const TaskPolicy& policy,
                      const std::vector<CaseOutcome>& cases) {
    if (is_right(cases)) return 1;
    if (policy.require == Require::all) return 0;
    if (std::ranges::any_of(cases, leaves_the_rest_to_luck, &CaseOutcome::verdict)) return 0;
    return accepted_share(spec, policy, cases).value_or(0);
}

TaskReport score_task(const TaskSpec& spec, const TaskPolicy& policy, TaskOutcome outcome) {
    TaskReport out;
    out.name = spec.name;
    out.title = spec.title;
    out.verdict = worst_judged(outcome.cases);

    out.correctness.possible = policy.correctness;
    if (const auto share = accepted_share(spec, policy, outcome.cases)) {
        out.correctness.judged = policy.correctness;
        out.correctness.earned = hundredths(policy.correctness * *share);
    }
    const double share = credited_share(spec, policy, outcome.cases);
    score_performance(spec, policy, outcome, share, out);
    out.score = sum(out.correctness, out.performance);
    score_technique(policy, outcome, share, out);
    out.outcome = std::move(outcome);
    return out;
}

Score total(const std::vector<TaskReport>& tasks) {
    Score out;
    for (const auto& task : tasks) out = sum(out, task.score);
    return out;
}

}  // namespace cugrade
