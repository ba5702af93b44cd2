// The judging of cases, with a device whose behaviour the test decides.
#include "judging/task_runner.hpp"

#include <cstring>
#include <functional>

#include "buffer_session.hpp"
#include "catch.hpp"
#include "config/load.hpp"

using namespace cugrade;

namespace {

struct Script {
    /// Called with the inputs of a sum of doubles; returns what the "kernel" leaves in `out`.
    std::function<double(std::span<const double>, std::uint64_t schedule_seed)> kernel;
    Verdict call_verdict = Verdict::accepted;
    std::vector<double> seconds;  ///< that each call takes; those after the last of them none
    bool tells_data = false;  ///< the message of a failed call
    bool defined = true;
    bool change_input = false;
    bool write = true;
    int calls = 0;
    int sessions = 0;
};

class ScriptedSession final : public BufferSession {
public:
    explicit ScriptedSession(Script& script) : script_(script) { ++script_.sessions; }
    Result<bool> has_function(const TaskSpec&) override { return script_.defined; }
    Result<CallOutcome> call(const CallRequest& request) override {
        const auto number = static_cast<std::size_t>(script_.calls++);
        CallOutcome out;
        out.verdict = script_.call_verdict;
        if (number < script_.seconds.size()) out.wall_s = script_.seconds[number];
        if (out.wall_s > request.wall_s) out.verdict = Verdict::time_limit;
        if (request.timed) out.event_us = {1e6 * out.wall_s};
        if (out.verdict != Verdict::accepted) {
            out.message = "scripted failure";
            out.tells_data = script_.tells_data;
            out.location = SourceLocation{"student.cu", 7, 0};
            return out;
        }
        auto& in = buffers_[0];
        const std::span<const double> numbers(reinterpret_cast<const double*>(in.data()),
                                              in.size() / 8);
        if (script_.write) {
            const double result = script_.kernel(numbers, request.schedule_seed);
            std::memcpy(buffers_[1].data(), &result, sizeof result);
        }
        if (script_.change_input && !in.empty()) in[0] ^= std::byte{1};
        return out;
    }

private:
    Script& script_;
};

double sum(std::span<const double> in, std::uint64_t = 0) {
    double out = 0;
    for (const double x : in) out += x;
    return out;
}

/// Opens scripted sessions, and says of itself what a GPU does or what the emulated one does.
class ScriptedBackend final : public Backend {
public:
    enum class Like { emulator, gpu };
    ScriptedBackend(Script& script, Like like) : script_(script), gpu_(like == Like::gpu) {}
    std::string_view name() const override { return "scripted"; }
    void describe(Provenance&) const override {}
    std::vector<Part> examine(const Home&) const override { return {}; }
    const BuildTarget& target() const override { return target_; }
    bool measures_time() const override { return gpu_; }
    bool repeats_exactly() const override { return !gpu_; }
    bool runs_large_cases() const override { return gpu_; }
    Result<std::unique_ptr<Session>> open(const SessionOptions&) const override {
        return std::unique_ptr<Session>(std::make_unique<ScriptedSession>(script_));
    }

private:
    Script& script_;
    bool gpu_;
    BuildTarget target_;
};

/// The task reduction/sum with two small cases, one of them hidden.
struct Fixture {
    AssignmentSpec assignment;
    TaskSpec task;
    Limits limits;
    GradeOptions options;
    Script script;
    bool known_as_defined = true;

    Fixture() {
        auto loaded =
            config::load_assignment(std::string(CUGRADE_SOURCE_DIR) + "/assignments/reduction");
        REQUIRE(loaded.ok());
        assignment = *loaded;
        task = assignment.tasks.front();
        REQUIRE(task.name == "sum");
        CaseSpec spec{.id = 1, .params = {{"n", 100}}};
        spec.data["in"] = {
            .generator = "uniform", .numbers = {{"low", 1}, {"high", 2}}, .file = {}};
        task.cases = {spec};
        spec.id = 2;
        spec.visibility = Visibility::hidden;
        task.cases.push_back(spec);
        script.kernel = sum;
    }
    TaskOutcome run(ScriptedBackend::Like like = ScriptedBackend::Like::emulator) {
        const ScriptedBackend backend(script, like);
        CaseStore cases(assignment, task, options);
        auto outcome = run_task({.assignment = &assignment,
                                 .task = &task,
                                 .limits = &limits,
                                 .options = &options,
                                 .backend = &backend,
                                 .cases = &cases,
                                 .session = {},
                                 .defined = known_as_defined});
        REQUIRE(outcome.ok());
        return *outcome;
    }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a right result is accepted under both schedules") {
    const auto out = run();
    REQUIRE(out.cases.size() == 2);
    for (const auto& c : out.cases) {
        CHECK(c.verdict == Verdict::accepted);
        CHECK(c.message.empty());
        CHECK(c.data_sha256.size() == 64);
    }
    CHECK(script.calls == 4);
    CHECK(script.sessions == 1);
}

TEST_CASE_METHOD(Fixture, "a result that is wrong in the same way each time is a wrong answer") {
    script.kernel = [](auto in, auto) { return sum(in) + 1; };
    const auto out = run();
    CHECK(out.cases[0].verdict == Verdict::wrong_answer);
    CHECK_FALSE(out.cases[0].mismatches.empty());
}

TEST_CASE_METHOD(Fixture, "a result that is wrong under one schedule only is nondeterministic") {
    const bool first_is_wrong = GENERATE(false, true);
    script.kernel = [=](auto in, std::uint64_t seed) {
        return sum(in) + ((seed == 0) == first_is_wrong ? 1 : 0);
    };
    const auto out = run();
    CHECK(out.cases[0].verdict == Verdict::nondeterministic);
    CHECK(out.cases[0].message.find("two schedules") != std::string::npos);
}

TEST_CASE_METHOD(Fixture, "results that differ within the tolerance are accepted") {
    script.kernel = [](auto in, std::uint64_t seed) {
        return sum(in) * (seed == 0 ? 1 : 1 + 1e-15);
    };
    CHECK(run().cases[0].verdict == Verdict::accepted);
}

TEST_CASE_METHOD(Fixture, "an output that was never written is told from a wrong one") {
    script.write = false;
    CHECK(run().cases[0].verdict == Verdict::unwritten_output);
}

TEST_CASE_METHOD(Fixture, "a changed input is found") {
    script.change_input = true;
    const auto out = run();
    CHECK(out.cases[0].verdict == Verdict::wrong_answer);
    CHECK(out.cases[0].message.find("`in` was changed") != std::string::npos);
}

TEST_CASE_METHOD(Fixture, "a hidden case shows no data") {
    script.kernel = [](auto, auto) { return 12345.678; };
    const auto out = run();
    CHECK(out.cases[0].message.find("12345.678") != std::string::npos);
    CHECK(out.cases[1].verdict == Verdict::wrong_answer);
    CHECK(out.cases[1].mismatches.empty());
    CHECK(out.cases[1].message.find("12345.678") == std::string::npos);
    CHECK(out.cases[1].message == "1 of 1 elements are wrong");
}

TEST_CASE_METHOD(Fixture, "a hidden case's failure shows nothing that the submission can choose") {
    script.tells_data = true;
    script.call_verdict = Verdict::out_of_bounds;
    auto out = run();
    CHECK(out.cases[0].message == "scripted failure");
    CHECK(out.cases[1].message == meaning(Verdict::out_of_bounds));
    CHECK(out.cases[1].location->line == 7);

    task.cases[0].visibility = Visibility::hidden;
    script.call_verdict = Verdict::skipped;  // with a place that is stated and not compiled
    out = run();
    CHECK(out.cases[0].not_judged.detail == meaning(Verdict::skipped));
}

TEST_CASE_METHOD(Fixture, "every failed call gets a new session") {
    script.call_verdict = Verdict::crash;
    const auto out = run();
    CHECK(script.sessions == 2);
    CHECK(out.cases[1].verdict == Verdict::crash);
}

TEST_CASE_METHOD(Fixture, "after two cases at a limit the rest are charged without a run") {
    script.call_verdict = Verdict::time_limit;
    for (int id = 3; id <= 10; ++id) {
        task.cases.push_back(task.cases[0]);
        task.cases.back().id = id;
    }
    const auto out = run();
    CHECK(script.calls == 2);
    REQUIRE(out.cases.size() == 10);
    CHECK(out.cases[9].verdict == Verdict::time_limit);
    CHECK(out.cases[9].message.find("not run, because case 2") != std::string::npos);
}

TEST_CASE_METHOD(Fixture, "a missing function is missing in each case of its task") {
    script.defined = false;
    const auto out = run();
    CHECK(out.cases[0].verdict == Verdict::function_missing);
    CHECK(out.cases[0].message.find("reduce_sum") != std::string::npos);
    CHECK(script.calls == 0);
}

TEST_CASE_METHOD(Fixture, "for a function that is known to be missing no session is opened") {
    script.defined = false;
    const std::string message = run().cases[0].message;
    const int before = script.sessions;
    known_as_defined = false;
    const auto out = run(ScriptedBackend::Like::gpu);
    CHECK(script.sessions == before);
    CHECK(out.cases[0].verdict == Verdict::function_missing);
    CHECK(out.cases[0].message == message);
    CHECK(out.cases[1].verdict == Verdict::function_missing);
}

TEST_CASE_METHOD(Fixture, "a case that needs a GPU is skipped on the emulated one") {
    task.cases[1].needs_gpu = true;
    CHECK(run().cases[1].verdict == Verdict::skipped);
    CHECK(run(ScriptedBackend::Like::gpu).cases[1].verdict == Verdict::accepted);
}

TEST_CASE_METHOD(Fixture, "a slow call of the timed case on a GPU is made once more, for a while") {
    task.cases[0].timed = true;
    limits.wall_s = 10;
    struct Calls {
        std::vector<double> seconds;
        double at_least_s;
        int calls, sessions;  // of both cases
    };
    const auto calls = GENERATE(values<Calls>(
        {{{0.5}, 0, 2, 1}, {{2, 0.1}, 0, 3, 2}, {{2, 2}, 0.5, 3, 2}, {{8, 8}, 1, 3, 2}}));
    script.seconds = calls.seconds;
    const auto out = run(ScriptedBackend::Like::gpu);
    CHECK(out.cases[0].verdict == Verdict::accepted);
    CHECK(out.cases[0].seconds == calls.seconds[0]);
    CHECK(out.cases[0].event_us == 1e6 * calls.seconds[0]);
    CHECK(out.cases[0].at_least_s == calls.at_least_s);
    CHECK(out.cases[1].verdict == Verdict::accepted);
    CHECK(out.cases[1].event_us == 0);
    CHECK(script.calls == calls.calls);
    CHECK(script.sessions == calls.sessions);
}

TEST_CASE_METHOD(Fixture, "no call is made once more where nothing is timed") {
    task.cases[0].timed = true;
    options.timing = false;
    limits.wall_s = 10;
    script.seconds = {2, 2};
    const auto out = run(ScriptedBackend::Like::gpu);
    CHECK(out.cases[0].verdict == Verdict::accepted);
    CHECK(out.cases[0].at_least_s == 0);
    CHECK(script.calls == 2);
}
