// Divergence, locks, barriers, deadlock and budget: what runs when, and what is said if nothing
// can.
#include <numeric>

#include "emulator/device.hpp"

namespace {

using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

using Words = std::vector<std::uint32_t>;

/// A kernel with one pointer parameter in %out, %t = %tid.x, and registers to work with.
std::string kernel(const std::string& body, const std::string& before = {}) {
    return header() + before +
           ".visible .entry k(.param .u64 out_param)\n{\n"
           ".reg .b64 %out, %p0, %p1, %p2;\n.reg .b32 %t, %r<16>;\n.reg .pred %q<8>;\n"
           ".shared .align 4 .b8 shared[1024];\n"
           "ld.param.u64 %out, [out_param];\nmov.u32 %t, %tid.x;\n" +
           body +
           "\nret;\n}\n.file 1 \"student.cu\"\n.file 2 "
           "\"/usr/local/cuda/include/sm_30_intrinsics.hpp\"\n";
}

/// %p0 = &out[%t]
const std::string own_element = "mul.wide.u32 %p0, %t, 4;\nadd.s64 %p0, %out, %p0;\n";

}  // namespace

TEST_CASE("lanes that diverge run alone and meet again") {
    // Even lanes loop `lane` times; then all take a vote, which must see all 32 at once.
    Device device(kernel(
        own_element +
        "and.b32 %r0, %t, 1;\nsetp.eq.u32 %q0, %r0, 1;\nmov.u32 %r1, 0;\n@%q0 bra JOIN;\n"
        "LOOP: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %q1, %r1, %t;\n@%q1 bra LOOP;\n"
        "JOIN: activemask.b32 %r2;\nsetp.eq.u32 %q2, %r2, -1;\n@!%q2 add.u32 %r1, %r1, 1000;\n"
        "st.global.u32 [%p0], %r1;"));
    const auto out = device.buffer(Words(32));
    device.run("k", {}, {32}, Params().add(out));
    const auto got = device.read<std::uint32_t>(out, 32);
    for (std::uint32_t t = 0; t < 32; ++t) CHECK(got[t] == (t % 2 == 1 ? 0 : std::max(t, 1u)));
}

TEST_CASE("a naive spin lock of each thread ends, within a warp and between blocks") {
    // while (atomicCAS(lock, 0, 1) != 0); count++ (not atomic); atomicExch(lock, 0)
    const std::string body =
        "SPIN: atom.global.cas.b32 %r0, [%out], 0, 1;\nsetp.ne.u32 %q0, %r0, 0;\n@%q0 bra SPIN;\n"
        "membar.gl;\nld.volatile.global.u32 %r1, [%out+4];\nadd.u32 %r1, %r1, 1;\n"
        "st.volatile.global.u32 [%out+4], %r1;\nmembar.gl;\natom.global.exch.b32 %r2, [%out], 0;";
    for (const std::uint64_t seed : {0, 1, 2}) {
        Device device(kernel(body));
        const auto out = device.buffer(Words(2));
        device.run("k", {12}, {96}, Params().add(out),
                   {.seed = seed, .warp_instruction_budget = 20'000'000});
        CHECK(device.read<std::uint32_t>(out, 2) == Words{0, 12 * 96});
    }
}

TEST_CASE("a block that waits for a later one lets it run") {
    // Block b waits until block b + 1 has set its flag; the last sets its own at once.
    const std::string body =
        "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %nctaid.x;\nadd.u32 %r1, %r1, -1;\n"
        "mul.wide.u32 %p0, %r0, 4;\nadd.s64 %p0, %out, %p0;\nsetp.eq.u32 %q0, %r0, %r1;\n@%q0 bra "
        "SET;\n"
        "WAIT: ld.volatile.global.u32 %r2, [%p0+4];\nsetp.eq.u32 %q1, %r2, 0;\n@%q1 bra WAIT;\n"
        "SET: mov.u32 %r3, 1;\nst.volatile.global.u32 [%p0], %r3;";
    for (const std::uint64_t seed : {0, 7}) {
        Device device(kernel(body));
        const auto out = device.buffer(Words(12));
        device.run("k", {12}, {1}, Params().add(out),
                   {.seed = seed, .warp_instruction_budget = 20'000'000});
        CHECK(device.read<std::uint32_t>(out, 12) == Words(12, 1));
    }
}

TEST_CASE("threads that have exited count as arrived at a barrier") {
    Device device(
        kernel("setp.gt.u32 %q0, %t, 40;\n@%q0 exit;\nmov.u32 %r0, shared;\n"
               "setp.eq.u32 %q1, %t, 0;\nmov.u32 %r1, 5;\n@%q1 st.shared.u32 [%r0], %r1;\n"
               "bar.sync 0;\nld.shared.u32 %r2, [%r0];\n" +
               own_element + "st.global.u32 [%p0], %r2;"));
    const auto out = device.buffer(Words(41));
    device.run("k", {}, {128}, Params().add(out));
    CHECK(device.read<std::uint32_t>(out, 41) == Words(41, 5));
}

TEST_CASE("barriers at two places of the source are a fault that names both") {
    Device device(
        kernel("setp.lt.u32 %q0, %t, 32;\n@%q0 bra LOW;\n.loc 1 20 3\nbar.sync 0;\nbra.uni END;\n"
               "LOW:\n.loc 1 30 3\nbar.sync 0;\nEND: mov.u32 %r0, 0;"));
    const auto out = device.buffer(Words(1));
    const auto fault = device.launch("k", {}, {64}, Params().add(out));
    REQUIRE(fault);
    CHECK(fault->kind == FaultKind::barrier_divergence);
    CHECK(fault->message.find("line 20 of student.cu") != std::string::npos);
    CHECK(fault->message.find("line 30 of student.cu") != std::string::npos);
}

TEST_CASE("copies of one barrier that the compiler made are one barrier") {
    Device device(
        kernel("setp.lt.u32 %q0, %t, 32;\n@%q0 bra LOW;\n.loc 1 20 3\nbar.sync 0;\nbra.uni END;\n"
               "LOW: bar.sync 0;\nEND: mov.u32 %r0, 0;"));
    const auto out = device.buffer(Words(1));
    device.run("k", {}, {64}, Params().add(out));
}

TEST_CASE("a barrier that some lanes never reach is a deadlock, and the message counts them") {
    // Warp 1 waits at a warp barrier for lane 0, which waits at the block's barrier.
    Device device(kernel(
        "setp.ne.u32 %q0, %t, 32;\n@%q0 bra OTHERS;\n.loc 1 11 1\nbar.sync 0;\nbra.uni END;\n"
        "OTHERS: setp.lt.u32 %q1, %t, 32;\n@%q1 bra END;\n.loc 1 12 1\nbar.warp.sync -1;\n"
        "bar.sync 0;\nEND: mov.u32 %r0, 0;"));
    const auto out = device.buffer(Words(1));
    const auto fault = device.launch("k", {}, {64}, Params().add(out));
    REQUIRE(fault);
    CHECK(fault->kind == FaultKind::deadlock);
    CHECK(fault->message.find("1 threads wait at the barrier in line 11 of student.cu") !=
          std::string::npos);
    CHECK(fault->message.find("31 threads wait at `bar` in line 12 of student.cu for 1 threads") !=
          std::string::npos);
}

TEST_CASE("the budget ends a launch and tells spinning from slow") {
    SECTION("spinning") {
        Device device(
            kernel(".loc 1 7 2\nWAIT: ld.volatile.global.u32 %r0, [%out];\n"
                   "setp.eq.u32 %q0, %r0, 0;\n@%q0 bra WAIT;"));
        const auto fault = device.launch("k", {}, {32}, Params().add(device.buffer(Words(1))),
                                         {.seed = 0, .warp_instruction_budget = 100'000});
        REQUIRE(fault);
        CHECK(fault->kind == FaultKind::instruction_budget);
        CHECK(fault->spinning);
        CHECK(fault->line == 7);
    }
    SECTION("slow") {
        Device device(
            kernel("LOOP: atom.global.add.u32 %r0, [%out], 1;\nsetp.ne.u32 %q0, %r0, -1;\n@%q0 bra "
                   "LOOP;"));
        const auto fault = device.launch("k", {}, {32}, Params().add(device.buffer(Words(1))),
                                         {.seed = 0, .warp_instruction_budget = 100'000});
        REQUIRE(fault);
        CHECK(fault->kind == FaultKind::instruction_budget);
        CHECK_FALSE(fault->spinning);
        CHECK(device.machine->stats().warp_instructions <= 100'000);
    }
}

TEST_CASE("the same seed gives the same bits and another one another order") {
    // Each thread draws a ticket.
    const auto tickets = [](std::uint64_t seed) {
        Device device(kernel(
            "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmad.lo.u32 %t, %r1, %r2, %t;\n" +
            own_element + "atom.global.add.u32 %r0, [%out], 1;\nst.global.u32 [%p0+4], %r0;"));
        const auto out = device.buffer(Words(8 * 128 + 1));
        device.run("k", {8}, {128}, Params().add(out),
                   {.seed = seed, .warp_instruction_budget = 0});
        return device.read<std::uint32_t>(out, 8 * 128 + 1);
    };
    CHECK(tickets(0) == tickets(0));
    CHECK(tickets(3) == tickets(3));
    CHECK(tickets(0) != tickets(3));
    CHECK(tickets(3) != tickets(4));
}

TEST_CASE("a missing barrier shows under some seed") {
    // Each thread reads its neighbour's element without waiting for it.
    const auto wrong = [](std::uint64_t seed) {
        Device device(
            kernel("mov.u32 %r0, shared;\nshl.b32 %r1, %t, 2;\nadd.u32 %r1, %r0, %r1;\n"
                   "st.shared.u32 [%r1], %t;\nadd.u32 %r2, %t, 128;\nand.b32 %r2, %r2, 255;\n"
                   "shl.b32 %r2, %r2, 2;\nadd.u32 %r2, %r0, %r2;\nld.shared.u32 %r3, [%r2];\n" +
                   own_element + "st.global.u32 [%p0], %r3;"));
        const auto out = device.buffer(Words(256));
        device.run("k", {}, {256}, Params().add(out), {.seed = seed, .warp_instruction_budget = 0});
        const auto got = device.read<std::uint32_t>(out, 256);
        for (std::uint32_t t = 0; t < 256; ++t)
            if (got[t] != ((t + 128) & 255)) return true;
        return false;
    };
    CHECK((wrong(0) || wrong(1) || wrong(2)));
}

TEST_CASE("shared memory starts with garbage that depends on the seed") {
    const auto garbage = [](std::uint64_t seed) {
        Device device(
            kernel("mov.u32 %r0, shared;\nshl.b32 %r1, %t, 2;\nadd.u32 %r1, %r0, %r1;\n"
                   "ld.shared.u32 %r2, [%r1];\n" +
                   own_element + "st.global.u32 [%p0], %r2;"));
        const auto out = device.buffer(Words(32));
        device.run("k", {}, {32}, Params().add(out), {.seed = seed, .warp_instruction_budget = 0});
        return device.read<std::uint32_t>(out, 32);
    };
    CHECK(garbage(0) == garbage(0));
    CHECK(garbage(0) != garbage(1));
    CHECK(garbage(0) != Words(32));
}

TEST_CASE("lanes meet at a warp barrier from both sides of a branch") {
    Device device(
        kernel("mov.u32 %r0, shared;\nshl.b32 %r1, %t, 2;\nadd.u32 %r1, %r0, %r1;\n"
               "setp.lt.u32 %q0, %t, 16;\n@%q0 bra LOW;\n"
               "st.shared.u32 [%r1], %t;\nbar.warp.sync -1;\nbra.uni END;\n"
               "LOW: bar.warp.sync -1;\nld.shared.u32 %r2, [%r1+64];\n" +
               own_element + "st.global.u32 [%p0], %r2;\nEND: mov.u32 %r3, 0;"));
    const auto out = device.buffer(Words(16));
    device.run("k", {}, {32}, Params().add(out));
    Words expected(16);
    std::iota(expected.begin(), expected.end(), 16u);
    CHECK(device.read<std::uint32_t>(out, 16) == expected);
}

TEST_CASE("a shuffle waits for the members that are still on their way") {
    // The upper half loops first; then all exchange with a full mask.
    Device device(
        kernel("mov.u32 %r1, 0;\nsetp.lt.u32 %q0, %t, 16;\n@%q0 bra SHUFFLE;\n"
               "LOOP: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %q1, %r1, 700;\n@%q1 bra LOOP;\n"
               "SHUFFLE: add.u32 %r2, %r1, %t;\nshfl.sync.bfly.b32 %r3, %r2, 16, 31, -1;\n" +
               own_element + "st.global.u32 [%p0], %r3;"));
    const auto out = device.buffer(Words(32));
    device.run("k", {}, {32}, Params().add(out));
    const auto got = device.read<std::uint32_t>(out, 32);
    for (std::uint32_t t = 0; t < 32; ++t) CHECK(got[t] == (t < 16 ? 700 + t + 16 : t - 16));
}

TEST_CASE("groups of a warp with masks of their own need not wait for each other") {
    // Lanes 0..15 shuffle among themselves while 16..31 have left.
    Device device(kernel(
        "setp.ge.u32 %q0, %t, 16;\n@%q0 bra END;\nshfl.sync.bfly.b32 %r3, %t, 1, 31, 65535;\n" +
        own_element + "st.global.u32 [%p0], %r3;\nEND: bar.warp.sync -1;"));
    const auto out = device.buffer(Words(16));
    device.run("k", {}, {32}, Params().add(out));
    const auto got = device.read<std::uint32_t>(out, 16);
    for (std::uint32_t t = 0; t < 16; ++t) CHECK(got[t] == (t ^ 1));
}

TEST_CASE("a lane that asks an inactive one gets its own value, and hears that it was in range") {
    // Lanes 8 to 15 take part, and ask those below, above, beside and far away.
    const auto ask = [](const std::string& how) {
        Device device(
            kernel("add.u32 %r1, %t, 100;\nsub.u32 %r0, %t, 8;\n"
                   "setp.ge.u32 %q0, %r0, 8;\n@%q0 bra END;\nadd.u32 %r1, %r1, 1000;\n" +
                   how + "selp.u32 %r3, 10000, 0, %q1;\nadd.u32 %r2, %r2, %r3;\n" + own_element +
                   "st.global.u32 [%p0], %r2;\nEND: mov.u32 %r4, 0;"));
        const auto out = device.buffer(Words(32));
        device.run("k", {}, {32}, Params().add(out));
        const auto all = device.read<std::uint32_t>(out, 32);
        return Words(all.begin() + 8, all.begin() + 16);
    };
    const auto values = [](std::initializer_list<std::uint32_t> from) {
        Words result;
        for (const std::uint32_t lane : from) result.push_back(11'100 + lane);
        return result;
    };
    CHECK(ask("shfl.sync.up.b32 %r2|%q1, %r1, 4, 0, 0xff00;\n") ==
          values({8, 9, 10, 11, 8, 9, 10, 11}));
    CHECK(ask("shfl.sync.down.b32 %r2|%q1, %r1, 4, 31, 0xff00;\n") ==
          values({12, 13, 14, 15, 12, 13, 14, 15}));
    CHECK(ask("shfl.sync.bfly.b32 %r2|%q1, %r1, 8, 31, 0xff00;\n") ==
          values({8, 9, 10, 11, 12, 13, 14, 15}));
    CHECK(ask("shfl.sync.idx.b32 %r2|%q1, %r1, 20, 31, 0xffffffff;\n") ==
          values({8, 9, 10, 11, 12, 13, 14, 15}));
}

TEST_CASE("a lane asks for one that its block does not have and gets its own value") {
    Device device(kernel("shfl.sync.idx.b32 %r2, %t, 20, 31, -1;\n" + own_element +
                         "st.global.u32 [%p0], %r2;"));
    const auto out = device.buffer(Words(12));
    device.run("k", {}, {12}, Params().add(out));
    Words expected(12);
    std::iota(expected.begin(), expected.end(), 0u);
    CHECK(device.read<std::uint32_t>(out, 12) == expected);
}

TEST_CASE("a mask that names nobody who is here harms nobody") {
    // Undefined in PTX; the callers are among themselves.
    Device device(
        kernel("setp.ge.u32 %q0, %t, 4;\n@%q0 bra END;\nsetp.eq.u32 %q1, %t, 2;\n"
               "vote.sync.any.pred %q2, %q1, 0xf0;\nselp.u32 %r0, 1, 0, %q2;\n"
               "redux.sync.add.s32 %r1, %t, 0xf0;\nmatch.any.sync.b32 %r2, %r0, 0xf0;\n"
               "add.u32 %r0, %r0, %r1;\nadd.u32 %r0, %r0, %r2;\n" +
               own_element + "st.global.u32 [%p0], %r0;\nEND: mov.u32 %r3, 0;"));
    const auto out = device.buffer(Words(4));
    device.run("k", {}, {32}, Params().add(out));
    CHECK(device.read<std::uint32_t>(out, 4) == Words(4, 1 + 6 + 15));
}

TEST_CASE("shuffles at two places that wait for each other's lanes are a deadlock that says so") {
    Device device(
        kernel("setp.lt.u32 %q0, %t, 16;\n@%q0 bra LOW;\n.loc 1 20 3\n"
               "shfl.sync.bfly.b32 %r0, %t, 16, 31, -1;\nbra.uni END;\n"
               "LOW:\n.loc 1 30 3\nshfl.sync.bfly.b32 %r0, %t, 16, 31, -1;\nEND: mov.u32 %r1, 0;"));
    const auto fault = device.launch("k", {}, {32}, Params().add(device.buffer(Words(1))));
    REQUIRE(fault);
    CHECK(fault->kind == FaultKind::deadlock);
    for (const char* text :
         {"16 threads wait at `shfl` in line 20 of student.cu for 16 threads of their warp",
          "16 threads wait at `shfl` in line 30 of student.cu for 16 threads of their warp",
          "a mask may name only threads that come to the same instruction"})
        CHECK_THAT(fault->message, Catch::Matchers::ContainsSubstring(text));
}

TEST_CASE("a product of matrices waits for the warp, and needs all of it") {
    // All numbers are 1. The upper half loops first.
    Device device(kernel(
        "mov.u32 %r1, 0;\nmov.u32 %r2, 0x01010101;\nsetp.lt.u32 %q0, %t, 16;\n@%q0 bra PRODUCT;\n"
        "LOOP: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %q1, %r1, 700;\n@%q1 bra LOOP;\n"
        "PRODUCT: mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%r3, %r4}, {%r2}, {%r2}, {%t, "
        "%t};\n" +
        own_element + "st.global.u32 [%p0], %r3;"));
    const auto out = device.buffer(Words(32));
    device.run("k", {}, {32}, Params().add(out));
    const auto got = device.read<std::uint32_t>(out, 32);
    for (std::uint32_t t = 0; t < 32; ++t) CHECK(got[t] == 16 + t);
    const auto fault = device.launch("k", {}, {40}, Params().add(device.buffer(Words(40))));
    REQUIRE(fault);
    CHECK(fault->kind == FaultKind::barrier_divergence);
    CHECK_THAT(fault->message, Catch::Matchers::ContainsSubstring("in a warp with 8 threads"));
}

TEST_CASE("a grid barrier through the workspace of cooperative groups ends") {
    // What grid.sync() compiles to, one thread per block.
    Device device(kernel(
        "mov.u32 %r0, %envreg2;\nmov.u32 %r1, %envreg1;\ncvt.u64.u32 %p0, %r0;\ncvt.u64.u32 %p1, "
        "%r1;\n"
        "bfi.b64 %p2, %p1, %p0, 32, 32;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %nctaid.x;\n"
        "mul.wide.u32 %p0, %r2, 4;\nadd.s64 %p0, %out, %p0;\nst.global.u32 [%p0], %r2;\n"
        "sub.u32 %r4, -2147483647, %r3;\nsetp.eq.u32 %q0, %r2, 0;\nselp.b32 %r5, %r4, 1, %q0;\n"
        "atom.add.release.gpu.u32 %r6, [%p2+4], %r5;\n"
        "WAIT: ld.acquire.gpu.u32 %r7, [%p2+4];\nxor.b32 %r8, %r7, %r6;\nsetp.gt.s32 %q1, %r8, "
        "-1;\n@%q1 bra WAIT;\n"
        // Now every block's element is there: read the next one's.
        "add.u32 %r9, %r2, 1;\nrem.u32 %r9, %r9, %r3;\nmul.wide.u32 %p1, %r9, 4;\nadd.s64 %p1, "
        "%out, %p1;\n"
        "ld.global.u32 %r10, [%p1];\nst.global.u32 [%p0+256], %r10;"));
    const auto out = device.buffer(Words(128, 999));
    for (int again = 0; again < 2; ++again) device.run("k", {40}, {1}, Params().add(out));
    const auto got = device.read<std::uint32_t>(out, 128);
    for (std::uint32_t b = 0; b < 40; ++b) CHECK(got[64 + b] == (b + 1) % 40);
}

namespace {

/// 20 rounds with two meetings each of all blocks, of one thread, at a barrier written by hand:
/// out[0] counts arrivals, out[1...] are the blocks' own. In each round a block writes its element,
/// and after the meeting adds up its neighbour's into out[64 + block].
std::string meetings(const std::string& wait) {
    return kernel(
        "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %nctaid.x;\nmov.u32 %r1, 0;\nmov.u32 %r9, 0;\n"
        "mul.wide.u32 %p0, %r2, 4;\nadd.s64 %p0, %out, %p0;\n"
        "add.u32 %r4, %r2, 1;\nrem.u32 %r4, %r4, %r3;\nmul.wide.u32 %p1, %r4, 4;\n"
        "add.s64 %p1, %out, %p1;\nmov.u32 %r8, 0;\n"
        "ROUND: add.u32 %r1, %r1, 1;\nst.global.u32 [%p0+4], %r1;\n"
        "add.u32 %r8, %r8, %r3;\natom.add.release.gpu.u32 %r6, [%out], 1;\n" +
        wait +
        "ld.global.u32 %r5, [%p1+4];\nadd.u32 %r9, %r9, %r5;\n"
        "add.u32 %r8, %r8, %r3;\natom.add.release.gpu.u32 %r6, [%out], 1;\n"
        "WAIT2: ld.acquire.gpu.u32 %r7, [%out];\nsetp.lt.u32 %q0, %r7, %r8;\n@%q0 bra WAIT2;\n"
        "setp.lt.u32 %q1, %r1, 20;\n@%q1 bra ROUND;\nst.global.u32 [%p0+256], %r9;");
}
const std::string by_loads =
    "WAIT: ld.acquire.gpu.u32 %r7, [%out];\nsetp.lt.u32 %q0, %r7, %r8;\n@%q0 bra WAIT;\n";
const std::string by_atomics =
    "WAIT: atom.add.acquire.gpu.u32 %r7, [%out], 0;\nsetp.lt.u32 %q0, %r7, %r8;\n@%q0 bra WAIT;\n";

}  // namespace

TEST_CASE("a grid that is as large as the device holds can meet under every schedule") {
    const MachineConfig config;  // of 7.5: 4 blocks of 256 threads on each multiprocessor
    const std::uint32_t blocks = 4 * config.multiprocessors;
    for (const std::string& wait : {by_loads, by_atomics})
        for (const bool cooperative : {true, false})
            for (std::uint64_t seed = 0; seed <= 5; ++seed) {
                INFO("seed " << seed << (cooperative ? ", cooperative" : ""));
                Device device(meetings(wait));
                const auto out = device.buffer(Words(128));
                device.run("k", {blocks}, {1}, Params().add(out),
                           {.seed = seed,
                            .warp_instruction_budget = 50'000'000,
                            .is_cooperative = cooperative});
                const auto got = device.read<std::uint32_t>(out, 128);
                for (std::uint32_t b = 0; b < blocks; ++b) CHECK(got[64 + b] == 20 * 21 / 2);
            }
}

TEST_CASE("who waits at a grid's barrier takes no instructions of its own") {
    const auto executed = [](std::uint32_t blocks, std::uint64_t seed) {
        Device device(meetings(by_loads));
        device.run("k", {blocks}, {1}, Params().add(device.buffer(Words(200))),
                   {.seed = seed, .is_cooperative = true});
        return device.machine->stats().warp_instructions;
    };
    // 40 meetings. Whoever waits reads a few times; before, it read for a slice of 1024.
    CHECK(executed(32, 0) < 32 * 40 * 100);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) CHECK(executed(32, seed) < 32 * 40 * 1500);
}

TEST_CASE("a cooperative grid that waits for what never comes ends with its budget") {
    for (const std::uint64_t seed : {0, 1}) {
        Device device(kernel(
            "WAIT: ld.acquire.gpu.u32 %r7, [%out];\nsetp.eq.u32 %q0, %r7, 0;\n@%q0 bra WAIT;"));
        const auto fault = device.launch(
            "k", {32}, {64}, Params().add(device.buffer(Words(1))),
            {.seed = seed, .warp_instruction_budget = 200'000, .is_cooperative = true});
        REQUIRE(fault);
        CHECK(fault->kind == FaultKind::instruction_budget);
        CHECK(fault->spinning);
    }
}

TEST_CASE("a cooperative grid larger than the device holds is refused") {
    Device device(kernel("st.global.u32 [%out], 1;"));
    const auto launch = [&](std::uint32_t blocks, std::uint32_t threads, std::uint64_t shared) {
        return device.machine
            ->launch(device.module, "k", {blocks}, {threads}, shared,
                     Params().add(device.buffer(Words(1))), {.is_cooperative = true})
            .ok();
    };
    CHECK(launch(8 * 16, 33, 0));  // 1024 threads on each of 8, in whole warps
    CHECK(!launch(8 * 16 + 1, 33, 0));
    CHECK(launch(8 * 4, 256, 0));
    CHECK(!launch(8 * 4 + 1, 256, 0));
    CHECK(launch(8 * 2, 32, 47 * 1024));
    CHECK(!launch(8 * 2 + 1, 32, 47 * 1024));
}
