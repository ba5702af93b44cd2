// Warp-level calls with a wrong mask or a wrong lane, as instructions and as calls of functions.
#include "changed.hpp"

using namespace cugrade;
using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

namespace {

using Kind = InterventionKind;

/// Each lane stores %r3. Line 3 is `body`, and %r0 the lane.
std::string kernel(const std::string& body, const std::string& functions = "") {
    return header() + functions + R"(
.visible .entry k(.param .u64 out) {
    .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<4>;
    .loc 1 2 5
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd1, %r0, 4;
    add.s64 %rd0, %rd0, %rd1;
    .loc 1 3 5
    )" + body +
           R"(
    .loc 1 9 5
    st.global.u32 [%rd0], %r3;
    ret;
}
.file 1 "student.cu"
.file 2 "/usr/local/cuda/include/sm_30_intrinsics.hpp"
)";
}

std::vector<std::uint32_t> results(const std::string& ptx,
                                   const std::vector<Intervention>& made = {}) {
    ChangedDevice device(ptx, made);
    const auto out = device.buffer(std::vector<std::uint32_t>(32, 0));
    device.run("k", {1}, {32}, Params().add(out));
    return device.read<std::uint32_t>(out, 32);
}

/// A function of the toolkit that code which is not optimised calls.
const std::string shuffle = R"(
.func (.param .b32 r) __shfl_down_sync(.param .b32 m, .param .b32 v, .param .b32 d, .param .b32 w) {
    .reg .pred %p<2>; .reg .b32 %r<6>;
    .loc 2 5 5
    ld.param.u32 %r0, [m]; ld.param.u32 %r1, [v]; ld.param.u32 %r2, [d];
    shfl.sync.down.b32 %r3|%p0, %r1, %r2, 31, %r0;
    st.param.b32 [r], %r3;
    ret;
}
)";
const std::string call = R"({ .param .b32 p0; st.param.b32 [p0], 65535;
    .param .b32 p1; st.param.b32 [p1], %r0; .param .b32 p2; st.param.b32 [p2], 4;
    .param .b32 p3; st.param.b32 [p3], 32; .param .b32 q;
    call.uni (q), __shfl_down_sync, (p0, p1, p2, p3);
    ld.param.b32 %r3, [q]; })";

}  // namespace

TEST_CASE("a warp-level call has all lanes in its mask") {
    // Lanes 16 to 31 vote, too, but the mask leaves them out.
    const std::string ptx = kernel(
        "setp.ge.u32 %p0, %r0, 0; setp.lt.u32 %p1, %r0, 16; mov.u32 "
        "%r3, 0; @!%p1 bra N; vote.sync.ballot.b32 %r3, %p0, 255;\nN:");
    const Intervention active = intervention(ptx, Kind::full_mask, 3, 1);
    CHECK(active.text == "`__activemask()` as the mask");
    CHECK(results(ptx)[0] == 0xFF);
    CHECK(results(ptx, {active})[0] == 0xFFFF);
    const std::string whole = kernel(
        "setp.ge.u32 %p0, %r0, 0; mov.u32 %r4, 255;\n"
        "vote.sync.ballot.b32 %r3, %p0, %r4;");
    const Intervention full = intervention(whole, Kind::full_mask, 3, 0);
    CHECK(full.text == "`0xffffffff` as the mask");
    CHECK(results(whole, {full})[31] == 0xFFFFFFFF);
    // It has all lanes already.
    const auto rest = possible(kernel("bar.warp.sync -1; mov.u32 %r3, 0;"), Kind::full_mask);
    REQUIRE(rest.size() == 1);
    CHECK(rest[0].value == 1);
}

TEST_CASE("a shuffle reads another lane") {
    const std::string ptx = kernel("shfl.sync.down.b32 %r3|%p0, %r0, 4, 31, -1;");
    CHECK(results(ptx)[3] == 7);
    CHECK(results(ptx, {intervention(ptx, Kind::shuffle_lane, 3, 1)})[3] == 8);
    CHECK(results(ptx, {intervention(ptx, Kind::shuffle_lane, 3, -1)})[3] == 6);
    CHECK(results(ptx, {intervention(ptx, Kind::shuffle_lane, 3, 2)})[3] == 11);
    CHECK(results(ptx, {intervention(ptx, Kind::shuffle_lane, 3, -2)})[3] == 5);
    CHECK(intervention(ptx, Kind::shuffle_lane, 3, 2).text == "`4` to `8` in the shuffle");
    const std::string by_register = kernel(
        "mov.u32 %r1, %ntid.x; shr.u32 %r1, %r1, 3; shfl.sync.down.b32 %r3, %r0, %r1, 31, -1;");
    CHECK(results(by_register)[3] == 7);
    CHECK(results(by_register, {intervention(by_register, Kind::shuffle_lane, 3, -2)})[3] == 5);
    CHECK(results(by_register, {intervention(by_register, Kind::shuffle_lane, 3, 1)})[3] == 8);
}

TEST_CASE("a function of the toolkit is called with another mask and another lane") {
    const std::string ptx = kernel(call, shuffle);
    CHECK(results(ptx, {intervention(ptx, Kind::full_mask, 3, 0),
                        intervention(ptx, Kind::shuffle_lane, 3, 1)})[20] == 25);
    auto module = parsed(ptx);
    change_code(*module, std::vector{intervention(ptx, Kind::full_mask, 3, 0),
                                     intervention(ptx, Kind::shuffle_lane, 3, -2)});
    std::vector<std::uint64_t> stored;
    for (const ptx::Instruction& i : module->functions[1].instructions)
        if (i.opcode == "st" && i.has("param"))
            stored.push_back(module->functions[1].operands[i.first_operand + 1].bits);
    CHECK(stored == std::vector<std::uint64_t>{0xFFFFFFFF, 0, 2, 32});
    // The function itself is the toolkit's.
    CHECK(possible(ptx, Kind::full_mask).size() == 2);
}
