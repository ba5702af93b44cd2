// PTX whose sizes, counts and offsets are as large as they can be written, or do not fit their
// instruction: refused by name, or right.
#include <sys/resource.h>

#include "emulator/device.hpp"

namespace {

using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

constexpr const char* registers =
    ".reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n"
    "ld.param.u64 %d0, [out];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\n"
    "add.s64 %d1, %d0, %d1;\n";

std::string kernel(const std::string& body, const std::string& before = "") {
    return header(80) + before + ".visible .entry k(.param .u64 out)\n{\n" + registers + body +
           "ret;\n}\n";
}

/// What loading says of the text; nothing if it is taken.
std::string refusal(const std::string& text) {
    auto parsed = cugrade::ptx::parse(text, "test.ptx");
    if (!parsed) return parsed.error().message;
    MachineConfig config;
    config.memory_bytes = 64 << 20;
    const auto machine = Machine::create(config);
    auto loaded = machine->load(std::move(*parsed));
    return loaded ? std::string() : loaded.error().message;
}

bool says(const std::string& message, std::initializer_list<const char*> words) {
    INFO(message);
    return std::ranges::all_of(words, [&](const char* word) {
        UNSCOPED_INFO(word);
        return message.find(word) != message.npos;
    });
}

/// The instruction is no form that is executed: the launch ends with that fault.
void check_unsupported(const std::string& instruction) {
    INFO(instruction);
    Device device(kernel(".shared .align 16 .b8 s[64];\n" + instruction + "\n"));
    const auto out = device.buffer(std::vector<std::uint32_t>(64));
    const auto fault = device.launch("k", {1}, {32}, Params().add(out));
    REQUIRE(fault.has_value());
    CHECK(fault->kind == FaultKind::unsupported);
}

/// What each of 32 threads leaves in its word of `out`.
std::vector<std::uint32_t> results(const std::string& text) {
    Device device(text);
    const auto out = device.buffer(std::vector<std::uint32_t>(32));
    device.run("k", {1}, {32}, Params().add(out));
    return device.read<std::uint32_t>(out, 32);
}

}  // namespace

TEST_CASE("parameters whose bytes for all lanes do not fit 32 bits are refused") {
    for (const char* size : {"134217728", "1048577", "4294967296", "1099511627776"})
        CHECK(says(refusal(kernel("{\n.param .align 8 .b8 huge[" + std::string(size) +
                                  "];\nst.param.b64 [huge+64], %d0;\n}\n")),
                   {"`huge`", "too large", size, "1048576"}));
    // One by one they fit; together they would not.
    std::string many;
    for (int n = 0; n < 200; ++n)
        many += ".param .align 8 .b8 part" + std::to_string(n) + "[1048576];\n";
    CHECK(says(refusal(kernel("{\n" + many + "}\n")), {"`k`", "parameters", "limit of 524288"}));
    std::string parameters;
    for (int n = 0; n < 200; ++n)
        parameters += (n == 0 ? "" : ", ") + (".param .b8 p" + std::to_string(n) + "[524288]");
    CHECK(says(refusal(header() + ".func f(" + parameters + ")\n{\nret;\n}\n"), {"`p2`", "limit"}));
}

TEST_CASE("local and shared variables larger than their spaces are refused by name") {
    for (const char* size : {"524320", "4294967296", "1099511627776"})
        CHECK(says(refusal(kernel(".local .align 16 .b8 mine[" + std::string(size) +
                                  "];\nmov.u64 %d2, mine;\n")),
                   {"local variable `mine` of `k`", size, "524288"}));
    CHECK(says(refusal(kernel(".shared .align 16 .b8 ours[1099511627776];\nmov.u64 %d2, ours;\n")),
               {"shared variable `ours`", "1099511627776", "4294967295"}));
    CHECK(says(refusal(kernel("", ".shared .b8 one[4294967290];\n.shared .b8 two[16];\n")),
               {"shared variable `two`", "4294967290"}));
}

TEST_CASE("a large local array is each thread's own") {
    // The last word of 400,000 bytes, and one in between.
    const auto got =
        results(kernel(".local .align 16 .b8 mine[400000];\nmov.u64 %d2, mine;\n"
                       "st.local.u32 [%d2+399996], %r0;\nst.local.u32 [%d2+131072], %r0;\n"
                       "ld.local.u32 %r1, [%d2+399996];\nld.local.u32 %r2, [%d2+131072];\n"
                       "add.u32 %r1, %r1, %r2;\nst.global.u32 [%d1], %r1;\n"));
    for (std::uint32_t l = 0; l < 32; ++l) CHECK(got[l] == 2 * l);
}

TEST_CASE("variables of more bytes than the device has are refused before they cost anything") {
    for (const char* space : {".global", ".const"}) {
        CHECK(says(refusal(kernel("", std::string(space) + " .align 1 .b8 huge[1099511627776];\n")),
                   {"out of memory", "need 1099511627776 bytes", "`huge` alone 1099511627776",
                    "67108864"}));
        std::string many;
        for (int n = 0; n < 2000; ++n)
            many += std::string(space) + " .align 1 .b8 part" + std::to_string(n) + "[67000000];\n";
        CHECK(says(refusal(kernel("", many)), {"out of memory", "need 134000"}));
    }
    std::string overflow;
    for (int n = 0; n < 20; ++n)
        overflow += ".global .b64 v" + std::to_string(n) + "[137438953472];\n";
    CHECK(says(refusal(kernel("", overflow)), {"out of memory"}));
}

TEST_CASE("a variable of most of the device's memory is zero and takes none of the host's") {
    MachineConfig config;
    config.memory_bytes = std::uint64_t{4} << 30;
    const auto machine = Machine::create(config);
    auto parsed = cugrade::ptx::parse(
        kernel("", ".global .align 8 .u64 most[402653184] = {7, 8};\n"), "test.ptx");
    REQUIRE(parsed.ok());
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
    const auto id = machine->load(std::move(*parsed));
    REQUIRE(id.ok());
    getrusage(RUSAGE_SELF, &after);
    CHECK(after.ru_maxrss - before.ru_maxrss < 512 << 10);  // KiB
    const auto most = machine->symbol(*id, "most");
    REQUIRE(most.has_value());
    std::array<std::uint64_t, 4> first{};
    REQUIRE(machine->memory().read(most->address, std::as_writable_bytes(std::span(first))).ok());
    CHECK(first == std::array<std::uint64_t, 4>{7, 8, 0, 0});
    REQUIRE(machine->memory()
                .read(most->address + most->bytes - sizeof first,
                      std::as_writable_bytes(std::span(first)))
                .ok());
    CHECK(first == std::array<std::uint64_t, 4>{});
}

TEST_CASE("a parameter is not read before its block") {
    Device device(kernel("ld.param.u64 %d2, [out-8];\nst.global.u64 [%d0], %d2;\n"));
    const auto out = device.buffer(std::vector<std::uint32_t>(64));
    const auto fault = device.launch("k", {1}, {32}, Params().add(out));
    REQUIRE(fault.has_value());
    CHECK(fault->kind == FaultKind::out_of_bounds);
}

TEST_CASE("cp.async copies 4, 8 or 16 bytes") {
    for (const char* size : {"0", "1", "12", "17", "32", "255", "272", "4294967312"}) {
        check_unsupported("cp.async.ca.shared.global [s], [%d0], " + std::string(size) + ";");
        check_unsupported("cp.async.cg.shared.global [s], [%d0], " + std::string(size) + ";");
    }
    check_unsupported("cp.async.cg.shared.global [s], [%d0], 8;");
}

TEST_CASE("cp.async reads from before its base") {
    const auto got = results(kernel(
        ".shared .align 16 .b8 s[128];\nst.global.u32 [%d1], %r0;\nbar.sync 0;\n"
        "mov.u32 %r2, s;\nshl.b32 %r3, %r0, 2;\nadd.s32 %r2, %r2, %r3;\nadd.s64 %d3, %d1, 64;\n"
        "cp.async.ca.shared.global [%r2], [%d3-64], 4;\ncp.async.wait_all;\n"
        "ld.shared.u32 %r4, [%r2];\nst.global.u32 [%d1], %r4;\n"));
    for (std::uint32_t l = 0; l < 32; ++l) CHECK(got[l] == l);
}

TEST_CASE("moves of vectors take as many elements as there are") {
    const auto got =
        results(kernel("mov.b16 %h0, 4660;\nmov.b32 {%h1, %h2}, 286331153;\n"
                       "mov.b32 %r1, {%h0, %h1};\nst.global.u32 [%d1], %r1;\n"));
    CHECK(got[3] == 0x11111234);
    for (const char* mov : {"mov.b32 %r1, {};", "mov.b32 {}, %r1;", "mov.b32 %r1, {%h0, %h0, %h0};",
                            "mov.b64 {%d2}, %d3;", "mov.b16 %h0, {%h1, %h2, %h3, %h0};",
                            "mov.b64 %d2, {%r1, %r1, %r1, %r1, %r1, %r1, %r1};"})
        check_unsupported(mov);
}

TEST_CASE("an instruction without its operands, or with others, is not executed") {
    for (const char* instruction :
         {"bar.warp.sync;", "activemask.b32;", "elect.sync _|%p0;", "isspacep.global %p0;",
          "not.pred %p0;", "add.u32 %r1, %r2;", "add.u32 %p0, %r1, %r2;", "add.u32 %r1, %p0, %r2;",
          "setp.lt.u32 %r1, %r2, %r3;", "selp.b32 %r1, %r2, %r3, %r4;",
          "vote.sync.any.pred %r1, %r2, -1;", "ld.global.u32 %p0, [%d0];",
          "st.global.u32 [%d0], %p0;", "ld.global.u32 {%r1}, [%d0];",
          "atom.global.v2.cas.b32 {%r1, %r2}, [%d0], {%r1, %r2}, %r3;",
          "st.global.u32 [%d0], {%r1};"})
        check_unsupported(std::string(instruction) + "\nst.global.u32 [%d1], %r1;");
}

TEST_CASE("printf pads to a width that can be had") {
    Device device(
        header() +
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
        ".global .align 1 .b8 text[20] = {37,57,57,57,57,57,57,57,57,57,100,124,37,42,100,124,0};\n"
        ".visible .entry k()\n{\n.local .align 8 .b8 v[16];\n.reg .b64 %d<3>;\n.reg .b32 %r<3>;\n"
        "mov.u64 %d0, text;\nmov.u64 %d1, v;\nmov.u32 %r0, 7;\nst.local.u32 [%d1], %r0;\n"
        "mov.u32 %r1, -2000000000;\nst.local.u32 [%d1+4], %r1;\nst.local.u32 [%d1+8], %r0;\n"
        "cvta.local.u64 %d1, %d1;\n{\n.param .b64 a;\n.param .b64 b;\n.param .b32 z;\n"
        "st.param.b64 [a], %d0;\nst.param.b64 [b], %d1;\ncall.uni (z), vprintf, (a, "
        "b);\n}\nret;\n}\n");
    device.run("k", {1}, {1}, Params());
    CHECK(device.printed.size() == 1000 + 1 + 1000 + 1);
}
