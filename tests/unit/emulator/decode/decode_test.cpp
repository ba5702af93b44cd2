// What the decoder saves changes no result: programs run with all of it and without any, and leave
// the same in memory. Generated ones (ptx_generator.cpp), then those of the opcode tables.
#include <fmt/format.h>

#include <bit>

#include "emulator/device.hpp"
#include "ptx_generator.hpp"
#include "tests/ptx/tables.hpp"

namespace {

using namespace cugrade;
using namespace cugrade::emulator;
using namespace cugrade::emulator::test;
using Words = std::vector<std::uint32_t>;

constexpr LaunchOptions short_run{.seed = 0, .warp_instruction_budget = 3'000'000};

MachineConfig config_of(bool optimise) {
    MachineConfig config;
    config.optimise = optimise;
    return config;
}

Words inputs() {
    Words values(64);
    for (std::uint32_t n = 0; n < 64; ++n) values[n] = n % 3 == 0 ? n : n * 2654435761u;
    return values;
}

/// What the program leaves in memory; or what stopped it.
struct Result {
    Words memory;
    std::string problem;
    bool operator==(const Result&) const = default;
};

Result run_program(const GeneratedProgram& program, const LaunchOptions& options, bool optimise) {
    Device device(program.ptx, config_of(optimise));
    for (const std::string& form : device.machine->unsupported(device.module))
        return {{}, "does not know " + form};
    const std::size_t words = std::size_t{program.threads} * program.words_per_thread;
    const auto out = device.buffer(Words(words), "out");
    const auto in = device.buffer(inputs(), "in");
    const auto fault = device.launch("k", {}, {program.threads},
                                     Params()
                                         .add(out)
                                         .add(in)
                                         .add(std::uint32_t{1000})
                                         .add(std::uint16_t{0x8001})
                                         .add(std::uint64_t{0x0123456789ABCDEF})
                                         .add(std::uint64_t{0xFEDCBA9876543210}),
                                     options);
    if (fault) return {{}, fault->message};
    return {device.read<std::uint32_t>(out, words), ""};
}

/// Empty if the program does the same both ways.
std::string difference(std::uint64_t seed) {
    const GeneratedProgram program = generate_program(seed);
    LaunchOptions options = short_run;
    if (seed % 4 == 3) options.seed = seed;
    const Result quick = run_program(program, options, true);
    const Result plain = run_program(program, options, false);
    if (quick == plain && quick.problem.empty()) return {};
    std::string text = fmt::format("program {}: ", seed);
    if (!quick.problem.empty() || !plain.problem.empty())
        text += fmt::format("optimised `{}`, plain `{}`", quick.problem, plain.problem);
    for (std::size_t n = 0, told = 0; n < std::min(quick.memory.size(), plain.memory.size()); ++n)
        if (quick.memory[n] != plain.memory[n] && told++ < 8)
            text += fmt::format("\nthread {}, byte {}: {:#x} instead of {:#x}",
                                n / program.words_per_thread, 4 * (n % program.words_per_thread),
                                quick.memory[n], plain.memory[n]);
    return text + "\n" + program.ptx;
}

void compare(std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t seed = first; seed < first + count; ++seed)
        if (const std::string text = difference(seed); !text.empty()) FAIL(text);
}

}  // namespace

TEST_CASE("a copy keeps its value while a loop writes what it was copied from") {
    // Each thread keeps the last of ten numbers that is even; all ways to copy, and a copy of a
    // copy.
    const std::string code =
        ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %out, %o, %w<3>, %g;\n"
        ".reg .b32 %t, %n, %x, %y, %z, %i, %k, %sum;\n.reg .b16 %h<2>;\n.reg .f32 %f<2>;\n.reg "
        ".pred %p, "
        "%q;\n"
        "ld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %o, %t, 48;\n"
        "add.s64 %out, %out, %o;\nmov.u32 %i, 0;\nmov.u32 %sum, 0;\n"
        "LOOP: mad.lo.u32 %n, %i, 7, %t;\ncvt.u64.u32 %w0, %n;\ncvt.u16.u32 %h0, %n;\n"
        "cvt.rn.f32.u32 %f0, %n;\nand.b32 %z, %n, 1;\nsetp.eq.u32 %p, %z, 1;\n@%p bra ODD;\n"
        "mov.u32 %x, %n;\nmov.u32 %y, %x;\nmov.u64 %w1, %w0;\ncvta.to.global.u64 %g, %w0;\n"
        "mov.u16 %h1, %h0;\nmov.f32 %f1, %f0;\nmov.b64 %w2, %w1;\n"
        "ODD: mov.u32 %k, %i;\nadd.u32 %i, %i, 1;\nadd.u32 %sum, %sum, %k;\nsetp.lt.u32 %q, %i, "
        "10;\n@%q bra LOOP;\n"
        "st.global.u32 [%out], %x;\nst.global.u32 [%out+4], %y;\nst.global.u64 [%out+8], %w1;\n"
        "st.global.u64 [%out+16], %g;\nst.global.u16 [%out+24], %h1;\nst.global.f32 [%out+28], "
        "%f1;\n"
        "st.global.u64 [%out+32], %w2;\nst.global.u32 [%out+40], %sum;\nret;\n}\n";
    Device device(header() + code);
    const auto out = device.buffer(Words(32 * 12));
    device.run("k", {}, {32}, Params().add(out));
    const auto got = device.read<std::uint32_t>(out, 32 * 12);
    for (std::uint32_t t = 0; t < 32; ++t) {
        const std::uint32_t last = t + 7 * (t % 2 == 0 ? 8 : 9);
        const std::uint32_t* of = got.data() + std::size_t{12} * t;
        INFO("thread " << t);
        for (const int n : {0, 1, 2, 4, 6, 8}) CHECK(of[n] == last);
        CHECK(of[10] == 45);  // a copy of what is written right behind it
        CHECK(std::bit_cast<float>(of[7]) == static_cast<float>(last));
    }
}

TEST_CASE("registers that are copies of each other end no decoding") {
    // None of them ever has a value. One circle is of two, one of three; both are read.
    const std::string code =
        ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %out;\n.reg .b32 %a, %b, %c, %d, %e, %f, "
        "%g;\nld.param.u64 %out, [out];\nst.global.u32 [%out], 7;\nret;\n"
        "LOOP: mov.u32 %a, %b;\nmov.u32 %b, %a;\nmov.u32 %c, %a;\n"
        "mov.u32 %d, %e;\nmov.u32 %e, %f;\nmov.u32 %f, %d;\nmov.u32 %g, %d;\n"
        "st.global.u32 [%out], %c;\nst.global.u32 [%out+4], %g;\nbra LOOP;\n}\n";
    Device device(header() + code);
    const auto out = device.buffer(Words(2));
    device.run("k", {}, {1}, Params().add(out));
    CHECK(device.read<std::uint32_t>(out, 1)[0] == 7);
}

TEST_CASE("a guarded load from a place that is known sets only the guard's lanes") {
    const std::string code =
        ".const .b32 table[4] = {5, 6, 7, 8};\n.global .b32 list[4] = {50, 60, 70, 80};\n"
        ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %out, %o;\n.reg .b32 %t, %a, %b;\n"
        ".reg .pred %p;\nld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\n"
        "mul.wide.u32 %o, %t, 8;\nadd.s64 %out, %out, %o;\nsetp.lt.u32 %p, %t, 10;\n"
        "mov.u32 %a, 1;\nmov.u32 %b, 2;\n@%p ld.const.u32 %a, [table+4];\n"
        "@!%p ld.global.u32 %b, [list+8];\n"
        "st.global.u32 [%out], %a;\nst.global.u32 [%out+4], %b;\nret;\n}\n";
    Device device(header() + code);
    const auto out = device.buffer(Words(64));
    device.run("k", {}, {32}, Params().add(out));
    const auto got = device.read<std::uint32_t>(out, 64);
    for (std::size_t t = 0; t < 32; ++t) {
        CHECK(got[2 * t] == (t < 10 ? 6 : 1));
        CHECK(got[2 * t + 1] == (t < 10 ? 2 : 70));
    }
}

TEST_CASE("what is computed beforehand is what the instruction computes") {
    const std::string code =
        ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %out, %a<3>, %s<3>;\n.reg .f64 %d<2>;\n"
        "ld.param.u64 %out, [out];\nmov.f64 %d0, 0d3FF0000000000000;\n"
        "add.f64 %d1, %d0, 0d4000000000000000;\nst.global.f64 [%out], %d1;\n"
        "mov.u64 %a0, -1;\nadd.cc.u64 %a1, %a0, 2;\naddc.u64 %a2, %a0, 2;\n"
        "st.global.u64 [%out+8], %a2;\nmov.u64 %s0, 64;\ncvta.shared::cta.u64 %s1, %s0;\n"
        "cvta.to.shared.u64 %s2, %s1;\nst.global.u64 [%out+16], %s2;\nret;\n}\n";
    Device device(header() + code);
    const auto out = device.buffer(std::vector<std::uint64_t>(3));
    device.run("k", {}, {1}, Params().add(out));
    const auto got = device.read<std::uint64_t>(out, 3);
    CHECK(std::bit_cast<double>(got[0]) == 3.0);
    CHECK(got[1] == 2);
    CHECK(got[2] == 64);
}

TEST_CASE("generated programs give the same with all optimisations and without") {
    compare(0, 5'000);
}

TEST_CASE("many more generated programs give the same with all optimisations and without",
          "[.long]") {
    compare(5'000, 100'000);
}

TEST_CASE("the opcode tables give the same with all optimisations and without") {
    for (const tables::Group& group : tables::read_groups(CUGRADE_SOURCE_DIR)) {
        const std::string ptx = tables::module_of(group);
        const std::size_t threads = group.cases.size();
        const std::size_t results = std::max<std::size_t>(threads * group.results.size(), 1);
        std::vector<std::uint64_t> got[2];
        for (const bool optimise : {false, true}) {
            Device device(ptx, config_of(optimise));
            const auto in = device.buffer(tables::inputs_of(group), "in");
            const auto scratch = device.buffer(std::vector<std::uint64_t>(threads * 8), "scratch");
            const auto out = device.buffer(std::vector<std::uint64_t>(results), "out");
            device.run("test", {}, {static_cast<std::uint32_t>(threads)},
                       Params().add(in).add(out).add(scratch));
            got[optimise] = device.read<std::uint64_t>(out, results);
        }
        INFO(group.name() << "\n" << ptx);
        CHECK(got[false] == got[true]);
    }
}
