// Kernels whose shared arrays are too small.
#include "changed.hpp"

using namespace cugrade;
using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

namespace {

constexpr auto larger = InterventionKind::shared_array;

/// Thread t of 64 stores t in a[t] and t + 100 in b[t], each of which has room for 32, and out[t]
/// is a[t].
const std::string two_arrays = header() + R"(
.visible .entry k(.param .u64 out) {
    .reg .b32 %r<8>; .reg .b64 %rd<4>;
    .shared .align 4 .b8 _ZZ1kPiE1a[128];
    .shared .align 4 .b8 _ZZ1kPiE1b[128];
    .shared .align 4 .u32 flag;
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd1, %r0, 4;
    add.s64 %rd0, %rd0, %rd1;
    shl.b32 %r1, %r0, 2;
    mov.u32 %r2, _ZZ1kPiE1a;
    add.u32 %r2, %r2, %r1;
    mov.u32 %r3, _ZZ1kPiE1b;
    add.u32 %r3, %r3, %r1;
    st.shared.u32 [%r2], %r0;
    bar.sync 0;
    add.u32 %r4, %r0, 100;
    st.shared.u32 [%r3], %r4;
    bar.sync 0;
    ld.shared.u32 %r5, [%r2];
    st.global.u32 [%rd0], %r5;
    ret;
}
.file 1 "student.cu"
)";

}  // namespace

TEST_CASE("a shared array that is larger reaches into no other one") {
    const std::vector<Intervention> all = possible(two_arrays, larger);
    REQUIRE(all.size() == 4);
    CHECK(all[0].text == "2 times as many elements in `a`");
    CHECK(all[2].text == "2 times as many elements in `b`");
    for (const std::size_t arrays : {0, 1, 2}) {
        INFO(arrays << " arrays are larger");
        std::vector<Intervention> made;
        if (arrays > 0) made.push_back(all[2]);
        if (arrays > 1) made.push_back(all[0]);
        ChangedDevice device(two_arrays, made);
        const auto out = device.buffer(std::vector<std::uint32_t>(64));
        const auto fault = device.launch("k", {1}, {64}, Params().add(out));
        CHECK(fault.has_value() == (arrays == 0));
        if (fault) continue;
        const auto got = device.read<std::uint32_t>(out, 64);
        for (std::uint32_t t = 0; t < 64; ++t)
            CHECK(got[t] == (arrays == 2 || t < 32 ? t : t - 32 + 100));
    }
}
