// Kernels whose threads take other elements than they should, or lose their result.
#include "changed.hpp"

using namespace cugrade;
using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

namespace {

using Kind = InterventionKind;

/// Each element of 256 is counted by a loop of 2 blocks of 32 threads; line 5 is its step.
std::string counting(const std::string& step) {
    return header() + R"(
.visible .entry k(.param .u64 out) {
    .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
    .loc 1 3 5
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.s32 %r3, %r0, %r1, %r2;
    mov.u32 %r4, %nctaid.x;
    mul.lo.s32 %r5, %r4, %r1;
    cvt.u64.u32 %rd2, %r3;
    cvt.u64.u32 %rd3, %r1;
    cvt.u64.u32 %rd5, %r5;
L:
    .loc 1 4 5
    shl.b64 %rd4, %rd2, 2;
    add.s64 %rd4, %rd0, %rd4;
    red.global.add.u32 [%rd4], 1;
    .loc 1 5 5
    )" + step +
           R"(
    setp.lt.u64 %p1, %rd2, 256;
    @%p1 bra L;
    ret;
}
.file 1 "student.cu"
)";
}

std::vector<std::uint32_t> counts(const std::string& ptx, const std::vector<Intervention>& made) {
    ChangedDevice device(ptx, made);
    const auto out = device.buffer(std::vector<std::uint32_t>(256 + 64));
    device.run("k", {2}, {32}, Params().add(out));
    auto all = device.read<std::uint32_t>(out, 256);
    return all;
}

bool are_one(const std::vector<std::uint32_t>& all) {
    return std::ranges::all_of(all, [](std::uint32_t n) { return n == 1; });
}

}  // namespace

TEST_CASE("a loop goes on by the whole grid instead of one block") {
    for (const std::string step : {"add.s64 %rd2, %rd2, %rd3;", "add.s64 %rd2, %rd2, 32;"}) {
        const std::string ptx = counting(step);
        INFO(step);
        CHECK_FALSE(are_one(counts(ptx, {})));
        CHECK(are_one(counts(ptx, {intervention(ptx, Kind::stride, 5, 1)})));
    }
    // And back: what is right becomes wrong.
    const std::string right = counting("add.s64 %rd2, %rd2, %rd5;");
    CHECK(are_one(counts(right, {})));
    CHECK(counts(right, {intervention(right, Kind::stride, 5, -1)}) ==
          counts(counting("add.s64 %rd2, %rd2, %rd3;"), {}));
    // A number that stands for the threads of a block, which has others.
    const std::string number = counting("mul.wide.u32 %rd6, %r4, 64; add.s64 %rd2, %rd2, %rd6;");
    CHECK_FALSE(are_one(counts(number, {})));
    CHECK(are_one(counts(number, {intervention(number, Kind::stride, 5, 64)})));
    CHECK(intervention(number, Kind::stride, 5, 64).text ==
          "the 64 of the loop's step to blockDim.x");
    // The step of the grid, several times.
    const std::string rows = counting("mul.lo.s64 %rd6, %rd5, 4; add.s64 %rd2, %rd2, %rd6;");
    CHECK_FALSE(are_one(counts(rows, {})));
    CHECK(are_one(counts(rows, {intervention(rows, Kind::stride, 5, -4)})));
    CHECK(intervention(rows, Kind::stride, 5, -4).text ==
          "the step of the loop to that of the whole grid");
    // A thread's second element, one block further.
    const auto second = [](const std::string& distance) {
        return counting("add.s64 %rd6, %rd2, " + distance +
                        "; shl.b64 %rd7, %rd6, 2; add.s64 %rd7, %rd0, %rd7; "
                        "red.global.add.u32 [%rd7], 1; shl.b64 %rd8, %rd5, 1; "
                        "add.s64 %rd2, %rd2, %rd8;");
    };
    CHECK_FALSE(are_one(counts(second("%rd3"), {})));
    CHECK(are_one(counts(second("%rd3"), {intervention(second("%rd3"), Kind::stride, 5, 1)})));
    CHECK(are_one(counts(second("%rd5"), {})));
    // A step of an element is the thread's own.
    CHECK(possible(counting("add.s64 %rd2, %rd2, 1;"), Kind::stride).empty());
}

TEST_CASE("an index counts the threads of all blocks") {
    const std::string ptx = header() + R"(
.visible .entry k(.param .u64 out) {
    .reg .b32 %r<3>; .reg .b64 %rd<4>;
    .loc 1 3 5
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd1, %r0, 4;
    add.s64 %rd2, %rd0, %rd1;
    st.global.u32 [%rd2], 1;
    ret;
}
.file 1 "student.cu"
)";
    const auto run = [&](const std::vector<Intervention>& made) {
        ChangedDevice device(ptx, made);
        const auto out = device.buffer(std::vector<std::uint32_t>(64));
        device.run("k", {2}, {32}, Params().add(out));
        return device.read<std::uint32_t>(out, 64);
    };
    CHECK_FALSE(are_one(run({})));
    CHECK(are_one(run({intervention(ptx, Kind::global_index, 3, 0)})));
    CHECK(possible(counting("add.s64 %rd2, %rd2, 1;"), Kind::global_index).empty());
}

TEST_CASE("a store of each block's part adds them up") {
    const std::string ptx = header() + R"(
.visible .entry k(.param .u64 out) {
    .reg .b32 %r<3>; .reg .b64 %rd<2>;
    .loc 1 3 5
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %ctaid.x;
    add.s32 %r1, %r0, 1;
    .loc 1 4 5
    st.global.u32 [%rd0], %r1;
    .loc 1 5 5
    mov.u32 %r2, 7;
    st.global.u32 [%rd0+4], %r2;
    ret;
}
.file 1 "student.cu"
)";
    ChangedDevice device(ptx, {intervention(ptx, Kind::adding_store, 4, 0)});
    const auto out = device.buffer(std::vector<std::uint32_t>(2));
    device.run("k", {3}, {1}, Params().add(out));
    CHECK(device.read<std::uint32_t>(out, 2) == std::vector<std::uint32_t>{6, 7});
    // A number sets the memory.
    CHECK(possible(ptx, Kind::adding_store, 5).empty());
}
