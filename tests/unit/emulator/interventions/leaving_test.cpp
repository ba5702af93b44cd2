// Threads that go past a barrier to which others of their block come, and accesses at addresses
// that are no multiple of their width.
#include "changed.hpp"

using namespace cugrade;
using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

namespace {

using Kind = InterventionKind;
using Words = std::vector<std::uint32_t>;

/// Threads from 40 on leave in line 3; thread t stores 100 + t in s[t] in line 4, and out[t] is
/// s[63 - t], read behind the barrier of line 5.
const std::string early_return = header() + R"(
.visible .entry k(.param .u64 out) {
    .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
    .shared .align 4 .b8 s[256];
    .loc 1 2 5
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd1, %r0, 4;
    add.s64 %rd0, %rd0, %rd1;
    mov.u32 %r1, s;
    shl.b32 %r2, %r0, 2;
    add.u32 %r3, %r1, %r2;
    .loc 1 3 5
    setp.ge.u32 %p0, %r0, 40;
    @%p0 bra END;
    .loc 1 4 5
    add.u32 %r4, %r0, 100;
    st.shared.u32 [%r3], %r4;
    .loc 1 5 5
    bar.sync 0;
    .loc 1 6 5
    sub.u32 %r5, %r1, %r2;
    ld.shared.u32 %r6, [%r5+252];
    st.global.u32 [%rd0], %r6;
END:
    ret;
}
.file 1 "student.cu"
)";

/// Thread t comes to the barrier of line 4 in the first t rounds of a loop, and adds 1 each time.
const std::string own_rounds = header() + R"(
.visible .entry k(.param .u64 out) {
    .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
    .loc 1 2 5
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd1, %r0, 4;
    add.s64 %rd0, %rd0, %rd1;
    mov.u32 %r1, 0;
LOOP:
    .loc 1 3 5
    add.u32 %r1, %r1, 1;
    .loc 1 4 5
    bar.sync 0;
    .loc 1 3 5
    setp.lt.u32 %p0, %r1, %r0;
    @%p0 bra LOOP;
    .loc 1 5 5
    st.global.u32 [%rd0], %r1;
    ret;
}
.file 1 "student.cu"
)";

Words results(const std::string& ptx, const std::vector<Intervention>& made, std::uint32_t threads,
              std::size_t size) {
    ChangedDevice device(ptx, made);
    const auto out = device.buffer(Words(size, 7));
    device.run("k", {1}, {threads}, Params().add(out));
    return device.read<std::uint32_t>(out, size);
}

/// Line 3 copies what `type` moves from in + offset to out + offset, by `registers`.
std::string copies(const std::string& type, const std::string& registers) {
    return header() + R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
    .reg .b16 %rs<4>; .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .b64 %rd<6>; .reg .pred %p<2>;
    .loc 1 2 5
    ld.param.u64 %rd0, [in];
    ld.param.u64 %rd1, [out];
    mov.u32 %r0, %tid.x;
    setp.eq.u32 %p0, %r0, 0;
    .loc 1 3 5
    @%p0 ld.global.)" +
           type + " " + registers + R"(, [%rd0+1];
    .loc 1 4 5
    @%p0 st.global.)" +
           type + " [%rd1+1], " + registers + R"(;
    ret;
}
.file 1 "student.cu"
)";
}

}  // namespace

TEST_CASE("threads that would leave before a barrier stay, and do nothing outside of arrays") {
    REQUIRE(possible(early_return, Kind::together, 3).size() == 1);
    CHECK(possible(early_return, Kind::together).size() == 1);
    const Words got =
        results(early_return, {intervention(early_return, Kind::together, 3, 0)}, 64, 40);
    for (std::uint32_t t = 0; t < 40; ++t) CHECK(got[t] == 100 + 63 - t);
}

TEST_CASE("threads leave a loop with a barrier together") {
    REQUIRE(possible(own_rounds, Kind::together, 3).size() == 1);
    CHECK(results(own_rounds, {intervention(own_rounds, Kind::together, 3, 0)}, 40, 40) ==
          Words(40, 39));
}

TEST_CASE("a barrier as a meeting waits for nobody who stays away") {
    REQUIRE(possible(own_rounds, Kind::meeting, 4).size() == 1);
    const Words got = results(own_rounds, {intervention(own_rounds, Kind::meeting, 4, 0)}, 40, 40);
    for (std::uint32_t t = 0; t < 40; ++t) CHECK(got[t] == std::max(t, 1u));
}

TEST_CASE("an access by elements or bytes has any address") {
    struct Row {
        std::string type, registers;
        std::int64_t value;
        std::uint32_t bytes;
    };
    for (const Row& row : std::vector<Row>{{"v4.u8", "{%rs0, %rs1, %rs2, %rs3}", 1, 4},
                                           {"v2.u32", "{%r1, %r2}", 2, 8},
                                           {"v4.f32", "{%f0, %f1, %f2, %f3}", 2, 16},
                                           {"u16", "%rs1", 2, 2},
                                           {"f32", "%f1", 2, 4},
                                           {"u64", "%rd2", 2, 8},
                                           {"v2.u64", "{%rd0, %rd3}", 2, 16}}) {
        INFO(row.type << " by " << row.value);
        const std::string ptx = copies(row.type, row.registers);
        std::vector<std::uint8_t> bytes(32);
        for (std::size_t n = 0; n < bytes.size(); ++n) bytes[n] = static_cast<std::uint8_t>(40 + n);
        const auto outcome = [&](const std::vector<Intervention>& made) {
            ChangedDevice device(ptx, made);
            const auto in = device.buffer(bytes),
                       out = device.buffer(std::vector<std::uint8_t>(32));
            const auto fault = device.launch("k", {1}, {32}, Params().add(in).add(out));
            return std::pair(fault, device.read<std::uint8_t>(out, 32));
        };
        const auto without = outcome({}).first;
        REQUIRE(without);
        CHECK(without->kind == FaultKind::misaligned);
        const auto [fault, got] = outcome({intervention(ptx, Kind::by_elements, 3, row.value),
                                           intervention(ptx, Kind::by_elements, 4, row.value)});
        REQUIRE_FALSE(fault);
        for (std::uint32_t n = 0; n < 32; ++n)
            CHECK(got[n] == (n >= 1 && n <= row.bytes ? 40 + n : 0));
    }
}

TEST_CASE("what becomes wider as it is loaded is not moved by bytes") {
    CHECK(possible(copies("s16", "%r1"), Kind::by_elements, 3).empty());
    CHECK(possible(copies("v2.u32", "{%r1, %r2}"), Kind::by_elements, 3).size() == 2);
}
