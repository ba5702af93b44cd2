// Rounds without a call measure the cost of a request, which is not part of the calls' time.
//
// A submission gains little by slowing them down with work left on the GPU or with late answers:
// its empty rounds count at most as the baseline's plus the difference of two honest processes. A
// submission whose process is slow to answer again and again is ended.
#pragma once

#include <vector>

#include "backend/session.hpp"
#include "timing/rounds.hpp"

namespace cugrade {

class EmptyRounds {
public:
    /// Forgets times, but keeps the counts of slow rounds.
    void clear();
    /// Other than accepted: the submission has been slow too often.
    [[nodiscard]] CallOutcome add(Rounds::Who, double wall_s);
    /// From now on only rounds of the baseline are added, with nothing else on the GPU.
    void end_submission() { alone_ = true; }

    /// The time of an empty round: the median of the rounds so far.
    [[nodiscard]] double us(Rounds::Who) const;
    /// The calls' time by the grader's clock: the round less the median empty round.
    [[nodiscard]] double audit_us(Rounds::Who, const Rounds::Timed&) const;
    /// An upper bound of the calls' time: the round less the shortest empty round. With few empty
    /// rounds, other work on the machine may have held up half of them.
    [[nodiscard]] double most_us(Rounds::Who, const Rounds::Timed&) const;
    /// Seconds that slow rounds have taken altogether.
    [[nodiscard]] double slow_s() const { return slow_s_; }

private:
    struct Runner {
        std::vector<double> us;
        int slow = 0;
    };
    template <class F>
    double limited(Rounds::Who who, F&& what) const;

    Runner runners_[3];
    bool alone_ = false;
    std::vector<double> alone_us_;
    double slow_s_ = 0;
};

}  // namespace cugrade
