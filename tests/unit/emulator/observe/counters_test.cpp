// Counts of small kernels whose numbers can be worked out by hand.
#include "emulator/observe/counters.hpp"

#include <set>

#include "emulator/counts/json.hpp"
#include "emulator/device.hpp"

namespace {

using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

Access access(std::uint32_t bytes, const std::function<std::uint64_t(std::uint32_t)>& address,
              std::uint32_t mask = all_lanes) {
    Access a;
    a.bytes = bytes;
    a.mask = mask;
    for (std::uint32_t l = 0; l < lanes; ++l) a.address[l] = address(l);
    return a;
}

/// Every thread reads in[index * stride] (stride in words) and writes out[index].
std::string strided(int stride) {
    return header() +
           ".visible .entry k(.param .u64 in_param, .param .u64 out_param)\n{\n"
           ".reg .b64 %in, %out, %p0, %p1;\n.reg .b32 %t, %c, %n, %r0, %r1;\n.reg .pred %q0;\n"
           ".loc 1 10 0\n"
           "ld.param.u64 %in, [in_param];\nld.param.u64 %out, [out_param];\n"
           "mov.u32 %t, %tid.x;\nmov.u32 %c, %ctaid.x;\nmov.u32 %n, %ntid.x;\n"
           "mad.lo.u32 %t, %c, %n, %t;\n"
           "mul.wide.u32 %p0, %t, " +
           std::to_string(4 * stride) +
           ";\nadd.s64 %p0, %in, %p0;\n"
           "mul.wide.u32 %p1, %t, 4;\nadd.s64 %p1, %out, %p1;\n"
           ".loc 1 11 0\nld.global.u32 %r0, [%p0];\n"
           ".loc 1 12 0\nsetp.lt.u32 %q0, %t, 16;\n@%q0 bra LOW;\nadd.u32 %r0, %r0, 1;\n"
           ".loc 1 13 0\nLOW: st.global.u32 [%p1], %r0;\nret;\n}\n.file 1 \"student.cu\"\n";
}

KernelCounts count(const std::string& ptx, Dim3 grid, Dim3 block, std::size_t in_words) {
    Device device(ptx);
    Counters counters;
    const auto in = device.buffer(std::vector<std::uint32_t>(in_words, 5));
    const auto out = device.buffer(std::vector<std::uint32_t>(grid.count() * block.count()));
    device.run("k", grid, block, Params().add(in).add(out), {.observer = &counters});
    const auto got = device.read<std::uint32_t>(out, grid.count() * block.count());
    for (std::size_t t = 0; t < got.size(); ++t) CHECK(got[t] == (t < 16 ? 5 : 6));
    REQUIRE(counters.kernels().size() == 1);
    return counters.kernels().front();
}

}  // namespace

TEST_CASE("sectors: distinct pieces of 32 bytes") {
    CHECK(sectors_of(access(4, [](auto l) { return 4096 + 4 * l; })) == 4);
    CHECK(sectors_of(access(4, [](auto l) { return 4096 + 16 + 4 * l; })) == 5);
    CHECK(sectors_of(access(4, [](auto l) { return 4096 + 8 * l; })) == 8);
    CHECK(sectors_of(access(4, [](auto l) { return 4096 + 128 * l; })) == 32);
    CHECK(sectors_of(access(4, [](auto l) { return 4096 + 4 * (31 - l); })) == 4);
    CHECK(sectors_of(access(4, [](auto) { return 4096; })) == 1);
    CHECK(sectors_of(access(16, [](auto l) { return 4096 + 16 * l; })) == 16);
    CHECK(sectors_of(access(1, [](auto l) { return 4096 + l; })) == 1);
    CHECK(sectors_of(access(
              4, [](auto l) { return 4096 + 32 * (l * 7 % 32); }, 0x0000FFFF)) == 16);
}

TEST_CASE("wavefronts: a broadcast is free, two words of one bank are not") {
    const auto both = [](const Access& a) {
        const Wavefronts w = wavefronts_of(a);
        return std::pair(w.taken, w.ideal);
    };
    CHECK(both(access(4, [](auto l) { return 4 * l; })) == std::pair(1u, 1u));
    CHECK(both(access(4, [](auto) { return 64; })) == std::pair(1u, 1u));
    CHECK(both(access(4, [](auto l) { return 8 * l; })) == std::pair(2u, 1u));
    CHECK(both(access(4, [](auto l) { return 128 * l; })) == std::pair(32u, 1u));
    CHECK(both(access(4, [](auto l) { return 132 * l; })) == std::pair(1u, 1u));
    CHECK(both(access(1, [](auto l) { return l; })) == std::pair(1u, 1u));
    CHECK(both(access(8, [](auto l) { return 8 * l; })) == std::pair(2u, 2u));
    CHECK(both(access(16, [](auto l) { return 16 * l; })) == std::pair(4u, 4u));
    Access atomic = access(4, [](auto l) { return 4 * (l % 4); });
    atomic.kind = Access::Kind::atomic;
    CHECK(both(atomic).first == 8);
}

TEST_CASE("accesses taken whole count as lane by lane") {
    // Straight from the definitions.
    const auto sectors = [](const Access& a) {
        std::set<std::uint64_t> distinct;
        for (std::uint32_t l = 0; l < lanes; ++l)
            for (std::uint32_t k = 0; (a.mask >> l & 1) != 0 && k < a.bytes; ++k)
                distinct.insert((a.address[l] + k) / 32);
        return distinct.size();
    };
    const auto wavefronts = [](const Access& a) {
        const std::uint32_t words = std::max(1u, a.bytes / 4);
        const std::uint32_t together = words >= 4 ? 8 : words == 2 ? 16 : 32;
        std::pair<std::uint32_t, std::uint32_t> result;
        for (std::uint32_t from = 0; from < lanes; from += together) {
            std::multiset<std::uint64_t> touched;
            for (std::uint32_t l = from; l < from + together; ++l)
                for (std::uint32_t k = 0; (a.mask >> l & 1) != 0 && k < words; ++k)
                    if (const std::uint64_t word = a.address[l] / 4 + k;
                        a.kind == Access::Kind::atomic || !touched.contains(word))
                        touched.insert(word);
            std::array<std::uint32_t, 32> banks{};
            for (const std::uint64_t word : touched) ++banks[word % 32];
            result.first += *std::max_element(banks.begin(), banks.end());
            result.second += static_cast<std::uint32_t>(touched.size() + 31) / 32;
        }
        return result;
    };
    std::uint32_t state = 7;
    const auto random = [&state](std::uint32_t n) {
        state = state * 1664525 + 1013904223;
        return (state >> 8) % n;
    };
    for (int round = 0; round < 20'000; ++round) {
        const std::uint32_t bytes = 1u << random(5), start = 4096 + bytes * random(64);
        std::uint32_t mask = random(2) == 0 ? all_lanes : state;
        if (random(3) == 0) mask = ((2u << random(32)) - 1) << random(32);  // a run
        if (mask == 0) mask = 1;
        const std::uint32_t kind = random(5), stride = random(40);
        const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
        Access a = access(
            bytes,
            [&](std::uint32_t l) -> std::uint64_t {
                switch (kind) {
                    case 0: return start + (l - first) * bytes;
                    case 1: return start;
                    case 2: return start + l * stride * bytes;
                    case 3: return start + (lanes - l) * stride * bytes;
                    default: return start + random(1u << (1 + round % 12)) * bytes;
                }
            },
            mask);
        a.kind = static_cast<Access::Kind>(random(3));
        const auto check = [&] {
            const Wavefronts w = wavefronts_of(a);
            if (sectors_of(a) != sectors(a) || std::pair(w.taken, w.ideal) != wavefronts(a)) {
                CAPTURE(round, kind, bytes, mask, start, stride);
                CHECK(sectors_of(a) == sectors(a));
                CHECK(std::pair(w.taken, w.ideal) == wavefronts(a));
            }
        };
        check();
        a.pattern = pattern_of(a);
        if (kind < 2)
            CHECK((kind == 0 ? (mask >> first & ((mask >> first) + 1)) != 0 ||
                                   a.pattern == Pattern::consecutive
                             : a.pattern != Pattern::scattered));
        check();
    }
}

TEST_CASE("a kernel's counts, by kernel and by line") {
    const KernelCounts k = count(strided(1), {2}, {64}, 128);
    CHECK(k.launches == 1);
    CHECK(k.blocks == 2);
    CHECK(k.threads == 128);
    const Counts& t = k.total;
    CHECK(t.global_load.requests == 4);
    CHECK(t.global_load.lanes == 128);
    CHECK(t.global_load.bytes == 512);
    CHECK(t.global_load.sectors == 16);
    CHECK(t.global_store.sectors == 16);
    CHECK(t.branches == 4);
    CHECK(t.divergent_branches == 1);  // of the warp with threads 0 to 31
    CHECK(k.distinct_global_bytes == 2 * 512);
    CHECK(t.shared_load == Traffic{});
    // The add runs in every warp, for half of the lanes of the first.
    const auto line = [&](int n) { return k.lines.at({"student.cu", n}); };
    CHECK(line(11).global_load.requests == 4);
    CHECK(line(11).warp_instructions == 4);
    CHECK(line(12).thread_instructions == 128 + 128 + 112);
    CHECK(line(13).global_store.requests == 4 + 0);
    Counts sum;
    for (const auto& [where, counts] : k.lines) sum += counts;
    CHECK(t.host_launches == 1);
    sum.host_launches = 1;  // lines have none
    CHECK(sum == t);
    CHECK(k.occupancy.limit == "the grid");
}

TEST_CASE("cp.async is a load and a store, for each warp alike") {
    Device device(header() +
                  ".visible .entry k(.param .u64 in_param)\n{\n.shared .align 16 .b8 s[1024];\n"
                  ".reg .b64 %in, %p;\n.reg .b32 %t, %s;\n"
                  "ld.param.u64 %in, [in_param];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %p, %t, 16;\n"
                  "add.s64 %p, %in, %p;\nmov.u32 %s, s;\nmad.lo.u32 %s, %t, 16, %s;\n"
                  "cp.async.cg.shared.global [%s], [%p], 16;\ncp.async.wait_all;\nret;\n}\n");
    Counters counters;
    const auto in = device.buffer(std::vector<std::uint32_t>(256));
    device.run("k", {1}, {64}, Params().add(in), {.observer = &counters});
    const Counts& t = counters.kernels().at(0).total;
    CHECK(t.global_load.requests == 2);
    CHECK(t.global_store == Traffic{});
    CHECK(t.shared_store.requests == 2);
    CHECK(t.shared_load == Traffic{});
}

TEST_CASE("a stride costs sectors") {
    for (const int stride : {1, 2, 4, 8, 32}) {
        const KernelCounts k = count(strided(stride), {1}, {32}, 32 * 32);
        CHECK(k.total.global_load.sectors == static_cast<std::uint64_t>(std::min(4 * stride, 32)));
        CHECK(k.total.global_store.sectors == 4);
    }
}

TEST_CASE("collisions of atomics are counted by address") {
    Device device(header() +
                  ".visible .entry k(.param .u64 out_param)\n{\n"
                  ".reg .b64 %out, %p0;\n.reg .b32 %t, %r<4>;\n.shared .align 4 .b8 s[64];\n"
                  "ld.param.u64 %out, [out_param];\nmov.u32 %t, %tid.x;\nand.b32 %r0, %t, 3;\n"
                  "mul.wide.u32 %p0, %r0, 4;\nadd.s64 %p0, %out, %p0;\n"
                  "red.global.add.u32 [%p0], 1;\n"
                  "bar.sync 0;\nret;\n}\n");
    Counters counters;
    const auto out = device.buffer(std::vector<std::uint32_t>(4));
    for (int n = 0; n < 2; ++n)
        device.run("k", {3}, {64}, Params().add(out), {.observer = &counters});
    CHECK(device.read<std::uint32_t>(out, 4) == std::vector<std::uint32_t>(4, 96));
    REQUIRE(counters.kernels().size() == 1);
    const KernelCounts& k = counters.kernels().front();
    CHECK(k.launches == 2);
    CHECK(k.most_atomics_on_one_address == 48);
    CHECK(k.total.global_atomic.lanes == 2 * 192);
    CHECK(k.total.global_atomic.sectors == 2 * 6);
    CHECK(k.total.barriers == 2 * 6);
    CHECK(k.total.by_class[static_cast<std::size_t>(InstructionClass::atomic)] == 12);
    const auto back =
        counts_from_json(to_json({counters.kernels(), {.shown_bytes = 7}, {{"in", 64, 32, 16}}}));
    REQUIRE(back.ok());
    CHECK(back->host.shown_bytes == 7);
    CHECK(back->buffers == std::vector<BufferCounts>{{"in", 64, 32, 16}});
    REQUIRE(back->kernels.size() == 1);
    CHECK(back->kernels.front().most_atomics_on_one_address == 48);
    CHECK(back->kernels.front().total == k.total);
    CHECK(back->kernels.front().lines == k.lines);
    CHECK_FALSE(counts_from_json("{}").ok());
}

TEST_CASE("a vector of atomics is one access of all its bytes") {
    // Each thread adds to vector t % 16, of 16 bytes.
    Device device(header() +
                  ".visible .entry k(.param .u64 out_param)\n{\n"
                  ".reg .b64 %out, %p0;\n.reg .b32 %t, %r0;\n.reg .f32 %f0, %f1;\n"
                  "ld.param.u64 %out, [out_param];\nmov.u32 %t, %tid.x;\nand.b32 %r0, %t, 15;\n"
                  "mul.wide.u32 %p0, %r0, 16;\nadd.s64 %p0, %out, %p0;\n"
                  "mov.f32 %f0, 0f3F800000;\nmov.f32 %f1, 0f40000000;\n"
                  "red.global.add.v4.f32 [%p0], {%f0, %f1, %f0, %f1};\n"
                  "ret;\n}\n");
    Counters counters;
    const auto out = device.buffer(std::vector<float>(64));
    device.run("k", {2}, {32}, Params().add(out), {.observer = &counters});
    std::vector<float> expected;
    for (int n = 0; n < 64; ++n) expected.push_back(n % 2 == 0 ? 4 : 8);
    CHECK(device.read<float>(out, 64) == expected);
    REQUIRE(counters.kernels().size() == 1);
    const KernelCounts& k = counters.kernels().front();
    CHECK(k.total.global_atomic.requests == 2);
    CHECK(k.total.global_atomic.lanes == 64);
    CHECK(k.total.global_atomic.bytes == 64 * 16);
    CHECK(k.total.global_atomic.sectors == 2 * 8);
    CHECK(k.distinct_global_bytes == 256);
    CHECK(k.most_atomics_on_one_address == 4);
    CHECK(k.total.by_class[static_cast<std::size_t>(InstructionClass::atomic)] == 2);
}

TEST_CASE("what kernels and copies cover of a buffer counts once") {
    Device device(strided(2));
    Counters counters;
    const auto in = device.buffer(std::vector<std::uint32_t>(1024, 5));
    const auto out = device.buffer(std::vector<std::uint32_t>(256));
    const Params params = Params().add(in).add(out);
    const auto run = [&] { device.run("k", {1}, {64}, params, {.observer = &counters}); };
    const auto stored = [&] { return counters.coverage_of(out, 1024).stored_bytes; };
    CHECK(stored() == 0);
    run();
    run();
    CHECK(stored() == 256);
    CHECK(counters.coverage_of(out, 1024).read_bytes == 0);
    CHECK(counters.coverage_of(in, 4096).read_bytes == 512);  // every second word: all sectors
    CHECK(counters.coverage_of(in, 4096).stored_bytes == 0);
    CHECK(counters.coverage_of(out, 100).stored_bytes == 100);
    // The host overwrites half of it, fills a part behind it, and copies.
    counters.written_by_host(out, 128);
    CHECK(stored() == 128);
    counters.filled(out + 512, 64);
    CHECK(stored() == 192);
    counters.copied(out + 768, in + 2048, 256);
    CHECK(stored() == 448);
    CHECK(counters.coverage_of(in, 4096).read_bytes == 768);
    counters.read_by_host(in + 4064, 32);
    CHECK(counters.coverage_of(in, 4096).read_bytes == 800);
    counters.clear();
    CHECK(stored() == 0);
}

TEST_CASE("a launch that is not watched is not counted, and gives the same bits") {
    Device device(strided(2));
    Counters counters;
    const auto in = device.buffer(std::vector<std::uint32_t>(128, 5));
    const auto out = device.buffer(std::vector<std::uint32_t>(64));
    const Params params = Params().add(in).add(out);
    device.run("k", {1}, {64}, params);
    const auto plain = device.read<std::uint32_t>(out, 64);
    device.run("k", {1}, {64}, params, {.observer = &counters});
    CHECK(device.read<std::uint32_t>(out, 64) == plain);
    device.run("k", {1}, {64}, params);
    REQUIRE(counters.kernels().size() == 1);
    CHECK(counters.kernels().front().launches == 1);
}
