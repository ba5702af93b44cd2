#include "timing/empty_rounds.hpp"

#include "catch.hpp"

using namespace cugrade;

namespace {

constexpr auto baseline = Rounds::baseline, submission = Rounds::submission;

Rounds::Timed took(double wall_us) {
    Rounds::Timed out;
    out.wall_us = wall_us;
    return out;
}

void add(EmptyRounds& empties, Rounds::Who who, std::initializer_list<double> all_us) {
    for (const double us : all_us) CHECK(empties.add(who, us / 1e6).verdict == Verdict::accepted);
}

}  // namespace

TEST_CASE("empty rounds: the median is taken off an audit, the shortest off what it took at most") {
    EmptyRounds empties;
    add(empties, baseline, {200, 260, 240});
    add(empties, submission, {210, 270, 250});
    CHECK(empties.us(baseline) == Approx(240));
    CHECK(empties.us(submission) == Approx(250));
    CHECK(empties.audit_us(submission, took(5250)) == Approx(5000));
    CHECK(empties.most_us(submission, took(5210)) == Approx(5000));
    CHECK(empties.audit_us(submission, took(100)) == Approx(0.001));  // never nothing
    CHECK(empties.most_us(submission, took(100)) == Approx(0.001));
    empties.clear();
    add(empties, baseline, {300});
    add(empties, submission, {310});
    CHECK(empties.us(submission) == Approx(310));
}

TEST_CASE("empty rounds: the submission's count as the baseline's and 50 us at most") {
    EmptyRounds empties;
    add(empties, baseline, {200, 220, 240});
    add(empties, submission, {400, 500, 600});
    CHECK(empties.us(submission) == Approx(270));
    CHECK(empties.most_us(submission, took(5250)) == Approx(5000));
    // The baseline is not limited by anyone while the submission is there.
    add(empties, baseline, {900, 900, 900, 900});
    CHECK(empties.us(baseline) == Approx(900));
}

TEST_CASE("empty rounds: what the baseline's take alone limits both") {
    EmptyRounds empties;
    add(empties, baseline, {500, 500, 500});  // slowed down by the submission
    add(empties, submission, {510, 510, 510});
    empties.end_submission();
    add(empties, baseline, {200, 210, 220});
    CHECK(empties.us(submission) == Approx(260));
    CHECK(empties.us(baseline) == Approx(260));
}

TEST_CASE("empty rounds: five that take over 0.1 s, of which the baseline has not half as many") {
    EmptyRounds empties;
    for (int i = 0; i < 4; ++i) CHECK(empties.add(submission, 0.11).verdict == Verdict::accepted);
    CHECK(empties.slow_s() == Approx(0.44));
    CHECK(empties.add(submission, 0.09).verdict == Verdict::accepted);
    CHECK(empties.slow_s() == Approx(0.44));
    empties.clear();  // who was slow is not forgotten
    const CallOutcome ended = empties.add(submission, 0.11);
    CHECK(ended.verdict == Verdict::time_limit);
    CHECK(ended.message ==
          "5 times the submission's process took over 0.1 s to answer although "
          "none of its functions was called");

    EmptyRounds on_slow_machine;
    for (int i = 0; i < 3; ++i) add(on_slow_machine, baseline, {110'000});
    for (int i = 0; i < 6; ++i) add(on_slow_machine, submission, {110'000});
    CHECK(on_slow_machine.add(submission, 0.11).verdict == Verdict::time_limit);
}
