// Compare-and-swaps that are tried once, and floats whose bits are compared.
#include "changed.hpp"

using namespace cugrade;
using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

namespace {

std::string kernel(const std::string& body) {
    return header() + R"(
.visible .entry k(.param .u64 p) {
    .reg .pred %p<4>; .reg .b32 %r<9>; .reg .f32 %f<4>; .reg .b64 %rd<4>;
    .loc 1 2 5
    ld.param.u64 %rd1, [p];
    cvta.to.global.u64 %rd0, %rd1;
    .loc 1 3 5
    )" + body +
           R"(
    ret;
}
.file 1 "student.cu"
)";
}

std::uint32_t run(const std::string& ptx, const std::vector<Intervention>& made,
                  std::uint32_t first, std::uint64_t seed = 3) {
    ChangedDevice device(ptx, made);
    const auto p = device.buffer(std::vector<std::uint32_t>{first, 0});
    device.run("k", {1}, {128}, Params().add(p),
               {.seed = seed, .warp_instruction_budget = 1'000'000});
    return device.read<std::uint32_t>(p, 2)[0];
}

}  // namespace

TEST_CASE("a compare-and-swap that is tried once is tried until it succeeds") {
    for (const char* body :
         {"ld.global.u32 %r1, [%rd0]; add.s32 %r2, %r1, 1; "
          "atom.global.cas.b32 %r3, [%rd0], %r1, %r2;",
          // read by an atomic, and as a float
          "atom.global.add.u32 %r1, [%rd0], 0; add.s32 %r2, %r1, 1; "
          "atom.global.cas.b32 %r3, [%rd0], %r1, %r2;",
          "ld.global.f32 %f1, [%rd0]; mov.b32 %r1, %f1; add.s32 %r2, %r1, 1; "
          "atom.global.cas.b32 %r3, [%rd0], %r1, %r2;"}) {
        INFO(body);
        const std::string ptx = kernel(body);
        const Intervention one = intervention(ptx, InterventionKind::retry, 3, 0);
        CHECK(run(ptx, {}, 5) != 5 + 128);
        for (std::uint64_t seed = 0; seed < 4; ++seed) CHECK(run(ptx, {one}, 5, seed) == 5 + 128);
    }
}

TEST_CASE("a new value that is computed once is computed in each round") {
    // The loaded value is a register of its own, or that of the rounds.
    for (const char* body :
         {"ld.global.u32 %r1, [%rd0]; add.s32 %r2, %r1, 1; mov.u32 %r4, %r1;\nL: "
          "atom.global.cas.b32 %r3, [%rd0], %r4, %r2; setp.ne.s32 %p0, %r3, %r4; "
          "mov.u32 %r4, %r3; @%p0 bra L;",
          "atom.global.add.u32 %r4, [%rd0], 0; mul.lo.s32 %r1, %r4, 1; add.s32 %r2, %r1, 1;\nL: "
          "atom.global.cas.b32 %r3, [%rd0], %r4, %r2; setp.ne.s32 %p0, %r3, %r4; "
          "mov.u32 %r4, %r3; @%p0 bra L;"}) {
        INFO(body);
        const std::string ptx = kernel(body);
        const Intervention one = intervention(ptx, InterventionKind::retry, 3, 1);
        CHECK(run(ptx, {}, 5) != 5 + 128);
        for (std::uint64_t seed = 0; seed < 4; ++seed) CHECK(run(ptx, {one}, 5, seed) == 5 + 128);
    }
    // It is computed in the round already; and a lock's new value is no function of the old one.
    CHECK(possible(kernel("ld.global.u32 %r4, [%rd0];\nL: add.s32 %r2, %r4, 1; "
                          "atom.global.cas.b32 %r3, [%rd0], %r4, %r2; "
                          "setp.ne.s32 %p0, %r3, %r4; mov.u32 %r4, %r3; @%p0 bra L;"),
                   InterventionKind::retry)
              .empty());
    CHECK(possible(kernel("mov.u32 %r4, 0; mov.u32 %r2, 1;\nL: "
                          "atom.global.cas.b32 %r3, [%rd0], %r4, %r2; "
                          "setp.ne.s32 %p0, %r3, %r4; @%p0 bra L;"),
                   InterventionKind::retry)
              .empty());
}

TEST_CASE("a compare-and-swap that takes a lock, or whose way is seen, is left alone") {
    for (const char* body :
         {"atom.global.cas.b32 %r3, [%rd0], 0, 1;",
          "ld.global.u32 %r1, [%rd0]; st.global.u32 [%rd0+4], %r1; add.s32 %r2, %r1, 1; "
          "atom.global.cas.b32 %r3, [%rd0], %r1, %r2;",
          "ld.global.u32 %r1, [%rd0+4]; add.s32 %r2, %r1, 1; "
          "atom.global.cas.b32 %r3, [%rd0], %r1, %r2;"}) {
        INFO(body);
        CHECK(possible(kernel(body), InterventionKind::retry).empty());
    }
}

TEST_CASE("floats are equal if their bits are") {
    // *p = (NaN == NaN)
    const std::string ptx = kernel(
        "ld.global.f32 %f1, [%rd0]; ld.global.f32 %f2, [%rd0]; setp.eq.f32 %p0, %f1, %f2; "
        "bar.sync 0; selp.u32 %r1, 1, 0, %p0; st.global.u32 [%rd0], %r1;");
    const Intervention one = intervention(ptx, InterventionKind::compare_bits, 3, 0);
    CHECK(run(ptx, {}, 0x7FC00000) == 0);
    CHECK(run(ptx, {one}, 0x7FC00000) == 1);
    CHECK(possible(kernel("ld.global.f32 %f1, [%rd0]; setp.eq.f32 %p0, %f1, 0f00000000;"),
                   InterventionKind::compare_bits)
              .empty());
}

TEST_CASE("a word that is read and then replaced is exchanged") {
    // The thread's number replaces the word, and its old value goes to the list of the thread.
    const std::string ptx = kernel(
        "ld.global.u32 %r1, [%rd0]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; "
        "add.s64 %rd3, %rd0, %rd2; st.global.u32 [%rd3+4], %r1; st.global.u32 [%rd0], %r2;");
    const Intervention one = intervention(ptx, InterventionKind::atomic, 3, 0);
    CHECK(one.text == "`atomicExch` in line 3");
    ChangedDevice device(ptx, {one});
    const auto p = device.buffer(std::vector<std::uint32_t>(129, 999));
    device.run("k", {1}, {128}, Params().add(p),
               {.seed = 5, .warp_instruction_budget = 1'000'000});
    auto words = device.read<std::uint32_t>(p, 129);
    // Every number is once in the list, but for the last, which is the head, and the first of all.
    std::ranges::sort(words);
    CHECK(std::ranges::adjacent_find(words) == words.end());
    CHECK(words.back() == 999);
}
