// Kernels that load, change and store what other threads do, too, and the atomic that makes them
// right.
#include <numeric>

#include "changed.hpp"

using namespace cugrade;
using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

namespace {

constexpr auto atomic = InterventionKind::atomic;

/// `body` in line 3 works on %rd0 = p (its address again in %rd1), with %r0 = the thread's number
/// %r3 = 127 - t, and %f0 = t; in line 4 `after` has what follows it.
std::string kernel(const std::string& body, const std::string& after = "") {
    return header() + R"(
.visible .entry k(.param .u64 p, .param .u64 results) {
    .reg .pred %p<4>; .reg .b32 %r<9>; .reg .f32 %f<4>; .reg .b64 %rd<8>;
    .loc 1 2 5
    ld.param.u64 %rd4, [p];
    ld.param.u64 %rd5, [results];
    mov.u32 %r0, %tid.x;
    cvt.rn.f32.u32 %f0, %r0;
    sub.s32 %r3, 127, %r0;
    mul.wide.u32 %rd6, %r0, 4;
    add.s64 %rd6, %rd5, %rd6;
    cvta.to.global.u64 %rd0, %rd4;
    cvta.to.global.u64 %rd1, %rd4;
    .loc 1 3 5
    )" + body +
           "\n    .loc 1 4 5\n    " + after + R"(
    ret;
}
.file 1 "student.cu"
)";
}

struct Outcome {
    std::uint32_t value = 0;
    std::vector<std::uint32_t> results;
};
Outcome run(const std::string& ptx, const std::vector<Intervention>& made, std::uint32_t first,
            std::uint64_t seed = 3) {
    ChangedDevice device(ptx, made);
    const auto p = device.buffer(std::vector<std::uint32_t>{first});
    const auto results = device.buffer(std::vector<std::uint32_t>(128, 0));
    device.run("k", {1}, {128}, Params().add(p).add(results),
               {.seed = seed, .warp_instruction_budget = 1'000'000});
    return {device.read<std::uint32_t>(p, 1)[0], device.read<std::uint32_t>(results, 128)};
}

/// Without the intervention the value is another, with it that one.
void repairs(const std::string& ptx, const std::string& text, std::uint32_t first,
             std::uint32_t right) {
    INFO(ptx);
    const Intervention one = intervention(ptx, atomic, 3, 0);
    CHECK(one.text == text);
    CHECK(possible(ptx, atomic).size() == 1);
    CHECK(run(ptx, {}, first).value != right);
    for (std::uint64_t seed = 0; seed < 8; ++seed)
        CHECK(run(ptx, {one}, first, seed).value == right);
}

std::uint32_t as_bits(float f) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &f, sizeof bits);
    return bits;
}

}  // namespace

TEST_CASE("a sum, a difference and a counter become atomics") {
    const std::uint32_t sum = 127 * 128 / 2;
    repairs(kernel("ld.global.u32 %r1, [%rd0]; add.s32 %r2, %r1, %r0; st.global.u32 [%rd1], %r2;"),
            "`atomicAdd` in line 3", 5, 5 + sum);
    repairs(kernel("ld.global.u32 %r1, [%rd0]; sub.s32 %r2, %r1, %r0; st.global.u32 [%rd0], %r2;"),
            "`atomicSub` in line 3", 0, 0 - sum);
    repairs(kernel("ld.u32 %r1, [%rd4]; add.s32 %r1, %r1, 1; st.u32 [%rd4], %r1;"),
            "`atomicAdd` in line 3", 0, 128);
    repairs(kernel("ld.volatile.global.u32 %r1, [%rd0]; or.b32 %r2, %r3, %r1; "
                   "st.volatile.global.u32 [%rd0], %r2;"),
            "`atomicOr` in line 3", 0, 127);
    repairs(kernel("ld.global.u32 %r1, [%rd0]; max.s32 %r2, %r1, %r3; st.global.u32 [%rd0], %r2;") +
                "\n",
            "`atomicMax` in line 3", 0, 127);
}

TEST_CASE("sums of floats and of products become atomics") {
    repairs(kernel("ld.global.f32 %f1, [%rd0]; add.f32 %f2, %f0, %f1; st.global.f32 [%rd0], %f2;"),
            "`atomicAdd` in line 3", 0, as_bits(8128));
    repairs(kernel("ld.global.f32 %f1, [%rd0]; fma.rn.f32 %f2, %f0, 0f40000000, %f1; "
                   "st.global.f32 [%rd0], %f2;"),
            "`atomicAdd` in line 3", 0, as_bits(16256));
    repairs(kernel("ld.global.f32 %f1, [%rd0]; sub.f32 %f2, %f1, %f0; st.global.f32 [%rd0], %f2;"),
            "`atomicSub` in line 3", 0, as_bits(-8128));
    repairs(kernel("ld.global.u32 %r1, [%rd0]; mad.lo.s32 %r2, %r0, 3, %r1; "
                   "st.global.u32 [%rd0], %r2;"),
            "`atomicAdd` in line 3", 0, 3 * 8128);
}

TEST_CASE("what the atomic gives is used behind it") {
    // results[t] = (*p)++, and results[t] = ++*p
    for (const std::uint32_t more : {0, 1}) {
        const std::string ptx =
            kernel("ld.global.u32 %r1, [%rd0]; add.s32 %r2, %r1, 1; st.global.u32 [%rd0], %r2;",
                   std::string("st.global.u32 [%rd6], ") + (more == 0 ? "%r1;" : "%r2;"));
        auto values = run(ptx, {intervention(ptx, atomic, 3, 0)}, 0).results;
        std::ranges::sort(values);
        std::vector<std::uint32_t> expected(128);
        std::iota(expected.begin(), expected.end(), more);
        CHECK(values == expected);
    }
}

TEST_CASE("a value that replaces one that is less becomes an atomic maximum") {
    // if (t > *p) *p = t, as a branch and as a predicate; and with the comparison turned around.
    repairs(kernel("ld.global.u32 %r1, [%rd0]; setp.le.u32 %p0, %r3, %r1; @%p0 bra N; "
                   "st.global.u32 [%rd1], %r3;\nN:"),
            "`atomicMax` in line 3", 0, 127);
    repairs(kernel("ld.global.u32 %r1, [%rd0]; setp.lt.u32 %p0, %r1, %r3; "
                   "@%p0 st.global.u32 [%rd0], %r3;"),
            "`atomicMax` in line 3", 0, 127);
    repairs(kernel("add.s32 %r2, %r0, 73; ld.global.s32 %r1, [%rd0]; setp.gt.s32 %p0, %r1, %r2; "
                   "not.pred %p1, %p0; @%p1 bra N; st.global.u32 [%rd1], %r2;\nN:"),
            "`atomicMin` in line 3", 0x7FFFFFFF, 73);
}

TEST_CASE("what is no update of one place is left alone") {
    for (const char* body :
         {// another address
          "ld.global.u32 %r1, [%rd0]; add.s32 %r2, %r1, %r0; st.global.u32 [%rd0+4], %r2;",
          "ld.global.u32 %r1, [%rd0]; add.s32 %r2, %r1, %r0; st.global.u32 [%rd6], %r2;",
          // no atomic does that
          "ld.global.u32 %r1, [%rd0]; mul.lo.s32 %r2, %r1, %r0; st.global.u32 [%rd0], %r2;",
          "ld.global.u32 %r1, [%rd0]; add.s32 %r2, %r1, %r1; st.global.u32 [%rd0], %r2;",
          "ld.global.u32 %r1, [%rd0]; sub.s32 %r2, %r0, %r1; st.global.u32 [%rd0], %r2;",
          "ld.global.u8 %r1, [%rd0]; add.s32 %r2, %r1, %r0; st.global.u8 [%rd0], %r2;",
          // the old value is used between
          "ld.global.u32 %r1, [%rd0]; add.s32 %r2, %r1, %r0; add.s32 %r0, %r1, 1; "
          "st.global.u32 [%rd0], %r2;"}) {
        INFO(body);
        CHECK(possible(kernel(body), atomic).empty());
    }
}
