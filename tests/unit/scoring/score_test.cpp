#include "scoring/score.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"

using namespace cugrade;

namespace {

using Why = NotJudged::Why;

// Three public cases, a hidden one, one that needs a GPU and the timed one.
TaskSpec six_cases() {
    TaskSpec t;
    t.name = "sum";
    t.title = "Sum of doubles";
    for (int id = 1; id <= 6; ++id) {
        CaseSpec c;
        c.id = id;
        c.visibility = id == 4 ? Visibility::hidden : Visibility::open;
        c.needs_gpu = id >= 5;
        c.timed = id == 6;
        t.cases.push_back(c);
    }
    return t;
}

TaskPolicy policy() {
    return {.correctness = 28,
            .performance = 12,
            .hidden_weight = 2,
            .tiers = {{2, 0.25}, {4, 0.5}, {16, 1}}};
}

// One letter per case: a accepted, w wrong_answer, d deadlock, c compile_error, s skipped,
// h harness_error.
TaskOutcome outcome(const std::string& letters, std::optional<double> speedup, Why why) {
    TaskOutcome out{.name = "sum", .cases = {}, .timing = {}, .untimed = {why}};
    for (std::size_t i = 0; i < letters.size(); ++i) {
        CaseOutcome c;
        c.id = static_cast<int>(i) + 1;
        switch (letters[i]) {
            case 'a': c.verdict = Verdict::accepted; break;
            case 'w': c.verdict = Verdict::wrong_answer; break;
            case 'd': c.verdict = Verdict::deadlock; break;
            case 'c': c.verdict = Verdict::compile_error; break;
            case 'h': c.verdict = Verdict::harness_error; break;
            default: c.verdict = Verdict::skipped; break;
        }
        out.cases.push_back(c);
    }
    if (speedup) {
        out.timing.emplace();
        out.timing->speedup = *speedup;
    }
    return out;
}

bool operator==(const Score& a, const Score& b) {
    return a.earned == b.earned && a.judged == b.judged && a.possible == b.possible;
}

}  // namespace

TEST_CASE("a tier that the interval does not decide is given") {
    const auto credit = [](double low, double speedup, double high,
                           TimingOutcome::Basis basis = TimingOutcome::Basis::measured) {
        TaskOutcome task = outcome("aaaaaa", speedup, Why::none);
        task.timing->basis = basis;
        task.timing->low = low;
        task.timing->high = high;
        return score_task(six_cases(), policy(), task).credit;
    };
    CHECK(credit(3.9, 3.95, 4.01) == 0.5);
    CHECK(credit(3.9, 3.95, 3.99) == 0.25);
    CHECK(credit(3.9, 4.05, 4.1) == 0.5);
    CHECK(credit(15.9, 15.95, 16) == 1);
    CHECK(credit(3.9, 3.95, 4.01, TimingOutcome::Basis::modelled) == 0.25);
}

TEST_CASE("points follow from outcomes and policy") {
    struct Row {
        std::string what;
        std::string cases;
        std::optional<double> speedup;
        Why why;
        Verdict verdict;
        Score correctness;
        Score performance;
        double next_tier;
    };
    const Why gpu = Why::needs_gpu;
    const std::vector<Row> rows{
        {"all right on the emulator",
         "aaaass",
         {},
         gpu,
         Verdict::accepted,
         {28, 28, 28},
         {0, 0, 12},
         2},
        {"all right on a GPU, top tier",
         "aaaaaa",
         16,
         Why::none,
         Verdict::accepted,
         {28, 28, 28},
         {12, 12, 12},
         0},
        {"just below a tier",
         "aaaaaa",
         15.999,
         Why::none,
         Verdict::accepted,
         {28, 28, 28},
         {6, 12, 12},
         16},
        {"exactly a tier", "aaaaaa", 2, Why::none, Verdict::accepted, {28, 28, 28}, {3, 12, 12}, 4},
        {"slower than every tier",
         "aaaaaa",
         0.5,
         Why::none,
         Verdict::accepted,
         {28, 28, 28},
         {0, 12, 12},
         2},
        {"a speedup that is no number",
         "aaaaaa",
         std::numeric_limits<double>::quiet_NaN(),
         Why::none,
         Verdict::accepted,
         {28, 28, 28},
         {0, 12, 12},
         2},
        {"one public case of weight 1 in 5 wrong",
         "awaass",
         {},
         gpu,
         Verdict::wrong_answer,
         {22.4, 28, 28},
         {0, 0, 12},
         2},
        {"the hidden case of weight 2 in 5 wrong",
         "aaawss",
         {},
         gpu,
         Verdict::wrong_answer,
         {16.8, 28, 28},
         {0, 0, 12},
         2},
        {"the case for a GPU wrong, of weight 1 in 6",
         "aaaaws",
         {},
         Why::none,
         Verdict::wrong_answer,
         {23.33, 28, 28},
         {0, 12, 12},
         2},
        {"one case wrong: speed counts by the share of the others",
         "waaaaa",
         99,
         Why::none,
         Verdict::wrong_answer,
         {23.33, 28, 28},
         {10, 12, 12},
         0},
        {"only the timed case wrong",
         "aaaaaw",
         99,
         Why::none,
         Verdict::wrong_answer,
         {28, 28, 28},
         {0, 12, 12},
         2},
        {"wrong on a GPU and not timed for it",
         "waaaas",
         {},
         Why::none,
         Verdict::wrong_answer,
         {23.33, 28, 28},
         {0, 12, 12},
         2},
        {"timing switched off",
         "aaaaas",
         {},
         Why::timing_off,
         Verdict::accepted,
         {28, 28, 28},
         {0, 0, 12},
         2},
        {"a stub", "wwwwss", {}, gpu, Verdict::wrong_answer, {0, 28, 28}, {0, 0, 12}, 2},
        {"a stub on a GPU",
         "wwwwww",
         {},
         Why::none,
         Verdict::wrong_answer,
         {0, 28, 28},
         {0, 12, 12},
         2},
        {"nothing compiles, on a GPU",
         "cccccc",
         {},
         Why::none,
         Verdict::compile_error,
         {0, 28, 28},
         {0, 12, 12},
         2},
        {"a hang does not pay: the cases given up count",
         "adddss",
         {},
         gpu,
         Verdict::deadlock,
         {5.6, 28, 28},
         {0, 0, 12},
         2},
        {"nothing could be judged", "ssssss", {}, gpu, Verdict::skipped, {0, 0, 28}, {0, 0, 12}, 2},
        {"our fault in one case is not charged",
         "ahaass",
         {},
         gpu,
         Verdict::harness_error,
         {28, 28, 28},
         {0, 0, 12},
         2},
        {"our fault throughout",
         "hhhhhh",
         {},
         Why::none,
         Verdict::harness_error,
         {0, 0, 28},
         {0, 0, 12},
         2},
        {"our fault beside a failure",
         "whaaas",
         {},
         Why::none,
         Verdict::harness_error,
         {22.4, 28, 28},
         {0, 0, 12},
         2},
        {"skipped without a failure is not charged",
         "aassss",
         {},
         gpu,
         Verdict::accepted,
         {28, 28, 28},
         {0, 0, 12},
         2},
    };
    const auto spec = six_cases();
    for (const auto& row : rows) {
        INFO(row.what);
        const auto report = score_task(spec, policy(), outcome(row.cases, row.speedup, row.why));
        CHECK(report.name == "sum");
        CHECK(report.title == "Sum of doubles");
        CHECK(name(report.verdict) == name(row.verdict));
        CHECK(report.correctness.earned == row.correctness.earned);
        CHECK((report.correctness == row.correctness));
        CHECK(report.performance.earned == row.performance.earned);
        CHECK((report.performance == row.performance));
        CHECK(report.next_tier == row.next_tier);
        CHECK(std::abs(report.score.earned - row.correctness.earned - row.performance.earned) <
              1e-9);
        CHECK(report.score.judged == row.correctness.judged + row.performance.judged);
        CHECK(report.score.possible == 40);
        CHECK(report.outcome.cases.size() == 6);
    }
}

TEST_CASE("a wrong task loses its speed only where this run measures one") {
    for (const Why why :
         {Why::needs_gpu, Why::no_timed_case, Why::timing_off, Why::not_built_for_model,
          Why::too_little_memory, Why::disturbed, Why::other}) {
        const auto wrong = outcome("waaaaa", {}, why);  // with nothing said
        CHECK(score_task(six_cases(), policy(), wrong).performance.judged == 0);
    }
    auto wrong = outcome("waaaaa", {}, Why::none);
    wrong.untimed.detail = "needs a GPU";
    CHECK(score_task(six_cases(), policy(), wrong).performance.judged == 12);
}

TEST_CASE("a task without points for performance needs no speedup") {
    auto p = policy();
    p.performance = 0;
    p.tiers.clear();
    const auto report = score_task(six_cases(), p, outcome("aaaaaa", 3, Why::none));
    CHECK((report.performance == Score{0, 0, 0}));
    CHECK((report.score == Score{28, 28, 28}));
    CHECK(report.next_tier == 0);
    CHECK(report.credit == 0);
}

TEST_CASE("a policy may require all cases for technique and speed") {
    auto p = policy();
    p.technique = 4;
    p.limits = {{"global_atomics_per_element", 0.05}};
    auto one_wrong = outcome("waaaaa", 99, Why::none);
    one_wrong.counters.push_back({"global_atomics_per_element", 0, {}});
    auto report = score_task(six_cases(), p, one_wrong);
    CHECK(report.performance.earned == 10);
    CHECK(report.technique->score.earned == 3.33);
    p.require = Require::all;
    report = score_task(six_cases(), p, one_wrong);
    CHECK((report.performance == Score{0, 12, 12}));
    CHECK((report.technique->score == Score{0, 4, 4}));
    CHECK(report.correctness.earned == 23.33);
}

TEST_CASE("beside a result of luck nothing but right results counts") {
    auto p = policy();
    p.technique = 4;
    p.limits = {{"global_atomics_per_element", 0.05}};
    for (const Verdict verdict :
         {Verdict::data_race, Verdict::nondeterministic, Verdict::uninitialised_read,
          Verdict::barrier_divergence, Verdict::tampering}) {
        INFO(name(verdict));
        auto racy = outcome("aaaaaa", 99, Why::none);
        racy.cases[1].verdict = verdict;
        racy.counters.push_back({"global_atomics_per_element", 0, {}});
        const auto report = score_task(six_cases(), p, racy);
        CHECK(report.correctness.earned == 23.33);
        CHECK((report.performance == Score{0, 12, 12}));
        CHECK((report.technique->score == Score{0, 4, 4}));
    }
}

TEST_CASE("work on the host earns no technique, and no speed of a model that knows kernels only") {
    auto p = policy();
    p.technique = 4;
    p.limits = {{"global_atomics_per_element", 0.05}};
    auto on_host = outcome("aaaaaa", 99, Why::none);
    on_host.counters.push_back({"global_atomics_per_element", 0, {}});
    on_host.host_work = HostWork{.read_bytes = 800, .input_bytes = 800};
    auto report = score_task(six_cases(), p, on_host);
    CHECK((report.performance == Score{12, 12, 12}));  // measured: that is its speed
    CHECK((report.technique->score == Score{0, 4, 4}));
    on_host.timing->basis = TimingOutcome::Basis::modelled;
    report = score_task(six_cases(), p, on_host);
    CHECK((report.performance == Score{0, 12, 12}));
    CHECK(report.correctness.earned == 28);
}

TEST_CASE("totals are exact in hundredths") {
    std::vector<TaskReport> tasks(7);
    for (auto& task : tasks) task.score = {0.1, 0.1, 0.7};
    // In plain doubles seven times 0.1 is 0.7 less one unit in the last place, and 4.9 is missed
    // too.
    const auto sum = total(tasks);
    CHECK(sum.earned == 0.7);
    CHECK(sum.judged == 0.7);
    CHECK(sum.possible == 4.9);
    CHECK((total({}) == Score{}));
}

TEST_CASE("one more case accepted never costs points") {
    const auto spec = six_cases();
    for (int mask = 0; mask < 64; ++mask) {
        std::string letters;
        for (int bit = 0; bit < 6; ++bit) letters += (mask >> bit & 1) != 0 ? 'a' : 'w';
        const double earned =
            score_task(spec, policy(), outcome(letters, 5, Why::none)).score.earned;
        for (auto& letter : letters) {
            if (letter == 'a') continue;
            letter = 'a';
            CHECK(score_task(spec, policy(), outcome(letters, 5, Why::none)).score.earned >=
                  earned);
            letter = 'w';
        }
    }
}

TEST_CASE("technique is judged where it was counted, and lost where nothing could be") {
    auto p = policy();
    p.technique = 4;
    p.limits = {{"global_atomics_per_element", 0.05}, {"bank_conflicts_per_access", 1}};
    const double nan = std::numeric_limits<double>::quiet_NaN();
    struct Row {
        std::string cases;
        std::vector<double> counted;
        Score technique;
    };
    const std::vector<Row> rows{
        {"aaaass", {0.01, 1}, {4, 4, 4}}, {"aaaass", {0.06, 0}, {2, 4, 4}},
        {"aaaass", {1, 2}, {0, 4, 4}},    {"aaaass", {nan, nan}, {0, 4, 4}},
        {"aaaass", {}, {0, 0, 4}},        {"waaass", {}, {0, 4, 4}},
        {"waaass", {0.01, 1}, {3.2, 4, 4}},  {"aawass", {0.06, 0}, {1.6, 4, 4}},
        {"ssssss", {}, {0, 0, 4}},        {"hhhhhh", {}, {0, 0, 4}},
        {"ahaass", {}, {0, 0, 4}},
    };
    for (const Row& row : rows) {
        auto o = outcome(row.cases, {}, Why::needs_gpu);
        for (std::size_t n = 0; n < row.counted.size(); ++n)
            o.counters.push_back({p.limits[n].metric, row.counted[n], {}});
        INFO(row.cases << " " << row.counted.size());
        const auto report = score_task(six_cases(), p, o);
        REQUIRE(report.technique.has_value());
        CHECK(report.technique->score.earned == row.technique.earned);
        CHECK((report.technique->score == row.technique));
        CHECK(report.technique->measures.size() == row.counted.size());
        CHECK(report.score.possible == 44);
        CHECK(report.score.judged == report.correctness.judged + row.technique.judged);
        CHECK(std::abs(report.score.earned - report.correctness.earned - row.technique.earned) <
              1e-9);
    }
    CHECK_FALSE(score_task(six_cases(), policy(), outcome("aaaass", {}, Why::none)).technique);
}
