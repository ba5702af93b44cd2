// The parts of a sweep that need no device: sizes, cases of any size, times by events.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "catch.hpp"
#include "config/load.hpp"
#include "core/sized_cases.hpp"
#include "judging/buffer_session.hpp"
#include "studies/sizes.hpp"
#include "timing/event_timing.hpp"

using namespace cugrade;
using Sizes = std::vector<std::uint64_t>;

namespace {

Sizes sizes(std::string_view text) {
    auto out = parse_sizes(text);
    if (!out) FAIL(out.error().text());
    return *out;
}

std::vector<AssignmentSpec> all_assignments() {
    auto out = config::load_assignments(std::string(CUGRADE_SOURCE_DIR) + "/assignments");
    if (!out) FAIL(out.error().text());
    return *out;
}

/// A task of one of them, which has to outlive what is returned.
SizedCases sized(const std::vector<AssignmentSpec>& all, std::string_view id,
                 std::string_view name) {
    const auto assignment = std::ranges::find(all, id, &AssignmentSpec::id);
    const auto task = std::ranges::find(assignment->tasks, name, &TaskSpec::name);
    auto out = SizedCases::of(*assignment, *task);
    if (!out) FAIL(out.error().text());
    return *out;
}

}  // namespace

TEST_CASE("sizes are numbers, powers and ranges") {
    CHECK(sizes("2^1..2^5") == Sizes{2, 4, 8, 16, 32});
    CHECK(sizes("10^2..10^4") == Sizes{100, 1000, 10000});
    CHECK(sizes("100..1000") == Sizes{100, 200, 400, 800});
    CHECK(sizes("2^4..100") == Sizes{16, 32, 64});
    CHECK(sizes("7,5,2^3,5") == Sizes{5, 7, 8});
    CHECK(sizes("3..3") == Sizes{3});
    CHECK(sizes("2^0") == Sizes{1});
    CHECK(sizes("68719476736..68719476736") == Sizes{std::uint64_t{1} << 36});
}

TEST_CASE("what is no size is told") {
    for (const char* text :
         {"", ",", "0", "-1", "x", "2^", "^2", "2^37", "1^5", "2^99999", "3.5", "2 ^ 3", "2^1..",
          "..5", "10^99", "68719476736^2", "99999999999999999999"}) {
        INFO(text);
        const auto out = parse_sizes(text);
        REQUIRE_FALSE(out);
        CHECK(out.error().kind == ErrorKind::usage);
        CHECK(out.error().key == "--sizes");
        CHECK_FALSE(out.error().remedy.empty());
    }
    CHECK(parse_sizes("8..2").error().message == "the range `8..2` goes down");
}

TEST_CASE("a case of another size changes what the size is, and nothing else") {
    const auto all = all_assignments();
    const SizedCases sum = sized(all, "reduction", "sum");
    CHECK(sum.argument() == "in");
    for (const std::uint64_t n : {1ull, 2ull, 1000003ull, 1ull << 30}) {
        const CaseSpec spec = sum.with(n);
        CHECK(spec.params.at("n") == static_cast<double>(n));
        CHECK(sum.elements(spec) == n);
        CHECK(sum.parameters(spec) == fmt::format("n={}", n));
    }

    const SizedCases image = sized(all, "convolution", "conv2d_float");
    const CaseSpec spec = image.with(1000);
    CHECK(spec.params.at("width") == 32);
    CHECK(spec.params.at("height") == 32);
    CHECK(spec.params.at("mask_width") == 7);
    CHECK(image.elements(spec) == 1024);

    const SizedCases histogram = sized(all, "histogram", "bins");
    CHECK(histogram.with(5).params.at("bin_count") == 4096);
    CHECK(histogram.with(5).data.at("in").numbers.at("high") == 4095);

    // The indices follow the size of what they point into.
    const SizedCases gather = sized(all, "patterns", "gather");
    CHECK(gather.argument() == "neighbour");
    CHECK(gather.with(400).params.at("m") == 100);
    CHECK(gather.with(400).params.at("n") == 100);
    CHECK(gather.with(400).data.at("neighbour").numbers.at("high") == 99);

    // Two sizes without a model: they keep their ratio.
    const SizedCases sections = sized(all, "atomics_lock", "critical_section");
    CHECK(sections.with(1 << 20).params.at("sections") == 256);
    CHECK(sections.with(1 << 20).params.at("length") == 4096);
}

TEST_CASE("every task that is timed has cases of all sizes, with data and an answer") {
    for (const AssignmentSpec& assignment : all_assignments())
        for (const TaskSpec& task : assignment.tasks) {
            const CaseSpec* timed = task.timed_case();
            if (timed == nullptr) continue;
            INFO(assignment.id << "/" << task.name);
            auto cases = SizedCases::of(assignment, task);
            if (!cases) FAIL(cases.error().text());
            const CaseSpec same = cases->with(cases->elements(*timed));
            CHECK(same.params == timed->params);
            for (const std::uint64_t n : {1, 2, 100, 4096}) {
                const CaseSpec spec = cases->with(n);
                auto data = make_case(assignment, task, spec, {});
                if (!data) FAIL(data.error().text());
                CHECK(expected_answer(assignment, *data).ok());
            }
        }
}

TEST_CASE("a task without sizes is told") {
    AssignmentSpec assignment = all_assignments().front();
    TaskSpec task = assignment.tasks.front();
    for (CaseSpec& spec : task.cases) spec.timed = false;
    CHECK(SizedCases::of(assignment, task).error().message.find("no timed case") !=
          std::string::npos);
    task.cases.back().timed = true;
    for (auto& [name, data] : task.cases.back().data) data.generator = "file";
    CHECK(SizedCases::of(assignment, task).error().message.find("is a file") != std::string::npos);
}

TEST_CASE("a number that changes with the size in no known way is told") {
    auto all = all_assignments();
    const auto patterns = std::ranges::find(all, "patterns", &AssignmentSpec::id);
    TaskSpec task = *std::ranges::find(patterns->tasks, "gather", &TaskSpec::name);
    task.model[1].data["neighbour"].numbers["high"] = 77;
    const auto out = SizedCases::of(*patterns, task);
    REQUIRE_FALSE(out);
    CHECK(out.error().message.find("`high` of `neighbour`") != std::string::npos);
}

namespace {

/// Calls take as long as the test says, and leave what it says in the output.
class TimedSession final : public BufferSession {
public:
    double us = 10, result = 0;
    Verdict verdict = Verdict::accepted;
    std::vector<std::uint32_t> repeats, warmups;
    Result<CallOutcome> call(const CallRequest& request) override {
        repeats.push_back(request.repeats);
        warmups.push_back(request.warmups);
        CallOutcome out;
        out.verdict = verdict;
        std::memcpy(buffers_[1].data(), &result, sizeof result);
        out.event_us.assign(request.repeats, us);
        return out;
    }
};

/// The sum of n doubles in this session, whose result is `off` too large.
EventTimes timed_sum(TimedSession& session, double off) {
    const auto all = all_assignments();
    const auto assignment = std::ranges::find(all, "reduction", &AssignmentSpec::id);
    const TaskSpec& task = assignment->tasks.front();
    auto cases = SizedCases::of(*assignment, task);
    const CaseSpec spec = cases->with(64);
    auto data = make_case(*assignment, task, spec, {});
    REQUIRE(data.ok());
    auto expected = expected_answer(*assignment, *data);
    REQUIRE(expected.ok());
    session.result = expected->front().value.number(0) + off;
    auto out = time_by_events(session, *assignment, task, *data, *expected, Limits{.wall_s = 1});
    if (!out) FAIL(out.error().text());
    return *out;
}

}  // namespace

TEST_CASE("calls are repeated as their time allows, and wrong ones have no time") {
    TimedSession fast;
    const EventTimes times = timed_sum(fast, 0);
    CHECK(times.accepted());
    CHECK(times.call.event_us.size() == 31);
    CHECK(fast.repeats == std::vector<std::uint32_t>{1, 31});

    TimedSession slow;
    slow.us = 2e6;
    CHECK(timed_sum(slow, 0).call.event_us.size() == 5);
    CHECK(slow.warmups == std::vector<std::uint32_t>{1, 0});

    TimedSession wrong;
    CHECK(timed_sum(wrong, 1).call.verdict == Verdict::wrong_answer);

    TimedSession crashing;
    crashing.verdict = Verdict::crash;
    CHECK(timed_sum(crashing, 0).call.verdict == Verdict::crash);
    CHECK(crashing.repeats.size() == 1);
}
