// The rules of docs/engineering/timing.md about how many rounds there are, on a GPU that is not
// there.
#include "timing/time_rounds.hpp"

#include <algorithm>
#include <limits>

#include "catch.hpp"
#include "timing/empty_rounds.hpp"
#include "timing/fake_rounds.hpp"

using namespace cugrade;

namespace {

/// A pair of the default machine takes some 70 ms: the time beside the GPU is what fills a second
/// with few pairs.
FakeRounds::Machine machine() {
    FakeRounds::Machine out;
    out.other_s = 0.05;
    return out;
}

TimingRun run_of(std::vector<Tier> tiers = {{5, 0.5}, {20, 1}}) {
    TimingRun run;
    run.case_us = 150;
    run.case_claim_us = 140;
    run.reference.emplace();  // there is a solution
    run.tiers = std::move(tiers);
    return run;
}

struct Ran {
    FakeRounds rounds;
    TimingResult result;
    [[nodiscard]] const TimingOutcome& timing() const {
        INFO(result.call.message << result.untimed.detail);
        REQUIRE(result.timing);
        return *result.timing;
    }
    [[nodiscard]] std::size_t times_of(const std::string& what) const {
        return static_cast<std::size_t>(std::ranges::count(rounds.log, what));
    }
};

Ran timed(FakeRounds::Machine with, const TimingRun& run = run_of()) {
    Ran out{FakeRounds(std::move(with)), {}};
    auto result = time_rounds(run, out.rounds);
    REQUIRE(result.ok());
    out.result = std::move(*result);
    return out;
}

bool says(const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

/// `share` more in every second round.
std::function<double(int)> varying(double us, double share) {
    return [=](int round) { return round % 2 == 0 ? us : us * (1 + share); };
}

/// A call takes this long from the round after the first of the plan on.
std::function<double(int)> later(double first_us, double later_us) {
    return [=](int round) { return round == 0 ? first_us : later_us; };
}

}  // namespace

TEST_CASE("time_rounds: quiet rounds are sampled for a second, at least ten pairs") {
    const Ran quick = timed(machine());
    CHECK(quick.timing().speedup == Approx(10));
    CHECK(quick.timing().baseline_us == Approx(1000));
    CHECK(quick.timing().submission_us == Approx(100));
    CHECK(quick.timing().samples.size() > 10);
    CHECK(quick.rounds.sampled_s() >= 1);
    CHECK(quick.rounds.sampled_s() < 1.2);
    CHECK(quick.timing().measured_on == "a GPU that is not there");

    FakeRounds::Machine slow = machine();
    slow.other_s = 0.15;  // of which a second holds six
    const Ran few = timed(slow);
    CHECK(few.timing().samples.size() == 10);
    CHECK(few.rounds.sampled_s() > 1.5);
}

TEST_CASE("time_rounds: a round is as many calls as take 5 ms, on as many sets") {
    const Ran ran = timed(machine());
    REQUIRE(ran.rounds.plans.size() == 1);
    CHECK(ran.rounds.plans[0].of_submission == 50);
    CHECK(ran.rounds.plans[0].of_baseline == 5);
    CHECK(ran.rounds.plans[0].sets == 50);
    CHECK(ran.timing().calls == 50);
    CHECK(ran.timing().baseline_calls == 5);

    FakeRounds::Machine cache = machine();
    cache.gpu.cache_bytes = 64 << 20;  // twice that in sets of 2 MiB
    CHECK(timed(cache).rounds.plans[0].of_submission == 64);

    FakeRounds::Machine fast = machine();
    fast.submission_us = [](int) { return 2.0; };
    fast.baseline_us = 20;
    CHECK(timed(fast).rounds.plans[0].of_submission == 256);

    FakeRounds::Machine small = machine();
    small.gpu.room = 7 * small.gpu.bytes_per_set;
    CHECK(timed(small).rounds.plans[0].of_submission == 7);

    FakeRounds::Machine none = machine();
    none.gpu.room = none.gpu.bytes_per_set - 1;
    const Ran untimed = timed(none);
    CHECK_FALSE(untimed.result.timing);
    CHECK(untimed.result.untimed.why == NotJudged::Why::too_little_memory);
    CHECK(untimed.result.call.verdict == Verdict::accepted);
}

TEST_CASE("time_rounds: where a call is slow there are at least two sets, or one call alone") {
    FakeRounds::Machine slow = machine();
    slow.baseline_us = 400'000;
    slow.submission_us = [](int) { return 40'000.0; };
    CHECK(timed(slow).rounds.plans[0].of_submission == 2);
    slow.baseline_us = 600'000;
    slow.submission_us = [](int) { return 300'000.0; };
    CHECK(timed(slow).rounds.plans[0].of_submission == 1);
}

TEST_CASE("time_rounds: a baseline that makes the answers limits the sets to half a second") {
    FakeRounds::Machine slow = machine();
    slow.baseline_us = 100'000;
    slow.submission_us = [](int) { return 100.0; };
    TimingRun run = run_of();
    CHECK(timed(slow, run).rounds.plans[0].sets == 50);
    run.reference.reset();
    CHECK(timed(slow, run).rounds.plans[0].sets == 5);
}

TEST_CASE("time_rounds: outputs that are judged on the CPU limit the calls to 1 GiB, or eight") {
    FakeRounds::Machine free_order = machine();
    free_order.gpu.has_reference = false;
    free_order.gpu.bytes_per_call = 64 << 20;
    const Ran ran = timed(free_order);
    CHECK(ran.rounds.plans[0].of_submission == 16);
    CHECK(ran.rounds.kept.empty());
    CHECK(std::ranges::count(ran.rounds.emptied, Rounds::reference) == 0);
    CHECK(std::ranges::count(timed(machine()).rounds.emptied, Rounds::reference) > 0);
    free_order.gpu.bytes_per_call = 512 << 20;
    CHECK(timed(free_order).rounds.plans[0].of_submission == 8);
}

TEST_CASE("time_rounds: each pair is on new data, answered first, in either order") {
    const Ran ran = timed(machine());
    const auto& log = ran.rounds.log;
    bool baseline_first = false, submission_first = false;
    for (std::size_t i = 0; i + 2 < log.size(); ++i) {
        if (log[i] != "make") continue;
        CHECK(log[i + 1] == "answer");
        baseline_first |= log[i + 2] == "baseline";
        submission_first |= log[i + 2] == "submission";
    }
    CHECK(baseline_first);
    CHECK(submission_first);
    CHECK(log.front() == "begin");
    CHECK(std::ranges::find(log, "stop") < std::ranges::find(log, "make"));
}

TEST_CASE("time_rounds: the probe and the first round after it warm up") {
    FakeRounds::Machine cold = machine();
    cold.submission_us = later(900, 100);
    const Ran ran = timed(cold);
    CHECK(ran.timing().speedup == Approx(10));
    for (const TimingSample& sample : ran.timing().samples)
        CHECK(sample.submission_us == Approx(100));
}

TEST_CASE("time_rounds: one-off work before the rounds leaves three of them at least") {
    FakeRounds::Machine once = machine();
    once.one_off_s = 3;
    const Ran ran = timed(once);
    CHECK(ran.rounds.sampled_s() > 3);
    CHECK(ran.timing().samples.size() == 3);
    CHECK(ran.timing().speedup == Approx(10));
}

TEST_CASE("time_rounds: of slow calls there are three rounds, or as many as take a second") {
    FakeRounds::Machine slow = machine();
    slow.baseline_us = 900'000;
    slow.submission_us = [](int) { return 800'000.0; };
    const Ran ran = timed(slow);  // 3 s are over with the probe and the baseline's round
    CHECK(ran.timing().samples.size() == 1);
    CHECK(ran.timing().calls == 1);
    slow.baseline_us = 300'000;
    slow.submission_us = [](int) { return 260'000.0; };
    const Ran more = timed(slow);
    CHECK(more.timing().samples.size() >= 3);
    CHECK(more.timing().samples.size() < 10);
}

TEST_CASE("time_rounds: sampling goes on until the samples agree on a tier, or for 3 s") {
    FakeRounds::Machine noisy = machine();
    noisy.submission_us = varying(100, 0.03);
    const auto sampled_s = [&](double tier) {
        return timed(noisy, run_of({{tier, 1}})).rounds.sampled_s();
    };
    // 10 and 9.71: the interval is wider than 1 %.
    const double disagreeing = sampled_s(9.9);
    CHECK(disagreeing >= 3);
    CHECK(disagreeing < 3.2);
    const double clear = sampled_s(20);
    CHECK(clear >= 2);
    CHECK(clear < 2.2);
    noisy.submission_us = varying(100, 0.001);
    CHECK(sampled_s(9.9) < 1.2);
}

TEST_CASE("time_rounds: a round that gets too short has twice as many calls") {
    // It sleeps for 5 ms in each of the probe's two calls.
    FakeRounds::Machine sleeps = machine();
    int asked = 0;
    sleeps.submission_us = [&asked](int) { return asked++ < 2 ? 5000.0 : 100.0; };
    const Ran ran = timed(sleeps);
    REQUIRE(ran.rounds.plans.size() == 2);
    CHECK(ran.rounds.plans[0].of_submission == 2);
    CHECK(ran.rounds.plans[1].of_submission == 50);
    CHECK(ran.timing().speedup == Approx(10));
    CHECK(ran.timing().calls == 50);
}

TEST_CASE("time_rounds: the probe's second round tells how many calls there are") {
    FakeRounds::Machine loads = machine();
    int asked = 0;
    loads.submission_us = [&asked](int) { return asked++ < 1 ? 5000.0 : 100.0; };
    const Ran ran = timed(loads);
    REQUIRE(ran.rounds.plans.size() == 1);
    CHECK(ran.rounds.plans[0].of_submission == 50);
}

TEST_CASE("time_rounds: with another number of calls all begins again") {
    FakeRounds::Machine wakes_up = machine();
    wakes_up.other_s = 0.4;
    int asked = 0;  // the probe, the warm-up, four rounds: 2.8 s
    wakes_up.submission_us = [&asked](int) { return asked++ < 7 ? 100.0 : 20.0; };
    const Ran ran = timed(wakes_up);
    REQUIRE(ran.rounds.plans.size() == 2);
    CHECK(ran.timing().calls == 250);
    CHECK(ran.timing().samples.size() == 3);
    CHECK(ran.timing().speedup == Approx(50));
    CHECK(ran.rounds.sampled_s() < 5.5);
    wakes_up.other_s = 0.05;
    asked = 0;
    CHECK(timed(wakes_up).rounds.sampled_s() < 1.5);
}

TEST_CASE("time_rounds: a submission too slow for all tiers is not called again") {
    TimingRun run = run_of({{2, 1}});
    run.case_us = 3'000'000;
    run.case_claim_us = 2'990'000;
    run.case_at_least_us = 500'000;
    FakeRounds::Machine slow = machine();
    slow.baseline_us = 700'000;  // 1.25 * 700 / 500 is below 2
    slow.submission_us = [](int) { return 3'000'000.0; };
    slow.bytes_per_us = 1e6;
    const Ran ran = timed(slow, run);
    CHECK(ran.rounds.submission_rounds == 0);
    CHECK(ran.rounds.kept.empty());
    REQUIRE(ran.timing().samples.size() == 1);
    CHECK(ran.timing().submission_us == Approx(3'000'000).epsilon(0.001));
    CHECK(ran.timing().submission_claim_us == Approx(2'990'000));
    CHECK(ran.timing().baseline_us == Approx(700'000));
    CHECK(ran.timing().speedup == Approx(0.7 / 3).epsilon(0.001));

    slow.baseline_us = 850'000;  // 1.25 * 850 / 500 is above it: the call's own time may not last
    CHECK(timed(slow, run).rounds.submission_rounds > 0);
    slow.baseline_us = 700'000;
    run.case_claim_us = std::numeric_limits<double>::infinity();
    CHECK(timed(slow, run).rounds.submission_rounds > 0);
    run.case_claim_us = 2'990'000;
    run.case_at_least_us = 0;  // the second call came in time
    CHECK(timed(slow, run).rounds.submission_rounds > 0);
}

TEST_CASE("time_rounds: rounds of a GPU that is held back are dropped and counted") {
    FakeRounds::Machine hot = machine();
    for (const int when : {0, 1, 2}) {
        INFO(when);
        hot.is_throttled = [=](int round, int ask) {
            return round >= 3 && round < 6 && ask == when;
        };
        const Ran ran = timed(hot);
        CHECK(ran.timing().dropped == 3);
        CHECK(says(ran.timing().dropped_because, "it is hot"));
        CHECK(ran.timing().speedup == Approx(10));
    }
    // Rounds that are dropped do not stand for the ten that there are to be.
    hot.other_s = 0.15;
    CHECK(timed(hot).timing().samples.size() == 10);

    hot.is_throttled = [](int round, int) { return round >= 1; };
    const Ran all = timed(hot);
    CHECK_FALSE(all.result.timing);
    CHECK(all.result.call.verdict == Verdict::accepted);
    CHECK(all.result.untimed.why == NotJudged::Why::disturbed);
    CHECK(says(all.result.untimed.detail, "it is hot"));
    CHECK(all.rounds.sampled_s() >= 3);
    CHECK(all.rounds.sampled_s() < 3.3);
}

TEST_CASE("time_rounds: where most rounds are dropped there are three before it ends") {
    FakeRounds::Machine hot = machine();
    hot.is_throttled = [](int, int) { return true; };
    hot.one_off_s = 3.5;  // the time is over before the first pair
    const Ran ran = timed(hot);
    CHECK(says(ran.result.untimed.detail, "3 of 3"));
}

TEST_CASE("time_rounds: work that overlaps with the next round is tampering") {
    const auto verdict = [](const FakeRounds::Machine& with) {
        return timed(with).result.call.verdict;
    };
    FakeRounds::Machine overlaps = machine();
    overlaps.make_more_us = 1000;  // beyond 1.5 * 1000 + 100
    CHECK(verdict(overlaps) == Verdict::tampering);
    overlaps.make_more_us = 500;
    CHECK(verdict(overlaps) == Verdict::accepted);

    FakeRounds::Machine begins_early = machine();
    begins_early.ready_more_us = 300;  // beyond 2 * 20 + 200
    const Ran early = timed(begins_early);
    CHECK(early.result.call.verdict == Verdict::tampering);
    CHECK(says(early.result.call.message, "before its calls began"));

    FakeRounds::Machine runs_on = machine();
    runs_on.settle_more_us = 500;  // beyond 2 * 180 + 200
    const Ran on = timed(runs_on);
    CHECK(on.result.call.verdict == Verdict::tampering);
    CHECK(says(on.result.call.message, "still running"));
}

TEST_CASE("time_rounds: what the GPU takes with and without the submission is nobody's fault") {
    FakeRounds::Machine slow = machine();
    slow.make_us = 20'000;
    slow.give_us = 30'000;
    slow.ready_us = 900;
    slow.settle_us = 900;
    const Ran ran = timed(slow);
    CHECK(ran.timing().speedup == Approx(10));
    CHECK(ran.timing().outside_us == 0);
    CHECK(ran.timing().dropped == 0);
}

TEST_CASE("time_rounds: what is waited outside of the calls is charged, but for 30 us") {
    FakeRounds::Machine waits = machine();
    waits.ready_more_us = 60;
    waits.settle_more_us = 40;
    const Ran ran = timed(waits);
    CHECK(ran.timing().outside_us == Approx(70.0 / 50));
    CHECK(ran.timing().submission_us == Approx(100 + 70.0 / 50));
    FakeRounds::Machine gives = machine();
    gives.give_more_us = 150;  // 1 % of 2000 us is free, too
    CHECK(timed(gives).timing().outside_us == Approx(100.0 / 50));
}

TEST_CASE("time_rounds: the baseline counts as at most 2 % more than when it is alone") {
    FakeRounds::Machine slowed = machine();
    slowed.baseline_slowdown = 1.5;
    const Ran ran = timed(slowed);
    CHECK(ran.timing().baseline_us == Approx(1500));
    CHECK(ran.timing().baseline_alone_us == Approx(1000));
    CHECK(ran.timing().speedup == Approx(10.2));
}

TEST_CASE("time_rounds: a request without calls costs as much as the baseline's, and 50 us") {
    FakeRounds::Machine honest = machine();
    honest.empty_us = honest.submission_empty_us = 1000;
    CHECK(timed(honest).timing().submission_us == Approx(100));
    FakeRounds::Machine late = machine();
    late.submission_empty_us = 1200;  // of which 250 count
    const Ran ran = timed(late);
    CHECK(ran.timing().empty_us == Approx(250));
    CHECK(ran.timing().baseline_empty_us == Approx(200));
    CHECK(ran.timing().submission_us == Approx(100 + (1200.0 - 250) / ran.timing().calls));
}

TEST_CASE("time_rounds: requests without calls are measured anew when the sets are there") {
    FakeRounds::Machine slow = machine();
    slow.baseline_us = 900'000;
    slow.submission_us = [](int) { return 800'000.0; };
    slow.probe_empty_us = 20'000;
    const Ran ran = timed(slow);
    CHECK(ran.timing().empty_us == Approx(200));
    CHECK(ran.timing().baseline_empty_us == Approx(200));
}

TEST_CASE("time_rounds: requests without calls count as when the submission is gone, and 50 us") {
    FakeRounds::Machine slowed = machine();
    slowed.empty_more_us = 700;
    const Ran ran = timed(slowed);
    CHECK(ran.timing().empty_us == Approx(250));
    CHECK(ran.timing().baseline_empty_us == Approx(250));
}

TEST_CASE("time_rounds: a tier that the samples do not decide is named") {
    CHECK(timed(machine(), run_of({{10.05, 1}})).timing().boundary == Approx(10.05));
    CHECK(timed(machine(), run_of({{10.2, 1}})).timing().boundary == 0);
}

TEST_CASE("time_rounds: five requests without calls that take over 0.1 s end it") {
    FakeRounds::Machine late = machine();
    late.submission_empty_us = 110'000;
    const Ran ran = timed(late);
    CHECK_FALSE(ran.result.timing);
    CHECK(ran.result.call.verdict == Verdict::time_limit);
    CHECK(says(ran.result.call.message, "5 times"));
    // A machine on which the baseline is as slow condemns nobody, and leaves time for the rounds:
    // a pair takes 0.5 s, of which 0.28 count.
    late.empty_us = 110'000;
    const Ran machines = timed(late);
    CHECK(machines.timing().samples.size() >= 7);
    CHECK(machines.rounds.sampled_s() > 4);
}

TEST_CASE("time_rounds: a process that ran while it was stopped") {
    FakeRounds::Machine wakes = machine();
    wakes.submission_moves = [](int round) { return round >= 0; };
    const Ran ran = timed(wakes);
    CHECK(ran.result.call.verdict == Verdict::tampering);
    CHECK(says(ran.result.call.message, "although it was stopped"));
    wakes.submission_moves = [](int round) { return round == 2 || round == 3; };
    CHECK(timed(wakes).timing().dropped == 2);

    FakeRounds::Machine machines = machine();
    machines.baseline_moves = [](int) { return true; };
    FakeRounds rounds(machines);
    const auto result = time_rounds(run_of(), rounds);
    REQUIRE_FALSE(result.ok());
    CHECK(says(result.error().message, "do not stay so"));
}

TEST_CASE("time_rounds: what moved before the rounds that count is asked for and forgotten") {
    FakeRounds::Machine wakes = machine();
    bool told = false;
    wakes.submission_moves = [&told](int round) { return round < 0 && !std::exchange(told, true); };
    CHECK(timed(wakes).timing().dropped == 0);
    CHECK(told);
}

TEST_CASE("time_rounds: claims and times that cannot be") {
    FakeRounds::Machine lies = machine();
    lies.claim_share = 0.5;  // below 0.7 of 5000 us, less 200
    const Ran ran = timed(lies);
    CHECK(ran.result.call.verdict == Verdict::tampering);
    CHECK(says(ran.result.call.message, "by the grader's clock"));

    // 50 calls of 2 MiB less 1 MiB of cache, at 0.95 of the bandwidth, in 5000 us.
    const double most = 0.95 * 99 * (1 << 20) / 5000;
    FakeRounds::Machine impossible = machine();
    impossible.bytes_per_us = 0.99 * most;
    const Ran fast = timed(impossible);
    CHECK(fast.result.call.verdict == Verdict::tampering);
    CHECK(says(fast.result.call.message, "to move the data"));
    impossible.bytes_per_us = 1.01 * most;
    CHECK(timed(impossible).timing().speedup == Approx(10));
}

TEST_CASE("time_rounds: a wrong round ends it, whenever it comes") {
    for (const int when : {0, 1, 7}) {
        FakeRounds::Machine wrong = machine();
        wrong.ends = [=](int round) -> std::optional<CallOutcome> {
            if (round != when) return std::nullopt;
            return CallOutcome{.verdict = Verdict::wrong_answer, .message = "3 are wrong"};
        };
        const Ran ran = timed(wrong);
        CHECK_FALSE(ran.result.timing);
        CHECK(ran.result.call.verdict == Verdict::wrong_answer);
        CHECK(ran.result.call.message == "3 are wrong");
        CHECK(ran.rounds.log.back() == "submission");
    }
}

TEST_CASE("time_rounds: one set of one round is set aside before the submission runs again") {
    const Ran ran = timed(machine());
    const auto& log = ran.rounds.log;
    REQUIRE_FALSE(ran.rounds.kept.empty());
    CHECK(ran.rounds.has_kept());
    for (std::size_t i = 0; i < log.size(); ++i)
        if (log[i] == "keep") CHECK(log[i - 1] == "submission");
    for (const std::uint32_t call : ran.rounds.kept) CHECK(call < 50);
    // Of three rounds perhaps none was chosen: then the last is.
    FakeRounds::Machine once = machine();
    once.one_off_s = 3;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        once.seed = seed;
        CHECK(timed(once).rounds.has_kept());
    }
}

TEST_CASE(
    "time_rounds: the baseline is timed three times alone, as far as they begin in a second") {
    const auto alone = [](const Ran& ran) {
        const auto& log = ran.rounds.log;
        return std::count(std::ranges::find(log, "end"), log.end(), "baseline");
    };
    const Ran quick = timed(machine());
    CHECK(alone(quick) == 3);
    CHECK(quick.times_of("alone") == 3);
    const std::vector<std::string> each{"make", "answer", "baseline", "answer", "empty", "alone"};
    CHECK(std::ranges::search(std::ranges::subrange(std::ranges::find(quick.rounds.log, "end") + 1,
                                                    quick.rounds.log.end()),
                              each)
              .begin() == std::ranges::find(quick.rounds.log, "end") + 1);
    CHECK(std::count(std::ranges::find(quick.rounds.log, "end"), quick.rounds.log.end(),
                     "submission") == 0);
    FakeRounds::Machine slow = machine();
    slow.baseline_us = 600'000;
    slow.submission_us = [](int) { return 300'000.0; };
    CHECK(alone(timed(slow)) == 2);
    slow.baseline_us = 1'100'000;
    CHECK(alone(timed(slow)) == 1);
}

TEST_CASE("time_rounds: what fails is an error, wherever it fails, and no time") {
    for (const std::string step : {"begin", "resize", "stop", "make", "answer", "baseline",
                                   "submission", "empty", "keep", "alone"}) {
        INFO(step);
        FakeRounds rounds(machine());
        rounds.fails_in = step;
        const auto result = time_rounds(run_of(), rounds);
        REQUIRE_FALSE(result.ok());
        CHECK(result.error().message == step + " fails");
        CHECK(rounds.log.back() == step);
    }
}
