// What the time model is told of kernels whose numbers can be worked out by hand.
#include "emulator/observe/timing_counters.hpp"

#include "emulator/counts/json.hpp"
#include "emulator/device.hpp"

namespace {

using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

const std::string registers = ".reg .b64 %in, %p<8>;\n.reg .b32 %t, %r<12>;\n.reg .pred %q<4>;\n";

/// A kernel k(in) that does `body` with %p0 = in + 4 * tid.
std::string kernel(const std::string& body, const std::string& before = "") {
    return header() + before + ".visible .entry k(.param .u64 in_param)\n{\n" + registers +
           "ld.param.u64 %in, [in_param];\nmov.u32 %t, %tid.x;\n"
           "mul.wide.u32 %p0, %t, 4;\nadd.s64 %p0, %in, %p0;\n" +
           body + "ret;\n}\n";
}

std::unique_ptr<cugrade::ptx::Module> parsed(const std::string& text) {
    auto module = cugrade::ptx::parse(text, "test.ptx");
    if (!module) FAIL(module.error().text());
    return std::move(*module);
}

/// Of all blocks together.
Waits waits_in(const std::string& body, const std::string& before = "") {
    const auto module = parsed(kernel(body, before));
    Waits sum;
    for (const Waits& block : waits_of(module->functions.back()).blocks) {
        sum.global += block.global;
        sum.shared += block.shared;
    }
    return sum;
}

TimingCounts timing(const std::string& body, Dim3 grid, Dim3 block,
                    const std::string& before = "") {
    Device device(kernel(body, before));
    TimingCounters counters;
    const auto in = device.buffer(std::vector<std::uint32_t>(1 << 14));
    device.run("k", grid, block, Params().add(in), {.observer = &counters});
    REQUIRE(counters.kernels().size() == 1);
    return counters.kernels().begin()->second.total;
}

}  // namespace

TEST_CASE("loads that do not depend on each other are one wait") {
    CHECK(waits_in("").global == 0);
    CHECK(waits_in("ld.global.u32 %r0, [%p0];\nst.global.u32 [%p0+64], %r0;\n").global == 1);
    const std::string two = "ld.global.u32 %r0, [%p0];\nld.global.u32 %r1, [%p0+64];\n";
    CHECK(waits_in(two + "add.u32 %r0, %r0, %r1;\n").global == 1);
    // Also if the first is used before the second is loaded: ptxas moves loads up.
    CHECK(waits_in("ld.global.u32 %r0, [%p0];\nadd.u32 %r2, %r0, 1;\n"
                   "ld.global.u32 %r1, [%p0+64];\nadd.u32 %r2, %r2, %r1;\n")
              .global == 1);
    // An address that was loaded.
    CHECK(waits_in("ld.global.u64 %p1, [%in];\nld.global.u32 %r1, [%p1];\n").global == 2);
}

TEST_CASE("loads do not pass stores, barriers and the ends of blocks") {
    const std::string load = "ld.global.u32 %r0, [%p0];\n", next = "ld.global.u32 %r1, [%p0+64];\n";
    CHECK(waits_in(load + "st.global.u32 [%p0+128], %r0;\n" + next).global == 2);
    CHECK(waits_in(load + "add.u32 %r0, %r0, 1;\nbar.sync 0;\n" + next).global == 2);
    CHECK(waits_in(load + "bar.sync 0;\n" + next).global == 1);  // nobody has waited for it
    CHECK(waits_in(load + "st.global.u32 [%p0+128], %r0;\nld.global.nc.u32 %r1, [%p0+64];\n")
              .global == 1);
    CHECK(waits_in(load + "setp.eq.u32 %q0, %r0, 1;\n@%q0 bra END;\n" + next +
                   "END: add.u32 %r1, %r1, 1;\n")
              .global == 2);
}

TEST_CASE("an atomic is waited for if its result is used") {
    CHECK(waits_in("red.global.add.u32 [%p0], %t;\n").global == 0);
    CHECK(waits_in("atom.global.add.u32 %r0, [%p0], %t;\n").global == 0);
    CHECK(waits_in("atom.global.add.u32 %r0, [%p0], %t;\nst.global.u32 [%p0+64], %r0;\n").global ==
          1);
}

TEST_CASE("shared memory has waits of its own") {
    const std::string s = ".shared .align 4 .b8 s[512];\n";
    const Waits sum = waits_in(
        "mov.u32 %r3, s;\nld.shared.u32 %r0, [%r3];\n"
        "st.shared.u32 [%r3+4], %r0;\nld.global.u32 %r2, [%p0];\n"
        "ld.shared.u32 %r1, [%r3+8];\nadd.u32 %r1, %r1, %r2;\n",
        s);
    CHECK(sum.shared == 2);
    CHECK(sum.global == 1);
}

TEST_CASE("machine instructions of one PTX instruction") {
    const auto module =
        parsed(kernel("add.s64 %p1, %p0, 8;\nadd.s32 %r0, %t, 1;\n"
                      "div.u32 %r1, %r0, %t;\nmul.lo.s64 %p2, %p1, %p1;\n"));
    const auto& f = module->functions.back();
    std::vector<std::uint32_t> slots;
    for (const auto& i : f.instructions) slots.push_back(issue_slots(f, i));
    CHECK(slots == std::vector<std::uint32_t>{0, 1, 1, 2, 2, 1, 18, 4, 1});
}

TEST_CASE("a cache of lines forgets one of them where another needs its place") {
    LineCache cache;
    cache.reset(LineCache::ways * LineCache::line_bytes);  // one set
    CHECK(cache.bring(1, 0b0011) == 0b0011);
    CHECK(cache.bring(1, 0b0110) == 0b0100);
    for (std::uint64_t line = 2; line <= LineCache::ways; ++line) CHECK(cache.bring(line, 1) == 1);
    for (std::uint64_t line = 1; line <= LineCache::ways; ++line) CHECK(cache.bring(line, 1) == 0);
    // Two lines too many, in turns: not all of them miss, as they would if the oldest had to go.
    std::uint64_t missed = 0;
    constexpr std::uint64_t rounds = 1000, lines = LineCache::ways + 2;
    for (std::uint64_t n = 0; n < rounds * lines; ++n) missed += cache.bring(1 + n % lines, 1);
    CHECK(missed > rounds * lines / 10);
    CHECK(missed < rounds * lines / 2);
    // The same accesses, the same misses.
    cache.reset(LineCache::ways * LineCache::line_bytes);
    CHECK(cache.bring(1, 1) == 1);
}

TEST_CASE("what was loaded or stored is in the first-level cache") {
    const std::string load = "ld.global.u32 %r0, [%p0];\n", add = "add.u32 %r1, %r1, %r0;\n";
    const TimingCounts once = timing(load + add, {2}, {64});
    CHECK(once.lines == 4);
    CHECK(once.missed_requests == 4);
    CHECK(once.missed_lines == 4);
    CHECK(once.missed_sectors == 16);
    CHECK(once.waits == 4);
    CHECK(once.busiest_global_requests == 2);
    CHECK(once.busiest_block_global == 2);
    CHECK(once.busiest_block_shared == 0);
    const TimingCounts twice = timing(load + add + load + add, {2}, {64});
    CHECK(twice.lines == 8);
    CHECK(twice.missed_sectors == 16);
    CHECK(twice.waits == 4);
    const TimingCounts stored = timing("st.global.u32 [%p0], %t;\n" + load + add, {2}, {64});
    CHECK(stored.stored_lines == 4);
    CHECK(stored.missed_sectors == 0);
    const TimingCounts always = timing(
        "ld.volatile.global.u32 %r0, [%p0];\n"
        "ld.volatile.global.u32 %r1, [%p0];\n",
        {1}, {32});
    CHECK(always.missed_lines == 2);
}

TEST_CASE("atomics: the busiest address and the busiest KiB, by kind") {
    // All on one word: 32-bit integers act as one per warp, wider ones do not.
    const TimingCounts narrow = timing("red.global.add.u32 [%in], 1;\n", {4}, {64});
    CHECK(narrow.integer32.most_on_one_address == 8);
    CHECK(narrow.integer32.sectors == 8);
    CHECK(narrow.integer32.most_in_one_kib == 8);
    const TimingCounts wide =
        timing("mov.u64 %p1, 1;\nred.global.add.u64 [%in], %p1;\n", {4}, {64});
    CHECK(wide.integer64.most_on_one_address == 256);
    CHECK(wide.integer32 == AtomicLoad{});
    const TimingCounts swaps = timing("atom.global.exch.b32 %r0, [%in], %t;\n", {1}, {64});
    CHECK(swaps.swaps.most_on_one_address == 64);
    // 512 words of 4 bytes: two KiB, a word each.
    const TimingCounts spread = timing("red.global.add.f32 [%p0], 0f3F800000;\n", {3}, {512});
    CHECK(spread.floating.most_on_one_address == 3);
    CHECK(spread.floating.sectors == 3 * 64);
    CHECK(spread.floating.most_in_one_kib == 3 * 32);
}

TEST_CASE("the busiest warp of a block") {
    // Warp 0 loads once more than the others.
    const TimingCounts t = timing(
        "ld.global.u32 %r0, [%p0];\nsetp.ge.u32 %q0, %t, 32;\n@%q0 bra END;\n"
        "ld.global.u32 %r1, [%p0+1024];\nadd.u32 %r0, %r0, %r1;\nEND: add.u32 %r2, %r0, 1;\n",
        {5}, {128});
    CHECK(t.busiest_global_requests == 5 * 2);
    CHECK(t.lines == 5 * (4 + 1));
}

TEST_CASE("each line has its part of the misses, lines and machine instructions") {
    Device device(kernel(".loc 1 11 0\nld.global.u32 %r0, [%p0];\n"
                         ".loc 1 12 0\nmul.wide.u32 %p1, %t, 128;\nadd.s64 %p1, %in, %p1;\n"
                         "ld.global.u32 %r1, [%p1];\n"
                         ".loc 1 13 0\nst.global.u32 [%p0], %r1;\n") +
                  ".file 1 \"student.cu\"\n");
    TimingCounters counters;
    const auto in = device.buffer(std::vector<std::uint32_t>(1 << 14));
    device.run("k", {1}, {32}, Params().add(in), {.observer = &counters});
    REQUIRE(counters.kernels().size() == 1);
    const auto& [total, lines] = counters.kernels().begin()->second;
    const LineTiming coalesced = lines.at({"student.cu", 11});
    CHECK(coalesced.lines == 1);
    CHECK(coalesced.missed_requests == 1);
    CHECK(coalesced.missed_sectors == 4);
    const LineTiming strided = lines.at({"student.cu", 12});
    CHECK(strided.lines == 32);
    CHECK(strided.missed_lines == 31);  // the first is there already
    CHECK(strided.missed_sectors == 31);
    CHECK(strided.issue_slots > coalesced.issue_slots);
    CHECK(lines.at({"student.cu", 13}).stored_lines == 1);
    LineTiming sum;
    for (const auto& [line, timing] : lines) sum += timing;
    CHECK(sum.lines + sum.stored_lines == total.lines);
    CHECK(sum.missed_lines == total.missed_lines);
    CHECK(sum.issue_slots == total.issue_slots);

    KernelCounts k;
    k.lines[{"student.cu", 12}] = {};
    k.line_timing[{"student.cu", 12}] = strided;
    const auto back = counts_from_json(to_json({{k}, {}}));
    REQUIRE(back.ok());
    CHECK(back->kernels.at(0).line_timing == k.line_timing);
}

TEST_CASE("timing counts cross as JSON") {
    KernelCounts k;
    k.kernel = "k";
    auto& t = k.timing.emplace();
    t.waits = 1;
    t.shared_waits = 2;
    t.busiest_shared_requests = 3;
    t.issue_slots = 4;
    t.floating = {5, 6, 7};
    HostCounts host;
    host.reads = 8;
    host.read_bytes = 9;
    const auto back = counts_from_json(to_json({{k}, host}));
    REQUIRE(back.ok());
    CHECK(back->kernels.at(0).timing == t);
    CHECK(back->host == host);
    k.timing.reset();
    CHECK_FALSE(counts_from_json(to_json({{k}, {}}))->kernels.at(0).timing.has_value());
}

TEST_CASE("cp.async touches the lines of what it copies") {
    // 32 lanes, 16 bytes each, one behind the other: 4 lines. Scattered: a line each.
    const std::string to =
        "mov.u32 %r1, s;\nmad.lo.u32 %r1, %t, 16, %r1;\nmul.wide.u32 %p1, %t, DISTANCE;\n"
        "add.s64 %p1, %in, %p1;\ncp.async.cg.shared.global [%r1], [%p1], 16;\n"
        "cp.async.wait_all;\n";
    const auto lines = [&](const char* distance) {
        std::string body = to;
        body.replace(body.find("DISTANCE"), 8, distance);
        return timing(body, {1}, {32}, ".shared .align 16 .b8 s[512];\n").lines;
    };
    CHECK(lines("16") == 4);
    CHECK(lines("128") == 32);
    CHECK(lines("1024") == 32);
}
