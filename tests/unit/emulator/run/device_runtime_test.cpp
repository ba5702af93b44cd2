// Kernels that launch kernels, as the interpreter runs them. That nvcc's code for it works, and
// what comes in which order, is in tests/programs/features/nested.cu.
#include <fmt/format.h>

#include "emulator/device.hpp"
#include "emulator/state/cuda_error.hpp"
#include "emulator/state/observer.hpp"

namespace cugrade::emulator::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Words = std::vector<std::uint32_t>;

enum Stream { block_default = 0, tail_launch = 3, fire_and_forget = 4 };

const std::string declarations =
    header() +
    ".file 1 \"nested.cu\"\n"
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 "
    ".b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);\n";

/// kernel<<<1, 1, 0, stream>>>(%argument), as nvcc writes it.
std::string launch(const std::string& kernel, Stream stream, const std::string& argument) {
    return fmt::format(
        "mov.u64 %rd9, {};\n"
        "{{ .param .b64 p0; st.param.b64 [p0], %rd9;\n"
        ".param .align 4 .b8 p1[12]; st.param.b32 [p1], 1; st.param.b32 [p1+4], 1; "
        "st.param.b32 [p1+8], 1;\n"
        ".param .align 4 .b8 p2[12]; st.param.b32 [p2], 1; st.param.b32 [p2+4], 1; "
        "st.param.b32 [p2+8], 1;\n"
        ".param .b32 p3; st.param.b32 [p3], 0;\n.param .b64 r0;\n"
        "call.uni (r0), __cudaCDP2GetParameterBufferV2, (p0, p1, p2, p3);\n"
        "ld.param.b64 %rd9, [r0]; }}\nst.u64 [%rd9], %{};\n"
        "{{ .param .b64 p0; st.param.b64 [p0], %rd9;\n.param .b64 p1; st.param.b64 [p1], {};\n"
        ".param .b32 r0;\ncall.uni (r0), __cudaCDP2LaunchDeviceV2, (p0, p1); }}\n",
        kernel, argument, static_cast<int>(stream));
}

/// A kernel of one parameter, a pointer that is in %rd0.
std::string kernel(const std::string& name, const std::string& body) {
    return ".visible .entry " + name +
           "(.param .u64 p) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<10>;\n.reg .pred %q<4>;\n"
           "ld.param.u64 %rd0, [p];\n" +
           body + "ret;\n}\n";
}
const std::string add_one = kernel(
    "add_one", "ld.global.u32 %r0, [%rd0];\nadd.u32 %r0, %r0, 1;\nst.global.u32 [%rd0], %r0;\n");

}  // namespace

TEST_CASE("a fault of a child ends everything and is the child's") {
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
        Device device(declarations + kernel("child", ".loc 1 7 5\nst.global.u32 [%rd0+4], 1;\n") +
                      kernel("parent", launch("child", fire_and_forget, "rd0") +
                                           launch("child", tail_launch, "rd0")));
        const auto fault =
            device.launch("parent", {}, {}, Params().add(device.buffer(Words(1))), {.seed = seed});
        REQUIRE(fault);
        CHECK(fault->kind == FaultKind::out_of_bounds);
        CHECK(fault->kernel == "child");
        CHECK(fault->line == 7);
    }
}

TEST_CASE("cudaFree in a kernel leaves the host's buffers alone") {
    const std::string free_it =
        "{ .param .b64 p0; st.param.b64 [p0], %rd0;\n.param .b32 r0;\n"
        "call.uni (r0), __cudaCDP2Free, (p0);\nld.param.b32 %r0, [r0]; }\n"
        "st.global.u32 [%rd0], %r0;\n";
    Device device(header() + ".extern .func (.param .b32 r) __cudaCDP2Free(.param .b64 p);\n" +
                  kernel("parent", free_it));
    const auto buffer = device.buffer(Words{7}, "input");
    device.run("parent", {}, {}, Params().add(buffer));
    CHECK(device.read<std::uint32_t>(buffer, 1) == Words{cudaErrorInvalidValue});
    CHECK_THAT(device.machine->device_error(),
               ContainsSubstring("cudaErrorInvalidValue") && ContainsSubstring("`input`"));
}

TEST_CASE("the budget is for all kernels below a launch together") {
    const std::string ptx =
        declarations + kernel("again",
                              "ld.global.u32 %r0, [%rd0];\nadd.u32 %r0, %r0, 1;\n"
                              "st.global.u32 [%rd0], %r0;\n" +
                                  launch("again", tail_launch, "rd0"));
    Device device(ptx);
    const auto count = device.buffer(Words(1));
    const auto fault =
        device.launch("again", {}, {}, Params().add(count), {.warp_instruction_budget = 100'000});
    REQUIRE(fault);
    CHECK(fault->kind == FaultKind::instruction_budget);
    CHECK(device.machine->stats().warp_instructions >= 100'000);
    CHECK(device.read<std::uint32_t>(count, 1)[0] > 1000);
}

TEST_CASE("a child cannot be given its parent's shared or local memory") {
    const auto given = [](const std::string& variable, const std::string& convert) {
        Device device(declarations + add_one +
                      kernel("parent", variable + "cvta." + convert +
                                           ".u64 %rd1, %rd1;\n.loc 1 9 3\n" +
                                           launch("add_one", block_default, "rd1")));
        auto fault = device.launch("parent", {}, {}, Params().add(device.buffer(Words(1))));
        REQUIRE(fault);
        CHECK(fault->line == 9);
        return fault->message;
    };
    CHECK_THAT(given(".shared .align 4 .b8 tile[16];\nmov.u64 %rd1, tile;\n", "shared"),
               ContainsSubstring("its own shared memory to add_one (argument 1)"));
    CHECK_THAT(given(".local .align 4 .b8 mine[16];\nmov.u64 %rd1, mine;\n", "local"),
               ContainsSubstring("its own local memory to add_one (argument 1)"));
}

TEST_CASE("another schedule shows what a child must not count on") {
    // The child copies what the parent writes only after the launch.
    const std::string copy =
        kernel("copy", "ld.global.u32 %r0, [%rd0];\nst.global.u32 [%rd0+4], %r0;\n");
    const auto copied = [&](Stream stream, std::uint64_t seed) {
        Device device(
            declarations + copy +
            kernel("parent", launch("copy", stream, "rd0") + "st.global.u32 [%rd0], 1;\n"));
        const auto data = device.buffer(Words(2));
        device.run("parent", {}, {}, Params().add(data), {.seed = seed});
        return device.read<std::uint32_t>(data, 2)[1];
    };
    for (const Stream stream : {block_default, fire_and_forget, tail_launch}) {
        CHECK(copied(stream, 0) == 1);
        int late = 0;
        for (std::uint64_t seed = 1; seed <= 16; ++seed) {
            const auto got = copied(stream, seed);
            CHECK(copied(stream, seed) == got);
            late += got == 1 ? 1 : 0;
        }
        if (stream == tail_launch)
            CHECK(late == 16);
        else
            CHECK((late > 0 && late < 16));
    }
}

TEST_CASE("a child that is not in the tail does not wait for its parent's other blocks") {
    // Block n writes data[n]; block 0 launches what copies the last block's element to data[8].
    const std::string copy =
        kernel("copy", "ld.global.u32 %r0, [%rd0+28];\nst.global.u32 [%rd0+32], %r0;\n");
    const auto copied = [&](Stream stream, std::uint64_t seed, Observer* observer) {
        Device device(declarations + copy +
                      kernel("parent",
                             "mov.u32 %r0, %ctaid.x;\nmul.wide.u32 %rd1, %r0, 4;\n"
                             "add.u64 %rd1, %rd0, %rd1;\nst.global.u32 [%rd1], 1;\n"
                             "setp.ne.u32 %q0, %r0, 0;\n@%q0 bra END;\n" +
                                 launch("copy", stream, "rd0") + "END: "));
        const auto data = device.buffer(Words(9));
        device.run("parent", {8}, {}, Params().add(data), {.seed = seed, .observer = observer});
        return device.read<std::uint32_t>(data, 9)[8];
    };
    for (const Stream stream : {block_default, fire_and_forget}) {
        CHECK(copied(stream, 0, nullptr) == 0);
        int late = 0;
        for (std::uint64_t seed = 1; seed <= 16; ++seed)
            late += copied(stream, seed, nullptr) == 1 ? 1 : 0;
        CHECK((late > 0 && late < 16));
        Observer observer;  // its launches do not overlap
        CHECK(copied(stream, 0, &observer) == 1);
    }
    for (std::uint64_t seed = 0; seed <= 16; ++seed) CHECK(copied(tail_launch, seed, nullptr) == 1);
}

TEST_CASE("an experiment has children run at their launch, or in the tail") {
    // The parent stores 5 and 7, and launches between them what adds one to it.
    const std::string ptx =
        declarations + add_one +
        kernel("parent", "st.global.u32 [%rd0], 5;\n" +
                             launch("add_one", fire_and_forget, "rd0") +
                             "ld.global.u32 %r0, [%rd0];\nst.global.u32 [%rd0+4], %r0;\n"
                             "st.global.u32 [%rd0], 7;\n");
    for (const std::uint64_t seed : {0, 1, 2, 3, 4, 5})
        for (const Children children : {Children::at_once, Children::in_tail}) {
            Device device(ptx);
            const auto p = device.buffer(Words(2));
            device.run("parent", {}, {}, Params().add(p), {.seed = seed, .children = children});
            CHECK(device.read<std::uint32_t>(p, 2) ==
                  (children == Children::at_once ? Words{7, 6} : Words{8, 5}));
        }
}

TEST_CASE("children are ordered by their stream alone") {
    // Each appends its number: data[0] counts, data[1...] is what came.
    std::string children;
    for (const int n : {1, 2, 3})
        children += kernel(fmt::format("note{}", n),
                           fmt::format("atom.global.add.u32 %r0, [%rd0], 1;\n"
                                       "mul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd0, %rd1;\n"
                                       "st.global.u32 [%rd1+4], {};\n",
                                       n));
    const auto order = [&](Stream stream, std::uint64_t seed) {
        Device device(declarations + children +
                      kernel("parent", launch("note1", stream, "rd0") +
                                           launch("note2", stream, "rd0") +
                                           launch("note3", stream, "rd0")));
        const auto data = device.buffer(Words(4));
        device.run("parent", {}, {}, Params().add(data), {.seed = seed});
        const auto got = device.read<std::uint32_t>(data, 4);
        REQUIRE(got[0] == 3);
        return Words(got.begin() + 1, got.end());
    };
    bool differs = false;
    for (std::uint64_t seed = 0; seed <= 16; ++seed) {
        CHECK(order(block_default, seed) == Words{1, 2, 3});
        CHECK(order(tail_launch, seed) == Words{1, 2, 3});
        differs |= order(fire_and_forget, seed) != Words{1, 2, 3};
    }
    CHECK(order(fire_and_forget, 0) == Words{1, 2, 3});
    CHECK(differs);
}

TEST_CASE("an observer sees the launches of kernels one after the other") {
    class Log final : public Observer {
    public:
        void launch_started(const Launch& l) override {
            CHECK(!running);
            running = true;
            text += demangled(l.kernel->source->name) + " ";
        }
        void launch_ended(const Launch&) override { running = false; }
        bool running = false;
        std::string text;
    };
    Device device(declarations + add_one +
                  kernel("parent", launch("add_one", tail_launch, "rd0") +
                                       launch("add_one", fire_and_forget, "rd0")));
    Log log;
    const auto data = device.buffer(Words(1));
    device.run("parent", {}, {}, Params().add(data), {.seed = 1, .observer = &log});
    CHECK(log.text == "parent add_one add_one ");
    CHECK(device.read<std::uint32_t>(data, 1) == Words{2});
    CHECK(device.machine->device_error().empty());
}

TEST_CASE("what the device runtime takes, it gives back") {
    Device device(declarations + add_one +
                  kernel("parent", launch("add_one", fire_and_forget, "rd0")));
    const auto data = device.buffer(Words(1));
    const auto used = device.machine->memory().used();
    for (int n = 1; n <= 3; ++n) {
        device.run("parent", {}, {}, Params().add(data));
        CHECK(device.machine->memory().used() == used);
    }
    CHECK(device.read<std::uint32_t>(data, 1) == Words{3});
}

}  // namespace cugrade::emulator::test
