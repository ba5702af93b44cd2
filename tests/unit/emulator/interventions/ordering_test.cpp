// Stores that release and loads that acquire, as the checkers see them in the code.
#include "changed.hpp"

using namespace cugrade;
using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

TEST_CASE("a store releases and a load acquires") {
    const std::string ptx = header() + R"(
.visible .entry k(.param .u64 p) {
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    .loc 1 2 5
    ld.param.u64 %rd0, [p];
    .loc 1 3 5
    ld.volatile.global.u32 %r0, [%rd0];
    .loc 1 4 5
    st.global.u32 [%rd0+4], %r0;
    .loc 1 5 5
    st.global.u8 [%rd0+8], %r0;
    ret;
}
.file 1 "student.cu"
)";
    const std::vector made{intervention(ptx, InterventionKind::acquire, 3, 0),
                           intervention(ptx, InterventionKind::release, 4, 0)};
    CHECK(possible(ptx, InterventionKind::acquire).size() == 1);
    CHECK(possible(ptx, InterventionKind::release).size() == 1);  // not of a byte
    auto module = parsed(ptx);
    change_code(*module, made);
    const auto& code = module->functions[0].instructions;
    CHECK((code[1].has("acquire") && code[1].has("gpu") && !code[1].has("volatile")));
    CHECK((code[2].has("release") && code[2].has("gpu") && code[2].has("global")));
    ChangedDevice device(ptx, made);
    const auto p = device.buffer(std::vector<std::uint32_t>{6, 0, 0});
    device.run("k", {1}, {1}, Params().add(p));
    CHECK(device.read<std::uint32_t>(p, 2) == std::vector<std::uint32_t>{6, 6});
}

TEST_CASE("an exchange that frees a lock releases") {
    const std::string ptx = header() + R"(
.visible .entry k(.param .u64 p) {
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    .loc 1 2 5
    ld.param.u64 %rd0, [p];
    .loc 1 3 5
    atom.global.exch.b32 %r0, [%rd0], 7;
    ret;
}
.file 1 "student.cu"
)";
    const Intervention one = intervention(ptx, InterventionKind::release, 3, 0);
    auto module = parsed(ptx);
    change_code(*module, std::vector{one});
    const auto& code = module->functions[0].instructions;
    CHECK((code[1].has("release") && code[1].has("gpu") && code[1].has("exch")));
    ChangedDevice device(ptx, {one});
    const auto p = device.buffer(std::vector<std::uint32_t>{6});
    device.run("k", {1}, {1}, Params().add(p));
    CHECK(device.read<std::uint32_t>(p, 1)[0] == 7);
}
