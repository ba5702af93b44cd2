// Kernels that access what lies outside of all memory, and run well if that is left out.
#include "changed.hpp"

using namespace cugrade;
using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

namespace {

constexpr auto ignore = InterventionKind::ignore_outside;

/// Line 3 loads in[t], line 4 stores it plus 1 to out[t].
const std::string copies = header() + R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
    .reg .b32 %r<4>; .reg .b64 %rd<6>;
    .loc 1 2 5
    ld.param.u64 %rd0, [in];
    ld.param.u64 %rd1, [out];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd2, %r0, 4;
    add.s64 %rd3, %rd0, %rd2;
    add.s64 %rd4, %rd1, %rd2;
    .loc 1 3 5
    ld.global.u32 %r1, [%rd3];
    .loc 1 4 5
    add.s32 %r1, %r1, 1;
    st.global.u32 [%rd4], %r1;
    ret;
}
.file 1 "student.cu"
)";

}  // namespace

TEST_CASE("lanes that load from outside get 0, and those that store there store nothing") {
    struct Row {
        std::size_t in, out;
        std::vector<int> lines;  ///< of the interventions
        bool is_right;
    };
    for (const Row& row : std::vector<Row>{{64, 64, {}, true},
                                           {50, 64, {}, false},
                                           {50, 64, {3}, true},
                                           {50, 64, {4}, false},
                                           {64, 50, {3}, false},
                                           {64, 50, {4}, true},
                                           {20, 30, {3, 4}, true}}) {
        std::vector<Intervention> made;
        for (const int line : row.lines) made.push_back(intervention(copies, ignore, line, 0));
        ChangedDevice device(copies, made);
        const auto in = device.buffer(std::vector<std::uint32_t>(row.in, 6));
        const auto out = device.buffer(std::vector<std::uint32_t>(row.out, 0));
        const auto fault = device.launch("k", {1}, {64}, Params().add(in).add(out));
        CHECK(fault.has_value() != row.is_right);
        if (!row.is_right) continue;
        std::vector<std::uint32_t> expected(row.out, 1);
        std::fill_n(expected.begin(), std::min(row.in, row.out), 7);
        CHECK(device.read<std::uint32_t>(out, row.out) == expected);
    }
}

TEST_CASE("vectors, atomics and shared memory are left out, too") {
    const auto kernel = [](const std::string& line) {
        return header() +
               ".visible .entry k(.param .u64 p) {\n"
               ".reg .b32 %r<6>; .reg .b64 %rd<6>;\n.shared .align 16 .b8 s[64];\n"
               ".loc 1 3 5\nld.param.u64 %rd0, [p];\n" +
               line +
               "\n.loc 1 4 5\nld.param.u64 %rd0, [p];\nst.global.u32 [%rd0], %r0;\nret;\n}\n"
               ".file 1 \"student.cu\"\n";
    };
    for (const char* line :
         {"ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd0+1024];",
          "atom.global.add.u32 %r0, [%rd0+1024], 1;", "ld.shared.u32 %r0, [s+4096];",
          "mov.u32 %r0, 0; st.shared.v2.u32 [s+4096], {%r0, %r0};",
          "mov.u32 %r0, 0; red.shared.add.u32 [s+4096], 1;",
          "add.s64 %rd0, %rd0, -8; ld.f32 %r0, [%rd0];"}) {
        INFO(line);
        const std::string ptx = kernel(line);
        for (const bool is_made : {false, true}) {
            ChangedDevice device(ptx, is_made ? std::vector{intervention(ptx, ignore, 3, 0)}
                                              : std::vector<Intervention>{});
            const auto p = device.buffer(std::vector<std::uint32_t>(16, 5));
            CHECK(device.launch("k", {1}, {1}, Params().add(p)).has_value() == !is_made);
            if (is_made) CHECK(device.read<std::uint32_t>(p, 1)[0] == 0);
        }
    }
}
