#include "timing/judge_times.hpp"

#include <array>

#include "catch.hpp"

using namespace cugrade;

namespace {

/// Eleven rounds of an honest submission that is ten times as fast as the baseline: one call of the
/// baseline and ten of the submission take 5 ms.
Times honest() {
    Times out{.pairs = {},
              .own = {.make_us = 1000, .give_us = 2000},
              .alone = {.baseline_us = 5000,
                        .ready_us = 20,
                        .settle_us = 180,
                        .own = {.make_us = 1000, .give_us = 2000}},
              .baseline_calls = 1,
              .submission_calls = 10,
              .floor_us = 3000,
              .tiers = {{5, 0.5}, {12, 1}}};
    for (int i = 0; i < 11; ++i)
        out.pairs.push_back({.baseline_us = 5000.0 + i,
                             .submission_us = 5000.0 + i,
                             .baseline_claim_us = 4990,
                             .submission_claim_us = 4980,
                             .ready_us = 25,
                             .settle_us = 190,
                             .own = {.make_us = 1010, .give_us = 2010},
                             .baseline_moved = false,
                             .submission_moved = false,
                             .throttled = {}});
    return out;
}

TimingResult judged(const Times& times) {
    auto result = judge_times(times);
    REQUIRE(result.ok());
    return *result;
}

/// What is said of the tampering; empty if it is none.
std::string tampering(const Times& times) {
    const TimingResult result = judged(times);
    if (result.call.verdict != Verdict::tampering) return "";
    CHECK_FALSE(result.timing);
    return result.call.message;
}

bool says(const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("times of honest rounds give the speedup of a call") {
    const TimingResult result = judged(honest());
    CHECK(result.call.verdict == Verdict::accepted);
    REQUIRE(result.timing);
    CHECK(result.timing->basis == TimingOutcome::Basis::measured);
    CHECK(result.timing->speedup == Approx(10));
    CHECK(result.timing->baseline_us == Approx(5005));
    CHECK(result.timing->submission_us == Approx(500.5));
    CHECK(result.timing->baseline_claim_us == Approx(4990));
    CHECK(result.timing->submission_claim_us == Approx(498));
    CHECK(result.timing->samples.size() == 11);
    CHECK(result.timing->calls == 10);
    CHECK(result.timing->baseline_calls == 1);
    CHECK(result.timing->dropped == 0);
    CHECK(result.timing->boundary == 0);
}

TEST_CASE("a boundary within one percent is given and named") {
    Times times = honest();
    times.tiers = {{10.05, 1}};
    CHECK(judged(times).timing->boundary == 10.05);
}

TEST_CASE("a round before which a stopped process seemed to run is dropped") {
    for (bool Pair::*moved : {&Pair::baseline_moved, &Pair::submission_moved}) {
        Times times = honest();
        for (std::size_t i = 0; i < 5; ++i) times.pairs[i].*moved = true;
        const TimingResult result = judged(times);
        CHECK(result.call.verdict == Verdict::accepted);
        REQUIRE(result.timing);
        CHECK(result.timing->samples.size() == 6);
        CHECK(result.timing->dropped == 5);
        CHECK(result.timing->dropped_because == "a stopped process seemed to run");
    }
}

TEST_CASE("a submission that ran while it was stopped in most rounds has tampered") {
    Times times = honest();
    for (std::size_t i = 0; i < 6; ++i) times.pairs[i].submission_moved = true;
    CHECK(says(tampering(times), "although it was stopped, in 6 of 11 rounds"));
}

TEST_CASE(
    "a machine on which the baseline runs while it is stopped is no fault of the submission's") {
    Times times = honest();
    for (std::size_t i = 0; i < 6; ++i)
        times.pairs[i].baseline_moved = times.pairs[i].submission_moved = true;
    const auto result = judge_times(times);
    REQUIRE_FALSE(result.ok());
    CHECK(says(result.error().message, "do not stay so"));
    CHECK_FALSE(result.error().remedy.empty());
}

TEST_CASE("one or two rounds charge nobody") {
    for (const std::size_t rounds : {std::size_t{1}, std::size_t{2}}) {
        Times times = honest();
        times.pairs.resize(rounds);
        for (Pair& pair : times.pairs) pair.submission_moved = true;
        CHECK(says(judged(times).untimed.detail, "because a stopped process seemed to run"));
        for (Pair& pair : times.pairs) pair.submission_moved = false, pair.baseline_moved = true;
        CHECK(says(judged(times).untimed.detail, "because a stopped process seemed to run"));
        times = honest();
        times.pairs.resize(rounds);
        for (Pair& pair : times.pairs) pair.settle_us = pair.ready_us = pair.own.give_us = 5000;
        CHECK(tampering(times).empty());
        // They are not left unjudged either: all of that is in their time.
        CHECK(judged(times).timing->submission_us > 1500);
        // Nor where it is the grader's own work that is slow as long as the submission is there.
        for (Pair& pair : times.pairs) pair.own = times.own = {.make_us = 5000, .give_us = 5000};
        CHECK(tampering(times).empty());
        CHECK(judged(times).timing->submission_us > 1500);
        times = honest();
        times.pairs.resize(rounds);
        for (Pair& pair : times.pairs) pair.submission_claim_us = 1;
        CHECK(tampering(times).empty());
    }
}

TEST_CASE("where offences are too few to be charged the rest is judged") {
    for (const auto& [rounds, offences, dropped] : {std::array{3, 2, 0}, {4, 2, 2}, {5, 2, 2}}) {
        Times times = honest();
        times.pairs.resize(static_cast<std::size_t>(rounds));
        for (int i = 0; i < offences; ++i)
            times.pairs[static_cast<std::size_t>(i)].own.make_us = 5000;
        const TimingResult result = judged(times);
        REQUIRE(result.timing);
        CHECK(result.timing->dropped == dropped);
    }
}

TEST_CASE("offences of several kinds add up") {
    Times times = honest();
    for (std::size_t i = 0; i < 3; ++i) times.pairs[i].submission_moved = true;
    for (std::size_t i = 3; i < 6; ++i) times.pairs[i].settle_us = 5000;
    CHECK(says(tampering(times), "in 6 of 11 rounds the submission did something between"));
    times.pairs[5].settle_us = 190;
    CHECK(tampering(times).empty());
    CHECK(judged(times).timing->dropped == 5);
}

TEST_CASE("the most frequent reason is why rounds do not count") {
    Times times = honest();
    for (std::size_t i = 0; i < 3; ++i) times.pairs[i].throttled = "heat";
    times.pairs[3].baseline_moved = true;
    CHECK(judged(times).timing->dropped_because == "the GPU was held back: heat");
}

TEST_CASE("rounds in which the GPU was held back do not count, and too many are not judged") {
    Times times = honest();
    for (std::size_t i = 0; i < 5; ++i) times.pairs[i].throttled = "heat";
    CHECK(judged(times).timing->dropped_because == "the GPU was held back: heat");
    // Heat that slows the making of inputs, too, is not the submission's work.
    for (Pair& pair : times.pairs) {
        pair.throttled = "heat";
        pair.own.make_us = 5000;
    }
    const TimingResult result = judged(times);
    CHECK(result.call.verdict == Verdict::accepted);
    CHECK_FALSE(result.timing);
    CHECK(result.untimed.why == NotJudged::Why::disturbed);
    CHECK(says(result.untimed.detail, "11 of 11 rounds do not count"));
}

TEST_CASE("work of others is told from work that the submission leaves on the GPU") {
    Times times = honest();
    for (std::size_t i = 0; i < 6; ++i) times.pairs[i].own.make_us = 3000;
    CHECK(says(tampering(times), "leaves work running on the GPU between its calls: in 6 of 11"));
    // It goes on after the submission's end.
    times.alone.own.make_us = 3000;
    const TimingResult result = judged(times);
    CHECK(result.call.verdict == Verdict::accepted);
    CHECK(says(result.untimed.detail,
               "6 of 11 rounds do not count, because something else ran on the GPU"));
}

TEST_CASE("a claim far below the grader's clock is tampering, and one a bit below is not") {
    Times times = honest();
    for (Pair& pair : times.pairs) pair.submission_claim_us = 3400;
    CHECK(tampering(times).empty());
    for (Pair& pair : times.pairs) pair.submission_claim_us = 3200;
    CHECK(
        says(tampering(times), "says that a round of calls took 3200.0 us; by the grader's clock"));
    // As an exception it is a hiccup.
    times = honest();
    for (std::size_t i = 0; i < 5; ++i) times.pairs[i].submission_claim_us = 1;
    CHECK(tampering(times).empty());
}

TEST_CASE("a time in which the data cannot be moved is tampering") {
    Times times = honest();
    times.floor_us = 5100;
    CHECK(says(tampering(times), "needs at least 5100.0 us to move the data"));
}

TEST_CASE("kernels that go on after the answer are tampering, by what the baseline alone waits") {
    Times times = honest();
    for (Pair& pair : times.pairs) pair.settle_us = 550;
    CHECK(tampering(times).empty());
    for (Pair& pair : times.pairs) pair.settle_us = 570;
    CHECK(says(tampering(times), "still running"));
}

TEST_CASE("nothing is gained by slowing the baseline down") {
    Times times = honest();
    for (Pair& pair : times.pairs) pair.baseline_us *= 2;
    const TimingResult result = judged(times);
    CHECK(result.call.verdict == Verdict::accepted);
    REQUIRE(result.timing);
    CHECK(result.timing->baseline_us == Approx(10010));  // as it was
    CHECK(result.timing->baseline_alone_us == Approx(5000));
    CHECK(result.timing->speedup == Approx(1.02 * 5000 / 500.5).epsilon(0.001));
    // As much as 2 % may be chance.
    for (Pair& pair : times.pairs) pair.baseline_us = 5090;
    CHECK(judged(times).timing->speedup == Approx(5090 / 500.5).epsilon(0.001));
    // In few rounds, either: a tier is given for the upper end of the interval.
    times = honest();
    for (std::size_t i = 0; i < 4; ++i) times.pairs[i].baseline_us *= 2;
    CHECK(judged(times).timing->high < 1.04 * 10);
}

TEST_CASE("nothing is gained by beginning early or answering early") {
    constexpr double free_us = 30;
    Times times = honest();
    for (Pair& pair : times.pairs)
        pair = {.baseline_us = 5005,
                .submission_us = 5005,
                .submission_claim_us = 5000,
                .ready_us = times.alone.ready_us,
                .settle_us = times.alone.settle_us,
                .own = times.alone.own};
    const auto submission_us = [&](double give_us, double ready_us, double settle_us) {
        Times some = times;
        for (Pair& pair : some.pairs) {
            pair.own.give_us = 1.01 * pair.own.give_us + give_us;
            pair.ready_us += ready_us;
            pair.settle_us += settle_us;
            pair.submission_us -= std::max(0.0, give_us + ready_us + settle_us - free_us);
        }
        return judged(some).timing->submission_us;
    };
    CHECK(submission_us(350, 0, 0) == Approx(500.5));
    CHECK(submission_us(0, 150, 0) == Approx(500.5));
    CHECK(submission_us(0, 0, 350) == Approx(500.5));
    CHECK(submission_us(100, 100, 100) == Approx(500.5));
    CHECK(submission_us(10, 10, 10) == Approx(500.5));  // may be chance
}

TEST_CASE("kernels that run before the calls are tampering, by what is waited without them") {
    Times times = honest();
    for (Pair& pair : times.pairs) pair.ready_us = 240;
    CHECK(tampering(times).empty());
    for (Pair& pair : times.pairs) pair.ready_us = 250;
    CHECK(says(tampering(times), "running before its calls began: the GPU was free 250 us after"));
    for (std::size_t i = 0; i < 6; ++i) times.pairs[i].ready_us = 25;
    CHECK(judged(times).timing->dropped == 5);
    CHECK(judged(times).timing->dropped_because == "kernels were running before the calls");
}

TEST_CASE("work while inputs are given is told from work of others, too") {
    Times times = honest();
    for (std::size_t i = 0; i < 6; ++i) times.pairs[i].own.give_us = 3500;
    CHECK(says(tampering(times), "leaves work running on the GPU between its calls: in 6 of 11"));
    times.alone.own.give_us = 3500;
    CHECK(says(judged(times).untimed.detail, "because something else ran on the GPU"));
}
