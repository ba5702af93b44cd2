#include "timing/empty_rounds.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "timing/sampling.hpp"

namespace cugrade {
namespace {

/// Allowed excess of an empty round over the baseline's after the submission's end (or, until that
/// is known, over the baseline's in the pairs): 1 % of a round with calls.
constexpr double empty_slack_us = 50;
/// An empty round takes a quarter of a millisecond. A submission that is slower this often, and
/// twice as often as the baseline, is slow on its own account.
constexpr double longest_empty_s = 0.1;
constexpr int most_slow_empties = 5;

}  // namespace

void EmptyRounds::clear() {
    for (Runner& runner : runners_) runner.us.clear();
}

CallOutcome EmptyRounds::add(Rounds::Who who, double wall_s) {
    Runner& runner = runners_[who];
    if (wall_s > longest_empty_s) {
        slow_s_ += wall_s;
        ++runner.slow;
        const int mine = runners_[Rounds::submission].slow;
        if (mine >= most_slow_empties && mine > 2 * runners_[Rounds::baseline].slow)
            return {.verdict = Verdict::time_limit,
                    .message = fmt::format("{} times the submission's process took over {:g} s to "
                                           "answer although none of its functions was called",
                                           mine, longest_empty_s),
                    .location = {}};
    }
    (alone_ ? alone_us_ : runner.us).push_back(1e6 * wall_s);
    return {};
}

/// `what`: of the times of rounds without a call.
template <class F>
double EmptyRounds::limited(Rounds::Who who, F&& what) const {
    const double own = what(runners_[who].us);
    if (who != Rounds::submission) return own;
    return std::min(own, what(runners_[Rounds::baseline].us) + empty_slack_us);
}

double EmptyRounds::us(Rounds::Who who) const {
    if (alone_us_.empty()) return limited(who, median);
    return std::min(median(runners_[who].us), median(alone_us_) + empty_slack_us);
}

double EmptyRounds::audit_us(Rounds::Who who, const Rounds::Timed& timed) const {
    return std::max(timed.wall_us - us(who), 0.001);
}

double EmptyRounds::most_us(Rounds::Who who, const Rounds::Timed& timed) const {
    return std::max(timed.wall_us - limited(who, std::ranges::min), 0.001);
}

}  // namespace cugrade
