#include "sample.hpp"

#include <limits>

#include "report/seal.hpp"

namespace cugrade {
namespace {

CaseOutcome accepted(int id, std::string description, Visibility visibility = Visibility::open) {
    CaseOutcome c;
    c.id = id;
    c.visibility = visibility;
    c.verdict = Verdict::accepted;
    c.element_count = 1;
    c.description = std::move(description);
    c.data_sha256 = std::string(64, 'a');
    c.seed = 0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(id);
    c.seconds = 0.0125;
    return c;
}

CaseOutcome skipped(int id, NotJudged why) {
    CaseOutcome c;
    c.id = id;
    c.not_judged = std::move(why);
    c.description = "n=67108864 in=uniform";
    return c;
}

Provenance on_h200() {
    return {.backend = "gpu",
            .device = "NVIDIA H200",
            .driver = "580.65.06",
            .toolkit = "13.0.88",
            .cugrade_version = "0.1.0",
            .started = "2026-02-03T04:05:06Z"};
}

Report base() {
    Report r;
    r.assignment = "reduction";
    r.assignment_title = "Reduction";
    r.submission_file = "student.cu";
    r.submission_sha256 = "5" + std::string(63, 'b');
    r.provenance = on_h200();
    r.provenance.backend = "emulator";
    r.provenance.times_modelled = true;
    r.provenance.device = "emulated GPU, compute_75";
    r.provenance.driver.clear();
    r.policy_sha256 = std::string(64, 'c');
    r.replay = "cugrade check student.cu -a reduction --backend emulator";
    return r;
}

TaskReport task(std::string name, std::string title, Verdict verdict, Score correctness,
                Score performance) {
    TaskReport t;
    t.name = name;
    t.title = std::move(title);
    t.verdict = verdict;
    t.correctness = correctness;
    t.performance = performance;
    t.score = {correctness.earned + performance.earned, correctness.judged + performance.judged,
               correctness.possible + performance.possible};
    t.outcome.name = std::move(name);
    return t;
}

}  // namespace

Report sample_report() {
    Report r = base();
    r.student = "s1234";
    r.replay += " --student s1234";
    r.verdict = Verdict::deadlock;
    r.score = {43.5, 65, 104};
    r.seconds = 2.314;
    r.phases = {{"compile", 1.2}, {"link", 0.31}, {"generate", 0.004}, {"emulate", 0.8}};
    r.notes = {"hidden cases use the development secret; set CUGRADE_SECRET for the real ones"};

    auto sum = task("sum", "Sum of doubles", Verdict::accepted, {28, 28, 28}, {3, 12, 12});
    sum.credit = 0.25;
    sum.next_tier = 16;
    sum.outcome.timing = TimingOutcome{.basis = TimingOutcome::Basis::modelled,
                                       .speedup = 5,
                                       .low = 5,
                                       .high = 5,
                                       .baseline_us = 8250,
                                       .submission_us = 1650,
                                       .samples = {},
                                       .modelled_on = "NVIDIA H200",
                                       .limited_by = "atomics"};
    sum.outcome.cases = {accepted(1, "n=0 in=uniform"), accepted(2, "n=1 in=uniform"),
                         accepted(3, "n=1000003 in=mixed_magnitudes", Visibility::hidden),
                         skipped(4, {NotJudged::Why::needs_gpu})};
    sum.technique = TechniqueReport{
        {2, 4, 4},
        {{"global_atomics_per_element", 1, 0.05, SourceLocation{"student.cu", 21, 0}},
         {"bank_conflicts_per_access", 0, 0.5, {}}}};
    sum.score = {33, 44, 44};
    r.tasks.push_back(std::move(sum));

    auto max = task("max", "Maximum of floats", Verdict::deadlock, {10.5, 21, 21}, {0, 0, 9});
    max.next_tier = 4;
    max.outcome.untimed.why = NotJudged::Why::needs_gpu;
    max.outcome.cases = {accepted(1, "n=1 in=uniform"), accepted(2, "n=32 in=uniform")};
    CaseOutcome wrong = accepted(3, "n=1025 in=uniform");
    wrong.verdict = Verdict::wrong_answer;
    wrong.message = "1 of 1 elements of `out` differs from the expected value";
    wrong.pattern =
        "the result lacks what the last partial block holds: n is 1025 and the block has 256 "
        "threads";
    wrong.mismatches = {{"out", 0, {}, "7.998046875", "7.5"}};
    wrong.mismatch_count = 1;
    max.outcome.cases.push_back(wrong);
    for (int id = 4; id <= 6; ++id) {
        wrong.id = id;
        wrong.description = "n=257 in=runs";
        wrong.element_count = 300;
        wrong.mismatch_count = 44 + id;
        wrong.message = std::to_string(wrong.mismatch_count) + " of 300 elements differ";
        wrong.pattern = "only tile edges: every wrong index is a multiple of 16, or one less";
        wrong.mismatches.clear();
        for (int i = 0; i < 5; ++i)
            wrong.mismatches.push_back(
                {"image", 16 * i, {i, 16 * i}, "0." + std::to_string(i) + "25", "nan"});
        wrong.location = SourceLocation{"student.cu", 41, 7};
        max.outcome.cases.push_back(wrong);
    }
    CaseOutcome hidden = accepted(7, "n=4099 in=one_hot", Visibility::hidden);
    hidden.verdict = Verdict::wrong_answer;
    hidden.message = "the result differs from the expected one";
    hidden.pattern = "all zeros";
    hidden.mismatches = {{"out", 0, {}, "LEAKED", "LEAKED"}};  // a writer must not show it
    hidden.mismatch_count = 1;
    max.outcome.cases.push_back(hidden);
    CaseOutcome stuck = accepted(8, "n=65536 in=sorted");
    stuck.verdict = Verdict::deadlock;
    stuck.message = "32 warps wait at a barrier that 1 thread never reaches";
    stuck.location = SourceLocation{"student.cu", 57, 0};
    max.outcome.cases.push_back(stuck);
    CaseOutcome racing = wrong;
    racing.verdict = Verdict::data_race;
    racing.location = SourceLocation{"student.cu", 23, 9};
    racing.message = "thread (0,0,0) of block (0,0,0) reads `tile` in shared memory";
    racing.findings = {{"shared_race", racing.message, false, racing.location,
                        SourceLocation{"student.cu", 21, 5}},
                       {"hangs_before_volta",
                        "lanes wait for lanes of their own warp",
                        true,
                        SourceLocation{"student.cu", 30, 3},
                        {}},
                       {"uninitialised_read",
                        "thread (8,0,0) reads what nobody has written",
                        false,
                        SourceLocation{"student.cu", 25, 7},
                        {}}};
    for (int id = 12; id <= 13; ++id) {
        racing.id = id;
        racing.description = "n=" + std::to_string(id);
        max.outcome.cases.push_back(racing);
    }
    const NotJudged hung{NotJudged::Why::other, "an earlier case hung"};
    max.outcome.cases.push_back(skipped(9, hung));
    max.outcome.cases.push_back(skipped(10, hung));
    max.outcome.cases.push_back(skipped(11, {NotJudged::Why::needs_gpu}));
    r.tasks.push_back(std::move(max));

    auto cubes = task("cubes", "Sum of cubes", Verdict::skipped, {0, 0, 21}, {0, 0, 9});
    cubes.next_tier = 4;
    cubes.outcome.untimed.why = NotJudged::Why::needs_gpu;
    cubes.outcome.cases = {skipped(1, {NotJudged::Why::needs_gpu})};
    r.tasks.push_back(std::move(cubes));
    return r;
}

namespace {

/// A race on shared memory, which an experiment has explained.
TaskReport racing_task() {
    auto sum = task("sum", "Sum of doubles", Verdict::data_race, {7, 28, 28}, {0, 12, 12});
    sum.outcome.cases = {accepted(1, "n=1 in=uniform")};
    const SourceLocation read{"student.cu", 15, 9}, written{"student.cu", 12, 5};
    for (int id = 2; id <= 4; ++id) {
        CaseOutcome racing =
            accepted(id, "n=1025 in=uniform", id == 4 ? Visibility::hidden : Visibility::open);
        racing.verdict = Verdict::data_race;
        racing.message =
            "thread (0,0,0) of block (0,0,0) reads `tile[32]`, which thread (32,0,0) "
            "writes, and no barrier lies between";
        if (id == 4) racing.message = "a thread reads `tile`, which another one writes";
        racing.findings = {{"shared_race", racing.message, false, read, written}};
        racing.mismatches = {{"out", 0, {}, "511.5", "498.25"}};
        racing.mismatch_count = 1;
        sum.outcome.cases.push_back(racing);
    }
    sum.outcome.causes = {
        {.id = "missing_barrier",
         .location = read,
         .end_line = 0,
         .second = written,
         .proof = Proof::proven,
         .cases = {2, 3, 4},
         .explains = {"shared_race", "data_race", "wrong_answer"},
         .sentence = "Threads read `tile` in line 15 before others have written it in line 12.",
         .instance = "With n=1025, thread 0 of block 0 reads `tile[32]`, which thread 32 writes.",
         .advice =
             "Put `__syncthreads();` between the two, where all threads of the block come by.",
         .evidence = "with a barrier after line 12 all 4 cases are right",
         .excerpt = {
             {"student.cu", 11, "    double own = i < n ? in[i] : 0;"},
             {"student.cu", 12, "    tile[threadIdx.x] = own;"},
             {"student.cu", 13, ""},
             {"student.cu", 14, "    for (int half = 128; half > 0; half /= 2)"},
             {"student.cu", 15, "        tile[threadIdx.x] += tile[threadIdx.x + half];"}}}};
    return sum;
}

/// Wrong for two reasons, one of which is a guess; another failure has no known cause.
TaskReport wrong_task() {
    auto max = task("max", "Maximum of floats", Verdict::time_limit, {7, 21, 21}, {0, 9, 9});
    max.outcome.cases = {accepted(1, "n=1 in=uniform")};
    CaseOutcome wrong = accepted(2, "n=1000 in=uniform");
    wrong.verdict = Verdict::wrong_answer;
    wrong.message = "`out` is 0, expected -1";
    wrong.pattern = "the result is 0, and all elements are less";
    wrong.mismatches = {{"out", 0, {}, "-1", "0"}};
    wrong.mismatch_count = 1;
    CaseOutcome slow = accepted(3, "n=65536 in=sorted");
    slow.verdict = Verdict::time_limit;
    slow.message = "the kernel ran for 20 s and was making progress";
    max.outcome.cases.push_back(wrong);
    max.outcome.cases.push_back(slow);
    max.outcome.causes = {{.id = "wrong_identity",
                           .location = {"student.cu", 31, 0},
                           .cases = {2},
                           .explains = {"wrong_answer"},
                           .sentence = "The maximum starts at 0, which is more than any element.",
                           .advice = "Start at `-INFINITY`.",
                           .evidence = "all elements are negative, and the result is 0"},
                          {.id = "tail_ignored",
                           .cases = {2},
                           .sentence = "The last block has fewer elements than threads.",
                           .advice = "Compare the index with `n`."}};
    return max;
}

}  // namespace

Report sample_causes() {
    Report r = base();
    r.verdict = Verdict::time_limit;
    r.score = {14, 70, 70};
    r.seconds = 1.5;
    r.phases = {{"compile", 1.2}, {"emulate", 0.3}};
    r.tasks = {racing_task(), wrong_task()};
    return r;
}

Report sample_compile_error() {
    Report r = base();
    r.verdict = Verdict::compile_error;
    r.score = {0, 49, 70};
    r.seconds = 1.1;
    r.phases = {{"compile", 1.1}};
    r.compile_output =
        "student.cu(12): error: identifier \"n\" is undefined\n"
        "      out[i] = in[n - 1];\n"
        "                  ^\n\n"
        "1 error detected in the compilation of \"student.cu\".\n";
    for (const auto* name : {"sum", "max"}) {
        auto t = task(name, name == std::string("sum") ? "Sum of doubles" : "Maximum of floats",
                      Verdict::compile_error, {0, 24.5, 24.5}, {0, 0, 10.5});
        t.next_tier = 4;
        t.outcome.untimed.why = NotJudged::Why::needs_gpu;
        for (int id = 1; id <= 4; ++id) {
            CaseOutcome c = accepted(id, "n=1 in=uniform");
            c.verdict = Verdict::compile_error;
            c.message = "nvcc reports 1 error; see below";
            c.location = SourceLocation{"student.cu", 12, 0};
            c.seconds = 0;
            t.outcome.cases.push_back(c);
        }
        r.tasks.push_back(std::move(t));
    }
    return r;
}

Report sample_sealed() {
    Report out = report::sealed(
        sample_compile_error(),
        {.key = *seal::Key::from_hex(std::string(64, 'a')), .signing = std::nullopt});
    out.seal->public_key = std::string(64, 'b');
    out.seal->signature = std::string(128, 'c');
    return out;
}

Report sample_gpu() {
    Report r = base();
    r.provenance = on_h200();
    r.replay = "cugrade check student.cu -a reduction --backend gpu";
    r.verdict = Verdict::nondeterministic;
    r.score = {68, 100, 100};
    r.seconds = 14.25;
    r.phases = {{"compile", 1.25}, {"time", 13}};
    r.compile_output =
        "student.cu(3): warning #177-D: variable \"i\" was declared but never used\n\n";

    auto sum = task("sum", "Sum of doubles", Verdict::accepted, {28, 28, 28}, {12, 12, 12});
    sum.credit = 1;
    TimingOutcome timing{
        .basis = TimingOutcome::Basis::measured,
        .speedup = 41.23,
        .low = 41.01,
        .high = 41.5,
        .baseline_us = 8246,
        .submission_us = 200,
        .baseline_alone_us = 8000,
        .baseline_claim_us = 8240.5,
        .submission_claim_us = 198.5,
        .outside_us = 0.75,
        .samples = {{8246, 200, 8240.5, 198.5, 1.5}, {8250.5, 199.75, 8245, 198.25}},
        .calls = 26,
        .baseline_calls = 1,
        .empty_us = 180.5,
        .baseline_empty_us = 185.25,
        .dropped = 1,
        .dropped_because = "something else ran on the GPU",
        .boundary = 41.5,
        .measured_on = "NVIDIA H200"};
    sum.outcome.timing = timing;
    sum.outcome.gpu_s = 3.75;
    sum.outcome.cases = {accepted(1, "n=1 in=uniform"), accepted(2, "n=67108864 in=uniform")};
    r.tasks.push_back(std::move(sum));

    auto max = task("max", "Maximum of floats", Verdict::accepted, {21, 21, 21}, {4.5, 9, 9});
    max.credit = 0.5;
    max.next_tier = 64;
    timing.speedup = 17;
    timing.low = 3;
    timing.high = std::numeric_limits<double>::infinity();  // JSON has no word for it
    timing.samples.clear();
    timing.outside_us = 0;
    timing.boundary = 0;
    timing.dropped = 0;
    timing.dropped_because.clear();
    max.outcome.timing = timing;
    max.outcome.cases = {accepted(1, "n=1 in=uniform")};
    r.tasks.push_back(std::move(max));

    auto cubes = task("cubes", "Sum of cubes", Verdict::nondeterministic, {2.5, 21, 21}, {0, 9, 9});
    cubes.next_tier = 4;
    cubes.outcome.cases = {accepted(1, "n=0 in=ramp"), accepted(2, "n=1 in=ramp")};
    CaseOutcome racy = accepted(2, "n=1024 in=ramp");
    racy.verdict = Verdict::nondeterministic;
    racy.message = "two runs on the same data gave different results";
    cubes.outcome.cases[1] = racy;
    r.tasks.push_back(std::move(cubes));
    return r;
}

Sweep sample_sweep() {
    const auto point = [](std::uint64_t n, double us) {
        return SweepPoint{.n = n,
                          .message = {},
                          .median_us = us,
                          .low_us = 0.98 * us,
                          .high_us = 1.03 * us,
                          .samples = 31};
    };
    const auto none = [](std::uint64_t n, Verdict verdict, std::string message) {
        return SweepPoint{.n = n, .verdict = verdict, .message = std::move(message)};
    };
    const std::string no_room = "it needs 65536 MiB of the host's memory, of which 1000 are free";
    const auto skipped = none(1 << 30, Verdict::skipped, no_room);
    Sweep out;
    out.assignment = "reduction";
    out.task = "sum";
    out.argument = "in";
    out.provenance = on_h200();
    out.command = "cugrade sweep reduction/sum --submission \"it's.cu\" --sizes 2^1,1000,2^30";
    out.bandwidth_gb_s = 4470;
    out.launch_us = 2.5;
    out.roof_source = "measured";
    for (const std::uint64_t n : {std::uint64_t{2}, std::uint64_t{1000}, std::uint64_t{1} << 30}) {
        const auto bytes = static_cast<double>(8 * n + 8);
        out.sizes.push_back({.n = n,
                             .parameters = "n=" + std::to_string(n),
                             .bytes = bytes,
                             .roof_us = 2.5 + bytes / 4.47e6});
    }
    out.programs = {
        {.name = "CPU oracle",
         .file = {},
         .sha256 = {},
         .basis = "wall clock",
         .points = {point(2, 0.2), point(1000, 7), skipped}},
        {.name = "baseline",
         .file = "baseline.cu",
         .sha256 = std::string(64, 'd'),
         .basis = "events",
         .points = {point(2, 3.8), point(1000, 5.3), skipped}},
        {.name = "a name that is longer than its column",
         .file = "it's, \"wrong\".cu",
         .sha256 = std::string(64, 'e'),
         .basis = "events",
         .points = {none(2, Verdict::wrong_answer, "`out` is 1, expected \"2\",\nsays \x1b[31mit"),
                    none(1000, Verdict::time_limit, "the call did not return within 120 s"),
                    skipped}},
    };
    return out;
}

Roofline sample_roofline() {
    Roofline out;
    out.assignment = "reduction";
    out.submission_file = "it's.cu";
    out.submission_sha256 = std::string(64, 'f');
    out.provenance = on_h200();
    out.roofs = {.bytes_per_us = 4e6,
                 .operations_per_us = 32e6,
                 .doubles_per_us = 16e6,
                 .bandwidth_source = "measured",
                 .operations_source = "CUDA"};
    RooflineTask sum;  // 100 us for its bytes, and less for what it computes
    sum.name = "sum";
    sum.description = "n=50000000 in=uniform";
    sum.operations = 200e6;
    sum.doubles = 100e6;
    sum.bytes = 400e6;
    sum.median_us = 125;
    sum.low_us = 124;
    sum.high_us = 127;
    sum.samples = 31;
    sum.limited_by = "DRAM";
    RooflineTask cubes = sum;  // 100 us for 1600e6 doubles, 50 us for as many others
    cubes.name = "cubes";
    cubes.operations = 3200e6;
    cubes.doubles = 1600e6;
    cubes.median_us = 300;
    cubes.limited_by = "";
    RooflineTask max;
    max.name = "max";
    max.verdict = Verdict::wrong_answer;
    max.message = "`out` is 1,\n\x1b[31mexpected \"2\"";
    RooflineTask nested;
    nested.name = "nested";
    nested.verdict = Verdict::skipped;
    nested.message = "no model";
    out.tasks = {sum, cubes, max, nested};
    return out;
}

}  // namespace cugrade
