// Kernels that lack a barrier, and the intervention that makes them right.
#include <numeric>

#include "changed.hpp"
#include "emulator/observe/checkers.hpp"

using namespace cugrade;
using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

namespace {

constexpr auto barrier = InterventionKind::barrier;

/// A tree of sums over a block, as nvcc writes
///   3  s[t] = t;
///   4  __syncthreads();
///   5  for (k = blockDim.x / 2; k > 0; k /= 2) {
///   6      if (t < k)
///   7          s[t] += s[t + k];
///   8  }   <- `between` is what synchronises here
///   9  if (t == 0) *out = s[0];
std::string tree(const std::string& between = "") {
    return header() + R"(
.visible .entry k(.param .u64 out) {
    .reg .pred %p<5>; .reg .b32 %r<9>; .reg .b64 %rd<3>;
    .shared .align 4 .b8 s[4096];
    .loc 1 3 5
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    shl.b32 %r1, %r0, 2;
    mov.u32 %r2, s;
    add.s32 %r3, %r2, %r1;
    st.shared.u32 [%r3], %r0;
    .loc 1 4 5
    bar.sync 0;
    .loc 1 5 5
    mov.u32 %r4, %ntid.x;
    shr.u32 %r4, %r4, 1;
    setp.eq.u32 %p0, %r4, 0;
    @%p0 bra E;
L:  .loc 1 6 9
    setp.ge.u32 %p1, %r0, %r4;
    @%p1 bra J;
    .loc 1 7 13
    shl.b32 %r5, %r4, 2;
    add.s32 %r6, %r3, %r5;
    ld.shared.u32 %r7, [%r6];
    ld.shared.u32 %r8, [%r3];
    add.s32 %r7, %r7, %r8;
    st.shared.u32 [%r3], %r7;
J:  .loc 1 8 9
    )" + between +
           R"(
    .loc 1 5 5
    shr.u32 %r4, %r4, 1;
    setp.ne.u32 %p2, %r4, 0;
    @%p2 bra L;
E:  .loc 1 9 5
    setp.ne.u32 %p3, %r0, 0;
    @%p3 bra R;
    ld.shared.u32 %r7, [%r3];
    st.global.u32 [%rd0], %r7;
R:  ret;
}
.file 1 "student.cu"
)";
}

/// In how many of 20 schedules the sum of 256 threads is right.
int right(const std::string& ptx, const std::vector<Intervention>& made) {
    int count = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        ChangedDevice device(ptx, made);
        const auto out = device.buffer(std::vector<std::uint32_t>{0});
        const auto fault = device.launch("k", {1}, {256}, Params().add(out),
                                         {.seed = seed, .warp_instruction_budget = 1'000'000});
        if (!fault && device.read<std::uint32_t>(out, 1)[0] == 255 * 256 / 2) ++count;
    }
    return count;
}

}  // namespace

TEST_CASE("a barrier below a branch is a meeting of those that come, which a tree lacked") {
    const std::string ptx = tree();
    CHECK(right(ptx, {}) < 20);
    CHECK(right(tree("bar.sync 0;"), {}) == 20);
    const Intervention inside = intervention(ptx, barrier, 7, 0);
    CHECK(inside.text == "a barrier after line 7");
    CHECK(right(ptx, {inside}) == 20);
    // Elsewhere it is of no use.
    CHECK(right(ptx, {intervention(ptx, barrier, 3, 0)}) < 20);
    CHECK(right(ptx, {intervention(ptx, barrier, 9, 0)}) < 20);
}

TEST_CASE("the checkers take a meeting for the barrier that was missing") {
    const std::string ptx = tree();
    const auto findings = [&](const std::vector<Intervention>& made) {
        ChangedDevice device(ptx, made);
        Checkers checkers(device.machine->memory());
        const auto out = device.buffer(std::vector<std::uint32_t>{0});
        const auto fault = device.launch("k", {1}, {256}, Params().add(out), {.observer = &checkers});
        CHECK_FALSE(fault);
        return checkers.findings().all().size();
    };
    CHECK(findings({}) > 0);
    CHECK(findings({intervention(ptx, barrier, 3, 0)}) > 0);
    // Of those that come, which are all of the block, but the warps in parts; and of some.
    CHECK(findings({intervention(ptx, barrier, 7, 1)}) == 0);
    CHECK(findings({intervention(ptx, barrier, 7, 0)}) == 0);
}

TEST_CASE("a loop that is unrolled gets a barrier in every round") {
    std::string ptx = header() + R"(
.visible .entry k(.param .u64 out) {
    .reg .pred %p<12>; .reg .b32 %r<9>; .reg .b64 %rd<3>;
    .shared .align 4 .b8 s[4096];
    .loc 1 3 5
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    shl.b32 %r1, %r0, 2;
    mov.u32 %r2, s;
    add.s32 %r3, %r2, %r1;
    st.shared.u32 [%r3], %r0;
    bar.sync 0;
)";
    for (int k = 128; k > 0; k /= 2) {
        const std::string number = std::to_string(k);
        ptx += "    .loc 1 5 5\n    setp.ge.u32 %p0, %r0, " + number + ";\n    @%p0 bra J" +
               number + ";\n    ld.shared.u32 %r7, [%r3+" + std::to_string(4 * k) +
               "];\n    ld.shared.u32 %r8, [%r3];\n    add.s32 %r7, %r7, %r8;\n"
               "    st.shared.u32 [%r3], %r7;\nJ" +
               number + ":\n";
    }
    ptx += R"(
    .loc 1 9 5
    setp.ne.u32 %p3, %r0, 0;
    @%p3 bra R;
    ld.shared.u32 %r7, [%r3];
    st.global.u32 [%rd0], %r7;
R:  ret;
}
.file 1 "student.cu"
)";
    CHECK(right(ptx, {}) < 20);
    CHECK(right(ptx, {intervention(ptx, barrier, 5, 0)}) == 20);
    CHECK(possible(ptx, barrier, 5).size() == 3);  // before, after, and where the paths meet
}

TEST_CASE("a barrier stands before or after a line in straight code") {
    // 3: s[t] = 128 * t;   4: *out = s[0] + s[255], of thread 0, with no barrier between them
    const std::string ptx = header() + R"(
.visible .entry k(.param .u64 out) {
    .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
    .shared .align 4 .b8 s[4096];
    .loc 1 3 5
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd1, %r0, 4;
    mov.u64 %rd2, s;
    cvta.shared.u64 %rd2, %rd2;
    add.s64 %rd3, %rd2, %rd1;
    mul.lo.s32 %r1, %r0, 128;
    st.u32 [%rd3], %r1;
    .loc 1 4 5
    ld.u32 %r2, [%rd2];
    ld.u32 %r3, [%rd2+1020];
    add.s32 %r2, %r2, %r3;
    setp.eq.u32 %p0, %r0, 0;
    @%p0 st.global.u32 [%rd0], %r2;
    .loc 1 5 5
    ret;
}
.file 1 "student.cu"
)";
    CHECK(right(ptx, {}) < 20);
    CHECK(right(ptx, {intervention(ptx, barrier, 3, 0)}) == 20);
    CHECK(right(ptx, {intervention(ptx, barrier, 4, -1)}) == 20);
    CHECK(intervention(ptx, barrier, 4, -1).text == "a barrier before line 4");
    CHECK(right(ptx, {intervention(ptx, barrier, 4, 0)}) < 20);
    // Line 5 touches nothing.
    CHECK(possible(ptx, barrier, 5).empty());
}

TEST_CASE("a branch to the next line does not come by a barrier after the line before") {
    // 3: if (t <= 500) *s = 32640;   4: if (t == 255) *out = *s;
    const std::string ptx = header() + R"(
.visible .entry k(.param .u64 out) {
    .reg .pred %p<5>; .reg .b32 %r<9>; .reg .b64 %rd<3>;
    .shared .align 4 .b8 s[4096];
    .loc 1 2 5
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    setp.gt.u32 %p0, %r0, 500;
    @%p0 bra N;
    .loc 1 3 5
    st.shared.u32 [s], 32640;
N:  .loc 1 4 5
    setp.eq.u32 %p1, %r0, 255;
    @%p1 ld.shared.u32 %r1, [s];
    @%p1 st.global.u32 [%rd0], %r1;
    ret;
}
.file 1 "student.cu"
)";
    CHECK(right(ptx, {intervention(ptx, barrier, 3, 0)}) == 20);
    // The branch past line 3 leads past the barrier, and those that take it are not waited for.
    std::string some = ptx;
    some.replace(some.find("%r0, 500"), 8, "%r0, 100");
    CHECK(right(some, {}) < 20);
    CHECK(right(some, {intervention(some, barrier, 3, 0)}) < 20);
    CHECK(right(some, {intervention(some, barrier, 4, -1)}) == 20);
}

TEST_CASE("a barrier of the warp is one of all its lanes") {
    const std::string ptx = header() + R"(
.visible .entry k(.param .u64 out) {
    .reg .b32 %r<9>; .reg .b64 %rd<3>;
    .shared .align 4 .b8 s[4096];
    .loc 1 3 5
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    st.shared.u32 [s], %r0;
    .loc 1 4 5
    ld.shared.u32 %r1, [s];
    st.global.u32 [%rd0], %r1;
    ret;
}
.file 1 "student.cu"
)";
    const auto one = intervention(ptx, InterventionKind::warp_barrier, 3, 0);
    CHECK(one.text == "a `__syncwarp()` after line 3");
    auto module = parsed(ptx);
    const std::size_t before = module->functions[0].instructions.size();
    change_code(*module, std::vector{one});
    const ptx::Function& f = module->functions[0];
    REQUIRE(f.instructions.size() == before + 1);
    CHECK(f.instructions[3].text == "bar.warp.sync");
    CHECK(f.operands[f.instructions[3].first_operand].bits == 0xFFFFFFFF);
    CHECK(f.instructions[3].source.line == 3);
}

TEST_CASE("a fence stands after a line that stores to memory of all, and after no other") {
    const std::string ptx = tree();
    const auto list = possible(ptx, InterventionKind::fence);
    std::vector<int> lines;
    for (const Intervention& one : list) lines.push_back(one.place.line);
    CHECK(lines == std::vector{3, 7, 9});
    CHECK(list[2].text == "a `__threadfence()` after line 9");
    CHECK(right(tree("bar.sync 0;"), list) == 20);
}

TEST_CASE("several interventions in one function are all made where they belong") {
    const std::string ptx = tree();
    const std::vector<Intervention> both{
        intervention(ptx, barrier, 3, 0), intervention(ptx, barrier, 7, 0),
        intervention(ptx, barrier, 9, 0), intervention(ptx, InterventionKind::fence, 7, 0)};
    auto module = parsed(ptx);
    change_code(*module, both);
    std::string texts;
    for (const ptx::Instruction& i : module->functions[0].instructions)
        texts += std::string(i.text.substr(0, i.text.find_first_of(" ["))) + " ";
    CHECK(texts ==
          "ld.param.u64 mov.u32 shl.b32 mov.u32 add.s32 st.shared.u32 bar.sync bar.sync mov.u32 "
          "shr.u32 setp.eq.u32 @%p0 setp.ge.u32 @%p1 shl.b32 add.s32 ld.shared.u32 ld.shared.u32 "
          "add.s32 st.shared.u32 membar.gl bar.sync shr.u32 setp.ne.u32 @%p2 setp.ne.u32 @%p3 "
          "ld.shared.u32 st.global.u32 bar.sync ret ");
    CHECK(right(ptx, {both[1], both[3]}) == 20);
}
