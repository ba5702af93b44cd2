// Blocks on several host threads: whatever a kernel does, memory, counts and faults are those of
// one thread, to the byte; and those kernels that can be shared are.
#include <numeric>

#include "emulator/device.hpp"

namespace {

using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t blocks = 4096, threads = 128, elements = blocks * threads;

/// Parameters: in, out, and n = elements. %i is the thread's number in the grid, %b its block's,
/// %t its own; %pi and %po point to element %i of in and out, %v is 3 times the element of in.
std::string kernel(const std::string& body, const std::string& before = {}) {
    return header() + before +
           ".visible .entry k(.param .u64 in_param, .param .u64 out_param, .param .u32 "
           "n_param)\n{\n"
           ".reg .b64 %in, %out, %pi, %po, %p<8>;\n.reg .b32 %n, %i, %b, %t, %v, %r<16>;\n"
           ".reg .f32 %f<4>;\n.reg .pred %q<8>;\n.shared .align 4 .b8 shared[1024];\n"
           "ld.param.u64 %in, [in_param];\nld.param.u64 %out, [out_param];\n"
           "ld.param.u32 %n, [n_param];\nmov.u32 %t, %tid.x;\nmov.u32 %b, %ctaid.x;\n"
           "mov.u32 %r0, %ntid.x;\nmad.lo.u32 %i, %b, %r0, %t;\n"
           "mul.wide.u32 %p0, %i, 4;\nadd.s64 %pi, %in, %p0;\nadd.s64 %po, %out, %p0;\n"
           "ld.global.u32 %v, [%pi];\nmul.lo.u32 %v, %v, 3;\n" +
           body + "\nret;\n}\n.file 1 \"student.cu\"\n";
}

struct Left {
    Words in, out;
    std::uint64_t warp_instructions = 0, thread_instructions = 0, shared_blocks = 0;
    std::optional<Fault> fault;
    std::string printed;
};

struct Shape {
    std::uint32_t grid = blocks, block = threads;
    std::size_t in_words = elements, out_words = elements;
    std::uint64_t budget = 50'000'000;
    int launches = 2;  ///< the second one knows what became of the first
};

Left run(const std::string& ptx, std::uint32_t host_threads, const Shape& shape) {
    MachineConfig config;
    config.host_threads = host_threads;
    Device device(ptx, config);
    Left left;
    left.in.resize(shape.in_words);
    left.out.resize(shape.out_words);
    std::uint32_t state = 1;
    for (auto& word : left.in) word = state = state * 1664525 + 1013904223;
    std::iota(left.out.begin(), left.out.end(), 1000u);
    const auto in = device.buffer(left.in, "in"), out = device.buffer(left.out, "out");
    for (int n = 0; n < shape.launches && !left.fault; ++n)
        left.fault =
            device.launch("k", {shape.grid}, {shape.block}, Params().add(in).add(out).add(elements),
                          {.seed = 0, .warp_instruction_budget = shape.budget});
    left.in = device.read<std::uint32_t>(in, shape.in_words);
    left.out = device.read<std::uint32_t>(out, shape.out_words);
    const LaunchStats& stats = device.machine->stats();
    left.warp_instructions = stats.warp_instructions;
    left.thread_instructions = stats.thread_instructions;
    left.shared_blocks = stats.shared_blocks;
    left.printed = device.printed;
    return left;
}

/// Beside one. AddressSanitizer sees in one number of threads what it sees in another, slowly.
#ifdef __SANITIZE_ADDRESS__
constexpr std::uint32_t numbers_of_threads[]{4};
#else
constexpr std::uint32_t numbers_of_threads[]{2, 4};
#endif

/// The same on one thread and on several; gives what one left, with the least that were shared.
Left same_on_all(const std::string& ptx, const Shape& shape = {}) {
    Left one = run(ptx, 1, shape);
    CHECK(one.shared_blocks == 0);
    one.shared_blocks = UINT64_MAX;
    for (const std::uint32_t n : numbers_of_threads) {
        CAPTURE(n);
        const Left many = run(ptx, n, shape);
        CHECK((many.in == one.in));
        CHECK((many.out == one.out));
        CHECK(many.warp_instructions == one.warp_instructions);
        CHECK(many.thread_instructions == one.thread_instructions);
        CHECK(many.printed == one.printed);
        REQUIRE(many.fault.has_value() == one.fault.has_value());
        if (one.fault) {
            CHECK(many.fault->kind == one.fault->kind);
            CHECK(many.fault->message == one.fault->message);
            CHECK(many.fault->block == one.fault->block);
            CHECK(many.fault->thread == one.fault->thread);
            CHECK(many.fault->address == one.fault->address);
            CHECK(many.fault->spinning == one.fault->spinning);
        }
        one.shared_blocks = std::min(one.shared_blocks, many.shared_blocks);
    }
    return one;
}

/// All blocks but those that are run before it is known that there is enough to do.
constexpr std::uint64_t most_blocks = blocks / 2;

}  // namespace

TEST_CASE("blocks that write what nobody reads are shared", "[threads]") {
    const auto got = same_on_all(kernel("st.global.u32 [%po], %v;"));
    CHECK(got.shared_blocks > 2 * most_blocks);
    for (std::size_t n = 0; n < got.out.size(); ++n) REQUIRE(got.out[n] == 3 * got.in[n]);
}

TEST_CASE("the last block that writes to a place wins", "[threads]") {
    SECTION("one word for all") {
        const auto got = same_on_all(kernel("st.global.u32 [%out+40], %b;"));
        CHECK(got.shared_blocks > 2 * most_blocks);
        CHECK(got.out[10] == blocks - 1);
    }
    SECTION("ranges that overlap") {
        // Block b writes 128 words from 40 b on, so each word but a few belongs to two blocks.
        const auto got =
            same_on_all(kernel("mad.lo.u32 %r1, %b, 40, %t;\nmul.wide.u32 %p1, %r1, 4;"
                               "\nadd.s64 %p1, %out, %p1;\nst.global.u32 [%p1], %b;"));
        CHECK(got.shared_blocks > 2 * most_blocks);
        for (std::uint32_t n = 0; n < 40 * blocks; ++n) REQUIRE(got.out[n] == n / 40);
    }
}

TEST_CASE("stores of all widths and strides", "[threads]") {
    const auto body = GENERATE(as<std::string>{},
                               // bytes, halves and vectors, each at some lanes only
                               "mul.wide.u32 %p1, %i, 3;\nadd.s64 %p1, %out, %p1;\n"
                               "st.global.u8 [%p1], %v;",
                               "mul.wide.u32 %p1, %i, 4;\nadd.s64 %p1, %out, %p1;\n"
                               "st.global.u16 [%p1+2], %v;",
                               "and.b32 %r1, %t, 3;\nsetp.eq.u32 %q0, %r1, 0;\n"
                               "@%q0 st.global.v4.u32 [%po], {%v, %i, %b, %t};",
                               "setp.lt.u32 %q0, %t, 5;\n@%q0 st.global.u32 [%po], %v;",
                               // the other way round, and all over the place
                               "sub.u32 %r1, %n, %i;\nadd.u32 %r1, %r1, -1;\n"
                               "mul.wide.u32 %p1, %r1, 4;\nadd.s64 %p1, %out, %p1;\n"
                               "st.global.u32 [%p1], %v;",
                               "mul.lo.u32 %r1, %i, 40503;\nadd.u32 %r2, %n, -1;\n"
                               "and.b32 %r1, %r1, %r2;\nmul.wide.u32 %p1, %r1, 4;\n"
                               "add.s64 %p1, %out, %p1;\nst.global.u32 [%p1], %v;",
                               "mul.lo.u32 %r1, %v, 40503;\nadd.u32 %r2, %n, -1;\n"
                               "and.b32 %r1, %r1, %r2;\nmul.wide.u32 %p1, %r1, 4;\n"
                               "add.s64 %p1, %out, %p1;\nst.global.u32 [%p1], %i;");
    CAPTURE(body);
    CHECK(same_on_all(kernel(body)).shared_blocks > 2 * most_blocks);
}

TEST_CASE("sums of integers are shared, with atomics whose result nobody reads",
          "[threads][slow]") {
    const auto operation = GENERATE(
        as<std::string>{}, "red.global.add.u32 [%p1], %v;", "red.global.add.u32 [%out], 1;",
        "atom.global.add.u32 %r3, [%p1], %v;", "red.global.min.s32 [%p1], %v;",
        "red.global.max.s32 [%p1], %v;", "red.global.min.u32 [%p1], %v;",
        "red.global.max.u32 [%p1], %v;", "red.global.and.b32 [%p1], %v;",
        "red.global.or.b32 [%p1], %v;", "red.global.xor.b32 [%p1], %v;",
        "cvt.u64.u32 %p2, %v;\nred.global.add.u64 [%p1], %p2;",
        "cvt.s64.s32 %p2, %v;\nred.global.min.s64 [%p1], %p2;",
        "cvt.s64.s32 %p2, %v;\nred.global.max.s64 [%p1], %p2;", "red.add.u32 [%p1], %v;");
    CAPTURE(operation);
    for (const std::uint32_t bins : {16u, elements / 2}) {
        const std::string body = "and.b32 %r1, %v, " + std::to_string(bins - 1) +
                                 ";\nmul.wide.u32 %p1, %r1, 8;\nadd.s64 %p1, %out, %p1;\n" +
                                 operation;
        CHECK(same_on_all(kernel(body)).shared_blocks > 2 * most_blocks);
    }
}

TEST_CASE("what depends on the order of blocks is run in order", "[threads][slow]") {
    const auto body = GENERATE(
        as<std::string>{},
        // tickets, locks, sums of floats, two kinds of sums at one place
        "atom.global.add.u32 %r1, [%out], 1;\nst.global.u32 [%pi], %r1;",
        "atom.global.exch.b32 %r1, [%out], %i;\nst.global.u32 [%pi], %r1;",
        "atom.global.exch.b32 %r1, [%out], %i;", "atom.global.cas.b32 %r1, [%out], %b, %i;",
        "cvt.rn.f32.u32 %f0, %v;\nred.global.add.f32 [%out], %f0;",
        "red.add.f32 [%out], 0f3F8CCCCD;", "red.global.inc.u32 [%out], 1000;",
        "red.global.add.u32 [%out], 3;\nred.global.xor.b32 [%out], %i;",
        "atom.add.u32 %r1, [%out], 1;\nst.global.u32 [%pi], %r1;",
        // in place; what an earlier block has written; a sum that is read
        "st.global.u32 [%pi], %v;",
        "ld.global.u32 %r1, [%po];\nadd.u32 %r1, %r1, %v;\nst.global.u32 [%po+4], %r1;",
        "red.global.add.u32 [%out], 1;\nld.global.u32 %r1, [%out];\nst.global.u32 [%pi], %r1;",
        "st.global.u32 [%po], %v;\nld.global.u32 %r1, [%out+4];\nst.global.u32 [%po+64], %r1;",
        // %smid and clocks tell more than they should
        "mov.u32 %r1, %clock;\nst.global.u32 [%po], %r1;",
        "mov.u32 %r1, %smid;\nst.global.u32 [%po], %r1;");
    CAPTURE(body);
    Shape shape;
    shape.out_words += 64;
    same_on_all(kernel(body), shape);
}

TEST_CASE("an index that leads into a buffer that is read", "[threads]") {
    // Blocks from 3000 on write as many bytes as lie between the buffers too far down: into `in`,
    // or where nothing is.
    const auto got = same_on_all(
        kernel(
            "setp.gt.u32 %q0, %b, 3000;\nmov.u64 %p3, 0;\nsub.s64 %p2, %in, %out;\n"
            "selp.b64 %p3, %p2, %p3, %q0;\nadd.s64 %po, %po, %p3;\nst.global.u32 [%po+-256], %v;",
            ""),
        {.launches = 1});
    CHECK(got.in[3001 * threads - 64] != got.out[3001 * threads - 64]);
}

TEST_CASE("a variable with a known address is read by one block and written by another",
          "[threads]") {
    same_on_all(
        kernel("ld.global.u32 %r1, [variable];\nadd.u32 %r1, %r1, %v;\n"
               "st.global.u32 [%po], %r1;\nsetp.eq.u32 %q0, %b, 2000;\n"
               "@%q0 st.global.u32 [variable], %r1;",
               ".visible .global .align 4 .u32 variable = 5;\n"));
}

TEST_CASE("the fault of the earliest block wins, and nothing of a later one stays", "[threads]") {
    const auto what = GENERATE(as<std::string>{},
                               "mov.u64 %p1, 64;\nld.global.u32 %r1, [%p1];",  // near null
                               "st.global.u32 [%po+2], %v;",                   // misaligned
                               "trap;", "bar.sync 1, 160;",                    // nobody else comes
                               "sub.s64 %p1, %po, 1073741824;\nst.global.u32 [%p1], %v;");
    const auto from = GENERATE(1u, 900u, 2500u, 4095u);
    CAPTURE(what, from);
    const std::string label = std::to_string(from);
    const auto got = same_on_all(kernel("st.global.u32 [%po], %v;\nsetp.lt.u32 %q0, %b, " + label +
                                        ";\n@%q0 bra DONE;\n" + what + "\nDONE:"));
    REQUIRE(got.fault);
    CHECK(got.fault->block[0] == from);
    CHECK(got.out[from * threads - 1] == 3 * got.in[from * threads - 1]);
}

TEST_CASE("the budget ends at the same instruction", "[threads][slow]") {
    SECTION("a block that never ends") {
        const auto store = GENERATE(as<std::string>{}, "", "st.global.u32 [%po], %r5;\n");
        const auto got = same_on_all(kernel("st.global.u32 [%po], %v;\nmov.u32 %r5, 0;\n"
                                            "setp.ne.u32 %q0, %b, 3333;\n@%q0 bra DONE;\nLOOP: " +
                                            store + "add.u32 %r5, %r5, 1;\nbra LOOP;\nDONE:"),
                                     {.budget = 3'000'000});
        REQUIRE(got.fault);
        CHECK(got.fault->kind == FaultKind::instruction_budget);
        CHECK(got.fault->spinning == store.empty());
        CHECK(got.warp_instructions == 3'000'000);
        CHECK(got.shared_blocks > 0);
    }
    SECTION("too many blocks") {
        const std::uint64_t budget = GENERATE(65'536u, 100'000u, 130'000u, 140'000u, 1'000'000u);
        same_on_all(kernel("st.global.u32 [%po], %v;"), {.budget = budget});
    }
}

TEST_CASE("what a block finds does not depend on who was there before", "[threads]") {
    // 48 threads: lane 16 of the second warp has no thread, yet its register is read.
    const auto body = GENERATE(
        as<std::string>{}, "shfl.sync.down.b32 %r1, %v, 16, 31, -1;\nst.global.u32 [%po], %r1;",
        "mov.u64 %p1, local;\nmul.wide.u32 %p2, %t, 4;\nadd.s64 %p1, %p1, %p2;"
        "\nld.local.u32 %r1, [%p1];\nst.local.u32 [%p1], %v;\n"
        "st.global.u32 [%po], %r1;",
        "mov.u32 %r2, shared;\nld.shared.u32 %r1, [%r2+128];\n"
        "st.shared.u32 [%r2+128], %v;\nst.global.u32 [%po], %r1;");
    std::string text = kernel(body);
    text.insert(text.find(".reg .b64"), ".local .align 4 .b8 local[512];\n");
    const auto got = same_on_all(text, {.grid = 2 * blocks, .block = 48});
    CHECK(got.shared_blocks > 2 * most_blocks);
}

TEST_CASE("warps of a block that work together", "[threads]") {
    // A sum of the block in shared memory, by atomics with results, shuffles and barriers.
    const auto got = same_on_all(
        kernel("mov.u32 %r1, shared;\nsetp.eq.u32 %q0, %t, 0;\nmov.u32 %r2, 0;\n"
               "@%q0 st.shared.u32 [%r1], %r2;\nbar.sync 0;\n"
               "shfl.sync.bfly.b32 %r3, %v, 1, 31, -1;\nadd.u32 %r3, %r3, %v;\n"
               "atom.shared.add.u32 %r4, [%r1], %r3;\nbar.sync 0;\nld.shared.u32 %r5, [%r1];\n"
               "add.u32 %r5, %r5, %r4;\nst.global.u32 [%po], %r5;"));
    CHECK(got.shared_blocks > 2 * most_blocks);
}

TEST_CASE("what is printed comes in the order of blocks", "[threads]") {
    const auto got = same_on_all(
        kernel("setp.ne.u32 %q0, %t, 0;\n@%q0 bra DONE;\n{\n.param .b64 a0;\n.param .b64 a1;\n"
               ".param .b32 result;\nmov.u64 %p1, text;\ncvta.global.u64 %p1, %p1;\n"
               "st.param.b64 [a0], %p1;\nmov.u64 %p2, 0;\nst.param.b64 [a1], %p2;\n"
               "call (result), vprintf, (a0, a1);\n}\nDONE:",
               ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
               ".global .align 1 .b8 text[3] = {104, 10, 0};\n"),
        {.grid = 600});
    CHECK(got.printed.size() == 2 * 600 * 2);
}
