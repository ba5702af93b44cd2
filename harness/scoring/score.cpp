// How outcomes become points: docs/grading-policy.md says it for people, this for the machine.
//
// Points are kept in hundredths, as reports print them: the parts shown add up to the total shown.

#include "scoring/score.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace cugrade {
namespace {

double hundredths(double points) { return std::round(points * 100) / 100; }

Score sum(const Score& a, const Score& b) {
    return {.earned = hundredths(a.earned + b.earned),
            .judged = hundredths(a.judged + b.judged),
            .possible = hundredths(a.possible + b.possible)};
}

bool failed(const CaseOutcome& c) { return is_judged(c.verdict) && c.verdict != Verdict::accepted; }

/// Share of the weight of the cases that were accepted, of those that count; nothing if none was
/// judged. The timed case belongs to the performance and has no weight here.
std::optional<double> accepted_share(const TaskSpec& spec, const TaskPolicy& policy,
                                     const std::vector<CaseOutcome>& cases) {
    const bool any_failed = std::ranges::any_of(cases, failed);
    bool any_judged = false;
    double accepted = 0;
    double counted = 0;
    for (const auto& outcome : cases) {
        const auto facts = std::ranges::find(spec.cases, outcome.id, &CaseSpec::id);
        assert(facts != spec.cases.end());
        if (facts->timed) continue;
        const bool judged = is_judged(outcome.verdict);
        // Skipped after a failure, as when a kernel hangs: it counts, or hanging would pay.
        const bool given_up =
            any_failed && outcome.verdict == Verdict::skipped && !facts->needs_gpu;
        if (!judged && !given_up) continue;
        const double weight = facts->visibility == Visibility::hidden ? policy.hidden_weight : 1;
        any_judged |= judged;
        counted += weight;
        if (outcome.verdict == Verdict::accepted) accepted += weight;
    }
    if (!any_judged) return std::nullopt;
    return accepted / counted;
}

}  // namespace

TaskReport score_task(const TaskSpec& spec, const TaskPolicy& policy, TaskOutcome outcome) {
    TaskReport out;
    out.name = spec.name;
    out.title = spec.title;

    bool seen = false;
    for (const auto& c : outcome.cases) {
        if (c.verdict == Verdict::skipped) continue;
        out.verdict = seen ? worst(out.verdict, c.verdict) : c.verdict;
        seen = true;
    }

    out.correctness.possible = policy.correctness;
    if (const auto share = accepted_share(spec, policy, outcome.cases)) {
        out.correctness.judged = policy.correctness;
        out.correctness.earned = hundredths(policy.correctness * *share);
    }

    out.performance.possible = policy.performance;
    if (policy.performance > 0) {
        const bool right = out.verdict == Verdict::accepted;
        const bool wrong = std::ranges::any_of(outcome.cases, failed);
        const bool ours = out.verdict == Verdict::harness_error;
        // A wrong task loses these points only where they could have been earned: the pipeline
        // leaves a note where no speedup is measured in this run.
        if (!ours && ((right && outcome.timing) ||
                      (wrong && (outcome.timing || outcome.timing_note.empty()))))
            out.performance.judged = policy.performance;
        // A boundary that the interval of a measured speedup does not decide goes to the student.
        const auto reaches = [&](const Tier& tier) {
            const auto& timing = outcome.timing;
            return right && timing &&
                   (timing->speedup >= tier.speedup ||
                    (timing->basis == TimingOutcome::Basis::measured &&
                     timing->high >= tier.speedup));
        };
        for (const auto& tier : policy.tiers) {
            if (reaches(tier)) {
                out.credit = tier.credit;
            } else {
                out.next_tier = tier.speedup;
                break;
            }
        }
        out.performance.earned = hundredths(policy.performance * out.credit);
    }

    out.score = sum(out.correctness, out.performance);
    if (policy.technique > 0) {
        TechniqueReport& technique = out.technique.emplace();
        technique.score.possible = policy.technique;
        const bool right = out.verdict == Verdict::accepted && !outcome.technique.empty();
        const bool wrong =
            out.verdict != Verdict::harness_error && std::ranges::any_of(outcome.cases, failed);
        if (right || wrong) technique.score.judged = policy.technique;
        if (right) {
            const auto kept = std::ranges::count_if(outcome.technique, &Measure::kept);
            technique.score.earned = hundredths(policy.technique * static_cast<double>(kept) /
                                                static_cast<double>(outcome.technique.size()));
        }
        technique.measures = std::move(outcome.technique);
        outcome.technique.clear();
        out.score = sum(out.score, technique.score);
    }
    out.outcome = std::move(outcome);
    return out;
}

Score total(const std::vector<TaskReport>& tasks) {
    Score out;
    for (const auto& task : tasks) out = sum(out, task.score);
    return out;
}

}  // namespace cugrade
