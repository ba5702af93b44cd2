// Loops that begin or end at another number, and step over more; parameters that stand for each
// other.
#include "changed.hpp"

using namespace cugrade;
using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

namespace {

using Kind = InterventionKind;

/// Stores %r3. Line 2 loads the parameters, line 3 is `body`, and line 9 stores.
std::string kernel(const std::string& body) {
    return header() + R"(
.visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1, .param .u32 k_param_2,
                  .param .u64 k_param_3) {
    .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<12>;
    .loc 1 2 5
    ld.param.u64 %rd1, [k_param_0];
    ld.param.u32 %r1, [k_param_1];
    ld.param.u32 %r2, [k_param_2];
    ld.param.u64 %rd2, [k_param_3];
    mov.u32 %r3, 0;
    .loc 1 3 5
    )" + body +
           R"(
    .loc 1 9 5
    st.global.u32 [%rd1], %r3;
    ret;
}
.file 1 "student.cu"
)";
}

std::uint32_t result(const std::string& ptx, const std::vector<Intervention>& made = {}) {
    ChangedDevice device(ptx, made);
    const auto out = device.buffer(std::vector<std::uint32_t>{0});
    device.run("k", {1}, {1}, Params().add(out).add(7U).add(11U).add(std::uint64_t{13}));
    return device.read<std::uint32_t>(out, 1)[0];
}

/// With the change that reads so, of the body alone.
std::uint32_t changed(const std::string& body, Kind kind, const std::string& text) {
    const std::string ptx = kernel(body);
    for (const Intervention& one : possible(ptx, kind, 3))
        if (one.text == text) return result(ptx, {one});
    FAIL("there is no " << text);
    return 0;
}

}  // namespace

TEST_CASE("a tree begins at twice the distance") {
    const std::string body =
        "mov.u32 %r4, 32; L: add.u32 %r3, %r3, %r4; shr.u32 %r4, %r4, 1; setp.ne.s32 %p1, %r4, 0; "
        "@%p1 bra L;";
    CHECK(result(kernel(body)) == 63);
    CHECK(changed(body, Kind::constant, "the falling loop's first number `32` to `64`") == 127);
    CHECK(changed(body, Kind::constant, "the falling loop's first number `32` to `16`") == 31);
    // It is no first value of what is computed.
    const std::string given = "mov.u32 %r4, %r1; " + body.substr(body.find("L:"));
    CHECK(possible(kernel(body), Kind::identity).size() ==
          possible(kernel(given), Kind::identity).size());
}

TEST_CASE("a tree takes one distance more or less") {
    const std::string body =
        "mov.u32 %r4, 32; L: add.u32 %r3, %r3, %r4; shr.u32 %r4, %r4, 1; setp.gt.u32 %p1, %r4, 3; "
        "@%p1 bra L;";
    CHECK(result(kernel(body)) == 32 + 16 + 8 + 4);
    CHECK(changed(body, Kind::constant, "the loop's distances: one more") == 32 + 16 + 8 + 4 + 2);
    CHECK(changed(body, Kind::constant, "the loop's distances: one less") == 32 + 16 + 8);
}

TEST_CASE("a loop runs a round more, at either end") {
    const std::string body =
        "mov.u32 %r4, 0; L: add.u32 %r3, %r3, %r1; add.s32 %r5, %r4, 1; setp.lt.s32 %p1, %r5, 3; "
        "mov.u32 %r4, %r5; @%p1 bra L;";
    CHECK(result(kernel(body)) == 3 * 7);
    CHECK(changed(body, Kind::constant, "the loop's first number `0` to `-1`") == 4 * 7);
    CHECK(changed(body, Kind::constant, "the loop's limit `3` to `6`") == 6 * 7);
    // A number that nothing counts from is none.
    CHECK(possible(kernel("mov.u32 %r4, 5; add.s32 %r3, %r1, %r4;"), Kind::constant, 3).empty());
}

TEST_CASE("a parameter is used in place of another one") {
    const std::string numbers = "setp.lt.u32 %p1, %r1, %r2; setp.lt.u64 %p2, %rd2, 5; ";
    const std::string narrow = numbers + "mul.lo.u32 %r3, %r1, 3;";
    CHECK(result(kernel(narrow)) == 21);
    CHECK(changed(narrow, Kind::parameter, "parameter 2 to parameter 3") == 33);
    // One of 64 bits does not fit, and an address is no number.
    for (const Intervention& one : possible(kernel(narrow), Kind::parameter))
        CHECK((one.text.ends_with("parameter 2") || one.text.ends_with("parameter 3")));
    const std::string wide =
        numbers + "cvt.u64.u32 %rd3, %r1; mul.lo.u64 %rd4, %rd3, 3; cvt.u32.u64 %r3, %rd4;";
    CHECK(result(kernel(wide)) == 21);
    CHECK(changed(wide, Kind::parameter, "parameter 2 to parameter 3") == 33);
    CHECK(changed(wide, Kind::parameter, "parameter 2 to parameter 4") == 39);
}

TEST_CASE("a loop steps over all that a round takes") {
    const std::string body =
        "mov.u32 %r4, %tid.x; mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x; mov.u32 %r7, %nctaid.x; "
        "mad.lo.s32 %r4, %r5, %r6, %r4; mul.lo.s32 %r8, %r6, %r7; L: add.u32 %r3, %r3, 1; "
        "add.s32 %r4, %r4, %r8; setp.lt.u32 %p1, %r4, 16; @%p1 bra L;";
    CHECK(result(kernel(body)) == 16);
    CHECK(changed(body, Kind::stride, "the step of the loop to 4 times as much") == 4);
}

TEST_CASE("a probe ends a loop that halves an odd number") {
    const auto fault = [](const std::string& body) {
        const std::string ptx = kernel(body);
        const std::vector<Intervention> all = possible(ptx, Kind::odd_halving, 3);
        REQUIRE(!all.empty());
        ChangedDevice device(ptx, all);
        const auto out = device.buffer(std::vector<std::uint32_t>{0});
        return device.launch("k", {1}, {1},
                             Params().add(out).add(7U).add(16U).add(std::uint64_t{13}));
    };
    const auto halves = [](const std::string& from) {
        return "mov.u32 %r4, " + from +
               "; L: add.u32 %r3, %r3, %r4; shr.u32 %r4, %r4, 1; setp.ne.s32 %p1, %r4, 0; "
               "@%p1 bra L;";
    };
    CHECK(fault(halves("%r1"))->kind == FaultKind::trap);
    CHECK(!fault(halves("%r2")));
    // The half with which it begins.
    CHECK(fault("shr.u32 %r5, %r1, 1; mov.u32 %r5, 4; mov.u32 %r4, %r5; L: shr.u32 %r4, %r4, 1; "
                "setp.ne.s32 %p1, %r4, 0; @%p1 bra L;")
              ->kind == FaultKind::trap);
    // What is halved once is no tree.
    CHECK(possible(kernel("shr.u32 %r3, %r1, 1;"), Kind::odd_halving, 3).empty());
}

TEST_CASE("a probe ends a launch in which a narrow counter is full") {
    // How often the loop counts; 13, 255 or 256 times.
    const auto fault = [](const std::string& count, int rounds, std::int64_t width) {
        const std::string ptx =
            kernel("mov.u32 %r4, " + std::to_string(rounds) + "; mov.u32 %r6, 1; L: " + count +
                   " sub.u32 %r4, %r4, 1; setp.ne.s32 %p1, %r4, 0; @%p1 bra L; mov.u32 %r3, 0;");
        std::vector<Intervention> all = possible(ptx, Kind::counter_wrap, 3);
        std::erase_if(all, [&](const Intervention& one) { return one.value != width; });
        REQUIRE(all.size() == 1);
        ChangedDevice device(ptx, all);
        const auto out = device.buffer(std::vector<std::uint32_t>{0});
        return device.launch("k", {1}, {1},
                             Params().add(out).add(8U).add(16U).add(std::uint64_t{13}));
    };
    const std::string byte =
        "ld.global.u8 %r5, [%rd1]; add.u32 %r5, %r5, 1; st.global.u8 [%rd1], %r5;";
    CHECK(!fault(byte, 255, 8));
    CHECK(fault(byte, 256, 8)->kind == FaultKind::trap);
    // The second of four counters in a word.
    const std::string field = "shl.b32 %r5, %r6, %r1; atom.global.add.u32 %r7, [%rd1], %r5;";
    CHECK(!fault(field, 255, 8));
    CHECK(fault(field, 256, 8)->kind == FaultKind::trap);
    CHECK(!fault(field, 256, 16));
    const std::string plain =
        "ld.global.u32 %r7, [%rd1]; shl.b32 %r5, %r6, %r1; add.u32 %r7, %r7, %r5; st.global.u32 "
        "[%rd1], %r7;";
    CHECK(!fault(plain, 255, 8));
    CHECK(fault(plain, 256, 8)->kind == FaultKind::trap);
    CHECK(possible(kernel("add.u32 %r3, %r1, 1;"), Kind::counter_wrap, 3).empty());
}
