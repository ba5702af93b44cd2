// What a report says of a task that is right but slow.
#include "timing/too_slow.hpp"

#include "catch.hpp"
#include "timing/loaded_indices.hpp"

using namespace cugrade;

namespace {

const std::vector<SourceFile> source{{"student.cu",
                                      "__global__ void twice(const float* x, int n, float* y) {\n"
                                      "    for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
                                      "        y[i] = 2 * x[i];\n"
                                      "}\n"
                                      "void map(const float* x, int n, float* y) {\n"
                                      "    twice<<<1, 256>>>(x, n, y);\n"
                                      "}\n"}};

CaseSpec sized(int id, std::uint64_t n) {
    CaseSpec out;
    out.id = id;
    out.params["n"] = static_cast<double>(n);
    return out;
}

TaskSpec task() {
    TaskSpec out;
    out.name = "map";
    out.function = "map";
    ArgumentSpec y;
    y.name = "y";
    y.shape = {"n"};
    y.role = Role::output;
    out.arguments = {y};
    out.model = {sized(1, 1 << 16), sized(2, 1 << 18)};
    out.cases = {sized(1, 1 << 10), sized(2, 1 << 20), sized(3, 1 << 26)};
    out.cases.back().timed = true;
    return out;
}

/// Doubles n floats in line 3, in so many blocks of 256 threads.
emulator::KernelCounts twice(std::uint64_t n, std::uint64_t blocks) {
    const std::uint64_t warps = n / 32;
    emulator::KernelCounts k;
    k.kernel = "twice(float const*, int, float*)";
    k.launches = k.total.host_launches = 1;
    k.blocks = blocks;
    k.threads = 256 * blocks;
    k.block = {256, 1, 1};
    k.distinct_global_bytes = k.most_global_bytes = 8 * n;
    emulator::Counts& c = k.lines[{"student.cu", 3}];
    c.warp_instructions = 8 * warps;
    c.thread_instructions = 8 * n;
    c.global_load = {.requests = warps, .lanes = n, .bytes = 4 * n, .sectors = 4 * warps};
    c.global_store = c.global_load;
    k.line_timing[{"student.cu", 3}] = {.lines = warps,
                                        .stored_lines = warps,
                                        .missed_requests = warps,
                                        .missed_lines = warps,
                                        .missed_sectors = 4 * warps,
                                        .issue_slots = 8 * warps};
    k.total += c;
    auto& t = k.timing.emplace();
    t.waits = t.missed_waits = t.missed_requests = t.missed_lines = t.stored_lines = warps;
    t.lines = 2 * warps;
    t.missed_sectors = 4 * warps;
    t.issue_slots = 8 * warps;
    t.busiest_global_requests = warps / 4;
    t.busiest_block_global = 2 * warps / blocks;
    return k;
}

ModelCounts counted(bool one_block) {
    ModelCounts out;
    for (std::size_t k = 0; k < out.samples.size(); ++k) {
        const std::uint64_t n = k == 0 ? 1 << 16 : 1 << 18;
        out.samples[k].elements = static_cast<double>(n);
        out.samples[k].multiprocessors = k == 2 ? 4 : 2;
        out.samples[k].counts.kernels = {twice(n, one_block ? 1 : k == 2 ? 32 : 16)};
        out.samples[k].counts.distinct_bytes = 8 * n;
    }
    return out;
}

model::Device device() {
    return {.id = "h200",
            .name = "NVIDIA H200",
            .multiprocessors = 132,
            .clock_ghz = 1.98,
            .threads = 2048,
            .blocks = 32,
            .shared_kib = 228,
            .fp64_lanes = 64,
            .dram_gb_s = 4800,
            .l2_mib = 50,
            .l2_bytes_per_clock = 5120,
            .host_gb_s = 64};
}

TaskPolicy policy() {
    TaskPolicy out;
    out.performance = 10;
    out.tiers = {{2, 0.25}, {4, 0.5}, {1000, 1}};
    return out;
}

}  // namespace

TEST_CASE("one block: the launch's line, the gain and the tier") {
    const TaskSpec of = task();
    const ModelCounts counts = counted(true);
    TimingOutcome timing = modelled_speedup(device(), of, counts.samples, counts);
    const auto causes = too_slow(device(), of, counts, policy(), timing, source);
    REQUIRE(!causes.empty());
    const Cause& first = causes.front();
    CHECK(first.id == "too_slow");
    CHECK(first.location == SourceLocation{"student.cu", 6, 5});
    CHECK(first.proof == Proof::likely);
    CHECK(first.sentence.find("`twice` runs as 1 block of 256 threads") == 0);
    CHECK(first.evidence.find("x faster") != std::string::npos);
    CHECK(first.evidence.find("tier 2 of 3") != std::string::npos);

    SECTION("a measured speed is not predicted") {
        timing.basis = TimingOutcome::Basis::measured;
        const auto measured = too_slow(device(), of, counts, policy(), timing, source);
        REQUIRE(!measured.empty());
        CHECK(measured.front().sentence == first.sentence);
        CHECK(measured.front().evidence.find("faster") == std::string::npos);
    }
}

TEST_CASE("where nothing gains a tenth, no gain is promised") {
    const TaskSpec of = task();
    const ModelCounts counts = counted(false);
    const TimingOutcome timing = modelled_speedup(device(), of, counts.samples, counts);
    const auto causes = too_slow(device(), of, counts, policy(), timing, source);
    REQUIRE(causes.size() == 1);
    CHECK(causes.front().sentence.find("limited by DRAM") != std::string::npos);
    CHECK(causes.front().evidence.empty());
}

TEST_CASE("large cases that run into the time limit") {
    const TaskSpec of = task();
    TaskOutcome outcome;
    CaseOutcome small{.id = 1}, large{.id = 2};
    small.verdict = Verdict::accepted;
    large.verdict = Verdict::time_limit;
    large.location = SourceLocation{"student.cu", 3, 5};
    outcome.cases = {small, large};
    const auto causes = too_slow_for_large(of, outcome);
    REQUIRE(causes.size() == 1);
    CHECK(causes.front().location.line == 3);
    CHECK(causes.front().cases == std::vector{2});
    CHECK(causes.front().instance.find("up to 1024 elements") != std::string::npos);

    // A loop that does not end for a small size is another mistake.
    outcome.cases[0].verdict = Verdict::time_limit;
    outcome.cases[1].verdict = Verdict::accepted;
    CHECK(too_slow_for_large(of, outcome).empty());
    // Where only hidden cases tell, nothing is told.
    outcome.cases = {small, large};
    outcome.cases[1].visibility = Visibility::hidden;
    CHECK(too_slow_for_large(of, outcome).empty());
}

TEST_CASE("lines whose indices are loaded cannot be coalesced") {
    const std::vector<SourceFile> text{{"a.cu",
                                        "__shared__ int mine[256];\n"            // 1
                                        "y[i] = x[i];\n"                         // 2
                                        "sum += value[neighbour[i]];\n"          // 3
                                        "const int t = target[i], u = t + 1;\n"  // 4
                                        "total[t + 1] += x[i];\n"                // 5
                                        "++mine[x[i]];\n"                        // 6
                                        "atomicAdd(&bins[x[i]], 1);\n"           // 7
                                        "if (x[i] == y[j]) z[k] = 0;\n"          // 8
                                        "// value[neighbour[i]]\n"}};
    CHECK(lines_with_loaded_indices(text) == std::set<emulator::Line>{{"a.cu", 3}, {"a.cu", 5}});
}
