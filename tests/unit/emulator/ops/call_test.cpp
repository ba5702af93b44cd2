// Calls, recursion, local memory, printf, assertions, the heap of kernels, variables of modules.
#include "emulator/device.hpp"

namespace {

using namespace cugrade::emulator;
using namespace cugrade::emulator::test;
using Catch::Matchers::ContainsSubstring;
using Words = std::vector<std::uint32_t>;

const std::string fibonacci =
    ".func (.param .b32 r) fib(.param .b32 n)\n{\n.reg .b32 %n, %a, %b;\n.reg .pred %p;\n"
    "ld.param.u32 %n, [n];\nsetp.lt.u32 %p, %n, 2;\n@%p bra DONE;\nadd.s32 %a, %n, -1;\n"
    "{ .param .b32 p0; st.param.b32 [p0], %a; .param .b32 r0; call.uni (r0), fib, (p0); "
    "ld.param.b32 %b, [r0]; }\n"
    "add.s32 %a, %n, -2;\n"
    "{ .param .b32 p0; st.param.b32 [p0], %a; .param .b32 r0; call.uni (r0), fib, (p0); "
    "ld.param.b32 %a, [r0]; }\n"
    "add.s32 %n, %a, %b;\nDONE: st.param.b32 [r], %n;\nret;\n}\n";

std::string kernel(const std::string& body, const std::string& before) {
    return header() + before +
           ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %out, %p<8>;\n.reg .b32 %t, "
           "%r<8>;\n.reg .pred %q;\n"
           ".local .align 16 .b8 local[32];\n"
           "ld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %p0, %t, 4;\nadd.s64 %p0, "
           "%out, %p0;\n" +
           body + "\nret;\n}\n.file 1 \"student.cu\"\n";
}

const std::string call_fib =
    "{ .param .b32 p0; st.param.b32 [p0], %t; .param .b32 r0; call.uni (r0), fib, (p0); "
    "ld.param.b32 %r0, [r0]; }\n"
    "st.global.u32 [%p0], %r0;";

// Lanes in `waits` keep four words until others, in `frees`, whose registers are wide, set the
// flag.
const std::string waits_and_frees =
    ".shared .align 4 .u32 flag;\n"
    ".func (.param .b32 r) waits(.param .b32 n)\n{\n.reg .b32 %n, %a<4>, %f;\n.reg .pred %p;\n"
    "ld.param.u32 %n, [n];\nmul.lo.u32 %a0, %n, 3;\nmul.lo.u32 %a1, %n, 5;\n"
    "mul.lo.u32 %a2, %n, 7;\nmul.lo.u32 %a3, %n, 9;\n"
    "AGAIN: ld.volatile.shared.u32 %f, [flag];\nsetp.eq.u32 %p, %f, 0;\n@%p bra AGAIN;\n"
    "add.u32 %n, %a0, %a1;\nadd.u32 %n, %n, %a2;\nadd.u32 %n, %n, %a3;\n"
    "st.param.b32 [r], %n;\nret;\n}\n"
    ".func (.param .b32 r) frees(.param .b32 n)\n{\n.reg .b32 %n;\n.reg .b64 %d<4>;\n"
    "ld.param.u32 %n, [n];\nmul.wide.u32 %d0, %n, 65537;\nmul.wide.u32 %d1, %n, 131;\n"
    "mul.wide.u32 %d2, %n, 17;\nmul.wide.u32 %d3, %n, 255;\nst.volatile.shared.u32 [flag], 1;\n"
    "add.u64 %d0, %d0, %d1;\nadd.u64 %d0, %d0, %d2;\nadd.u64 %d0, %d0, %d3;\n"
    "cvt.u32.u64 %n, %d0;\nst.param.b32 [r], %n;\nret;\n}\n";

}  // namespace

TEST_CASE("lanes recurse to different depths") {
    Device device(kernel(call_fib, fibonacci));
    const auto out = device.buffer(Words(14));
    device.run("k", {}, {14}, Params().add(out));
    CHECK(device.read<std::uint32_t>(out, 14) ==
          Words{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233});
}

TEST_CASE("a recursion without end is a stack overflow") {
    Device device(
        kernel("{ .param .b32 p0; st.param.b32 [p0], %t; call.uni deeper, (p0); }",
               ".func deeper(.param .b32 n)\n{\n.reg .b32 %n;\nld.param.u32 %n, [n];\n.loc 1 9 1\n"
               "{ .param .b32 p0; st.param.b32 [p0], %n; call.uni deeper, (p0); }\nret;\n}\n"));
    const auto fault = device.launch("k", {}, {32}, Params().add(device.buffer(Words(1))));
    REQUIRE(fault);
    CHECK(fault->kind == FaultKind::stack_overflow);
    CHECK(fault->line == 9);
}

TEST_CASE("a call through a pointer to nowhere is a fault") {
    Device device(
        kernel("mov.u64 %p1, 0; { P : .callprototype () _ (); call () , %p1, (), P; }", ""));
    const auto fault = device.launch("k", {}, {32}, Params().add(device.buffer(Words(1))));
    REQUIRE(fault);
    CHECK(fault->kind == FaultKind::out_of_bounds);
    CHECK_THAT(fault->message, ContainsSubstring("no device function"));
}

TEST_CASE("each call has local variables of its own") {
    // f(n) stores n in its array, calls f(n - 1) if n > 0 and returns its array plus the result.
    const std::string f =
        ".func (.param .b32 r) f(.param .b32 n)\n{\n.local .align 8 .b8 mine[8];\n.reg .b64 "
        "%l;\n.reg .b32 %n, %a;\n.reg .pred %p;\n"
        "mov.u64 %l, mine;\nld.param.u32 %n, [n];\nst.local.u32 [%l+4], %n;\nmov.u32 %a, "
        "0;\nsetp.eq.u32 %p, %n, 0;\n@%p bra END;\n"
        "add.s32 %n, %n, -1;\n{ .param .b32 p0; st.param.b32 [p0], %n; .param .b32 r0; call.uni "
        "(r0), f, (p0); ld.param.b32 %a, [r0]; }\n"
        "END: ld.local.u32 %n, [%l+4];\nadd.s32 %a, %a, %n;\nst.param.b32 [r], %a;\nret;\n}\n";
    Device device(
        kernel("{ .param .b32 p0; st.param.b32 [p0], %t; .param .b32 r0; call.uni (r0), f, (p0); "
               "ld.param.b32 %r0, [r0]; }\n"
               "st.global.u32 [%p0], %r0;",
               f));
    const auto out = device.buffer(Words(32));
    device.run("k", {}, {32}, Params().add(out));
    const auto got = device.read<std::uint32_t>(out, 32);
    for (std::uint32_t t = 0; t < 32; ++t) CHECK(got[t] == t * (t + 1) / 2);
}

TEST_CASE("lanes that have parted call different functions, one of which waits for the other") {
    const auto call = [](const std::string& name) {
        return "{ .param .b32 p0; st.param.b32 [p0], %t; .param .b32 r0; call.uni (r0), " + name +
               ", (p0); ld.param.b32 %r0, [r0]; }\n";
    };
    for (const bool odd_first : {true, false}) {
        Device device(
            kernel("st.volatile.shared.u32 [flag], 0;\nbar.sync 0;\nand.b32 %r1, %t, 1;\n" +
                       std::string(odd_first ? "setp.eq" : "setp.ne") +
                       ".u32 %q, %r1, 0;\n@%q bra OTHER;\n" + call(odd_first ? "waits" : "frees") +
                       "bra JOIN;\nOTHER:\n" + call(odd_first ? "frees" : "waits") +
                       "JOIN: st.global.u32 [%p0], %r0;",
                   waits_and_frees));
        const auto out = device.buffer(Words(32));
        device.run("k", {}, {32}, Params().add(out));
        const auto got = device.read<std::uint32_t>(out, 32);
        for (std::uint32_t t = 0; t < 32; ++t) {
            INFO("thread " << t << (odd_first ? ", odd ones first" : ", even ones first"));
            CHECK(got[t] == t * (t % 2 == 1 ? 3 + 5 + 7 + 9 : 65537 + 131 + 17 + 255));
        }
    }
}

TEST_CASE("lanes that one call takes to two functions keep the registers of each") {
    for (const bool odd_wait : {true, false}) {
        Device device(
            kernel("st.volatile.shared.u32 [flag], 0;\nbar.sync 0;\nand.b32 %r1, %t, 1;\n" +
                       std::string(odd_wait ? "setp.eq" : "setp.ne") +
                       ".u32 %q, %r1, 1;\nmov.u64 %p1, waits;\nmov.u64 %p2, frees;\n"
                       "selp.b64 %p1, %p1, %p2, %q;\n"
                       "{ .param .b32 p0; st.param.b32 [p0], %t; .param .b32 r0; "
                       "P : .callprototype (.param .b32 _) _ (.param .b32 _); "
                       "call (r0), %p1, (p0), P; ld.param.b32 %r0, [r0]; }\n"
                       "st.global.u32 [%p0], %r0;",
                   waits_and_frees));
        const auto out = device.buffer(Words(32));
        device.run("k", {}, {32}, Params().add(out));
        const auto got = device.read<std::uint32_t>(out, 32);
        for (std::uint32_t t = 0; t < 32; ++t) {
            INFO("thread " << t << (odd_wait ? ", odd ones wait" : ", even ones wait"));
            CHECK(got[t] ==
                  t * ((t % 2 == 1) == odd_wait ? 3 + 5 + 7 + 9 : 65537 + 131 + 17 + 255));
        }
    }
}

TEST_CASE("lanes that wait in a function keep its registers when all others of the warp end") {
    Device device(kernel(
        "and.b32 %r1, %t, 1;\nsetp.eq.u32 %q, %r1, 1;\n@%q bra ODD;\n"
        "{ .param .b32 p0; st.param.b32 [p0], %t; .param .b32 r0; call.uni (r0), meet, (p0); "
        "ld.param.b32 %r0, [r0]; }\nst.global.u32 [%p0], %r0;\nODD:",
        ".func (.param .b32 r) meet(.param .b32 n)\n{\n.reg .b32 %n, %a;\n"
        "ld.param.u32 %n, [n];\nmul.lo.u32 %a, %n, 3;\nbar.sync 0;\n"
        "st.param.b32 [r], %a;\nret;\n}\n"));
    const auto out = device.buffer(Words(64));
    device.run("k", {}, {64}, Params().add(out));
    const auto got = device.read<std::uint32_t>(out, 64);
    for (std::uint32_t t = 0; t < 64; t += 2) CHECK(got[t] == 3 * t);
}

TEST_CASE("printf formats each lane's arguments") {
    const std::string text = "%d|%5.2f|%s|%c|%llu|%%\n";
    std::string bytes;
    for (const char c : text) bytes += std::to_string(static_cast<int>(c)) + ", ";
    Device device(kernel(
        "mov.u64 %p1, local;\nst.local.u32 [%p1], %t;\nmov.u64 %p2, "
        "4609434218613702656;\nst.local.u64 [%p1+8], %p2;\n"
        "mov.u64 %p3, word;\nst.local.u64 [%p1+16], %p3;\nmov.u32 %r0, 65;\nst.local.u32 [%p1+24], "
        "%r0;\n"
        "cvta.local.u64 %p4, %p1;\nmov.u64 %p5, text;\n"
        "{ .param .b64 p0; st.param.b64 [p0], %p5; .param .b64 p1; st.param.b64 [p1], %p4; .param "
        ".b32 r0;\n"
        "call.uni (r0), vprintf, (p0, p1); ld.param.b32 %r1, [r0]; }\nst.global.u32 [%p0], %r1;",
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
        ".global .align 1 .b8 word[3] = {104, 105, 0};\n.global .align 1 .b8 text[" +
            std::to_string(text.size() + 1) + "] = {" + bytes + "0};\n"));
    const auto out = device.buffer(Words(2));
    device.run("k", {}, {2}, Params().add(out));
    // The last argument lies behind the block: whatever is there, both lanes print a line.
    CHECK_THAT(device.printed, Catch::Matchers::StartsWith("0| 1.50|hi|A|"));
    CHECK_THAT(device.printed, ContainsSubstring("|%\n1| 1.50|hi|A|"));
    CHECK(device.read<std::uint32_t>(out, 2) == Words{5, 5});
}

TEST_CASE("a failed assertion ends the launch with its text") {
    Device device(
        kernel("mov.u64 %p1, text;\nmov.u64 %p2, 1;\n.loc 1 17 3\n"
               "{ .param .b64 p0; st.param.b64 [p0], %p1; .param .b64 p1; st.param.b64 [p1], %p1; "
               ".param .b32 p2; st.param.b32 [p2], 17;\n"
               ".param .b64 p3; st.param.b64 [p3], %p1; .param .b64 p4; st.param.b64 [p4], %p2;\n"
               "call.uni __assertfail, (p0, p1, p2, p3, p4); }",
               ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param "
               ".b64 d, .param .b64 e);\n"
               ".global .align 1 .b8 text[6] = {110, 32, 60, 32, 52, 0};\n"));
    const auto fault = device.launch("k", {}, {32}, Params().add(device.buffer(Words(1))));
    REQUIRE(fault);
    CHECK(fault->kind == FaultKind::trap);
    CHECK(fault->line == 17);
    CHECK_THAT(fault->message, ContainsSubstring("failed the assertion `n < 4`"));
}

TEST_CASE("kernels allocate, use and free memory") {
    const std::string heap =
        ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 "
        "p);\n";
    const std::string take =
        "{ .param .b64 p0; st.param.b64 [p0], 16; .param .b64 r0; call.uni (r0), malloc, (p0); "
        "ld.param.b64 %p1, [r0]; }\n"
        "st.u32 [%p1+12], %t;\nld.u32 %r0, [%p1+12];\nst.global.u32 [%p0], %r0;\n"
        "{ .param .b64 p0; st.param.b64 [p0], %p1; call.uni free, (p0); }\n";
    SECTION("right") {
        Device device(kernel(take, heap));
        const auto out = device.buffer(Words(3));
        const auto used = device.machine->memory().used();
        device.run("k", {}, {3}, Params().add(out));
        CHECK(device.read<std::uint32_t>(out, 3) == Words{0, 1, 2});
        CHECK(device.machine->memory().used() == used);
    }
    SECTION("use after free") {
        Device device(kernel(take + "ld.u32 %r0, [%p1+12];", heap));
        const auto fault = device.launch("k", {}, {3}, Params().add(device.buffer(Words(3))));
        REQUIRE(fault);
        CHECK_THAT(fault->message, ContainsSubstring("which has been freed"));
    }
}

TEST_CASE("kernels free nothing but what kernels have allocated") {
    Device device(kernel("{ .param .b64 p0; st.param.b64 [p0], %p0; call.uni free, (p0); }",
                         ".extern .func free(.param .b64 p);\n"));
    const auto buffer = device.buffer(Words{7}, "input");
    const auto fault = device.launch("k", {}, {1}, Params().add(buffer));
    REQUIRE(fault);
    CHECK_THAT(fault->message, ContainsSubstring("`input`") &&
                                   ContainsSubstring("not from the heap of device code"));
    CHECK(device.read<std::uint32_t>(buffer, 1) == Words{7});
}

TEST_CASE("variables of a module are initialised and found by name") {
    Device device(kernel(
        "ld.global.u64 %p1, [pointer];\nld.global.u32 %r0, [%p1+4];\nst.global.u32 [%p0], %r0;",
        ".global .align 4 .u32 table[3] = {7, 8};\n.global .align 8 .u64 pointer = "
        "generic(table);\n"
        ".const .align 4 .b8 mask[8];\n"));
    const auto out = device.buffer(Words(1));
    device.run("k", {}, {1}, Params().add(out));
    CHECK(device.read<std::uint32_t>(out, 1) == Words{8});
    const auto table = device.machine->symbol(device.module, "table");
    REQUIRE(table);
    CHECK(table->bytes == 12);
    CHECK(device.read<std::uint32_t>(table->address, 3) == Words{7, 8, 0});
    CHECK(device.machine->symbol(device.module, "mask")->bytes == 8);
    CHECK_FALSE(device.machine->symbol(device.module, "nothing"));
}

TEST_CASE("dynamic shared memory follows the static one") {
    Device device(header() +
                  ".extern .shared .align 16 .b8 dynamic[];\n"
                  ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %out;\n.reg .b32 "
                  "%r<8>;\n.shared .align 4 .b8 mine[20];\n"
                  "ld.param.u64 %out, [out];\nmov.u32 %r0, dynamic;\nmov.u32 %r1, mine;\nsub.u32 "
                  "%r2, %r0, %r1;\n"
                  "mov.u32 %r3, %dynamic_smem_size;\nst.shared.u32 [%r0+60], %r3;\nld.shared.u32 "
                  "%r4, [dynamic+60];\n"
                  "st.global.u32 [%out], %r2;\nst.global.u32 [%out+4], %r4;\nret;\n}\n");
    const auto out = device.buffer(Words(2));
    device.run("k", {}, {1}, Params().add(out), {}, 64);
    CHECK(device.read<std::uint32_t>(out, 2) == Words{32, 64});
    const auto info = device.machine->kernel(device.module, "k");
    REQUIRE(info);
    CHECK(info->static_shared_bytes == 20);
    CHECK(info->param_bytes == 8);
    CHECK_FALSE(device.machine->kernel(device.module, "missing"));
}
