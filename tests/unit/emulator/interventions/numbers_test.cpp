// Kernels with numbers that are too narrow, of the wrong sign, converted, or off by one.
#include <bit>

#include "changed.hpp"

using namespace cugrade;
using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

namespace {

using Kind = InterventionKind;

/// Line 3 is `body`: from the numbers at %rd0, in %rd3 and %r3 what is stored as the result.
std::string kernel(const std::string& body) {
    return header() + R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
    .reg .pred %p<4>; .reg .b16 %h<3>; .reg .b32 %r<12>; .reg .f32 %f<9>; .reg .f64 %d<4>;
    .reg .b64 %rd<12>;
    .loc 1 2 5
    ld.param.u64 %rd0, [in];
    ld.param.u64 %rd1, [out];
    mov.u64 %rd3, 0;
    .loc 1 3 5
    )" + body +
           R"(
    .loc 1 9 5
    st.global.u64 [%rd1], %rd3;
    ret;
}
.file 1 "student.cu"
)";
}

template <class T>
std::uint64_t result(const std::string& ptx, const std::vector<T>& in,
                     const std::vector<Intervention>& made = {}) {
    ChangedDevice device(ptx, made);
    const auto from = device.buffer(in);
    const auto out = device.buffer(std::vector<std::uint64_t>{0});
    device.run("k", {1}, {1}, Params().add(from).add(out));
    return device.read<std::uint64_t>(out, 1)[0];
}

template <class T>
void repairs(const std::string& body, Kind kind, std::int64_t value, const std::vector<T>& in,
             std::uint64_t wrong, std::uint64_t right) {
    const std::string ptx = kernel(body);
    INFO(body);
    CHECK(result(ptx, in) == wrong);
    CHECK(result(ptx, in, {intervention(ptx, kind, 3, value)}) == right);
}

std::uint64_t bits_of(float f) { return std::bit_cast<std::uint32_t>(f); }

}  // namespace

TEST_CASE("a byte is read without its sign") {
    const std::vector<std::uint8_t> in{200, 1, 2, 3};
    repairs("ld.global.s8 %r3, [%rd0]; cvt.u64.u32 %rd3, %r3;", Kind::unsigned_byte, 8, in,
            0xFFFFFFC8, 200);
    repairs("ld.u8 %h0, [%rd0]; cvt.u64.u16 %rd4, %h0; cvt.s64.s8 %rd3, %rd4;", Kind::unsigned_byte,
            8, in, 0xFFFFFFFFFFFFFFC8, 200);
    repairs("ld.global.s16 %r3, [%rd0]; cvt.u64.u32 %rd3, %r3;", Kind::unsigned_byte, 16,
            std::vector<std::uint16_t>{40000, 0}, 0xFFFF9C40, 40000);
    const std::vector<std::uint32_t> word{0xC8010203};
    repairs("ld.global.u32 %r2, [%rd0]; shr.s32 %r3, %r2, 24; cvt.u64.u32 %rd3, %r3;",
            Kind::unsigned_byte, 8, word, 0xFFFFFFC8, 200);
    repairs("ld.global.u32 %r2, [%rd0]; bfe.s32 %r3, %r2, 24, 8; cvt.u64.u32 %rd3, %r3;",
            Kind::unsigned_byte, 8, word, 0xFFFFFFC8, 200);
    CHECK(possible(kernel("ld.global.u8 %r3, [%rd0]; ld.global.s32 %r3, [%rd0]; "
                          "shr.s32 %r3, %r3, 2; shr.u32 %r3, %r3, 24; bfe.s32 %r3, %r3, 0, 7;"),
                   Kind::unsigned_byte)
              .empty());
}

TEST_CASE("a conversion keeps the bits") {
    repairs("ld.global.f32 %f0, [%rd0]; cvt.rzi.s32.f32 %r3, %f0; cvt.u64.u32 %rd3, %r3;",
            Kind::reinterpret, 0, std::vector<float>{2.5F}, 2, bits_of(2.5F));
    repairs(
        "ld.global.u32 %r3, [%rd0]; cvt.rn.f32.s32 %f0, %r3; mov.b32 %r3, %f0; "
        "cvt.u64.u32 %rd3, %r3;",
        Kind::reinterpret, 0, std::vector<std::uint32_t>{7}, bits_of(7.F), 7);
    CHECK(possible(kernel("cvt.s64.s32 %rd3, %r3; cvt.f64.f32 %d0, %f0;"), Kind::reinterpret)
              .empty());
}

TEST_CASE("what becomes a number of 64 bits is computed with 64") {
    const std::vector<std::uint32_t> in{100'000, 70'000};
    const std::string load = "ld.global.u32 %r0, [%rd0]; ld.global.u32 %r1, [%rd0+4]; ";
    const std::uint64_t product = 7'000'000'000;
    repairs(load + "mul.lo.s32 %r3, %r0, %r1; cvt.s64.s32 %rd3, %r3;", Kind::wide_arithmetic, 64,
            in, static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(product)}),
            product);
    repairs(load + "mad.lo.s32 %r2, %r0, %r1, 5; shl.b32 %r3, %r2, 1; mul.wide.u32 %rd3, %r3, 4;",
            Kind::wide_arithmetic, 64, in, ((product + 5) * 2 & 0xFFFFFFFF) * 4, (product + 5) * 8);
    repairs(load +
                "add.s32 %r2, %r0, -100001; sub.s32 %r3, %r2, %r1; cvt.s64.s32 %rd3, %r3; "
                "ld.global.u32 %r4, [%rd0+8]; mul.lo.s32 %r5, %r4, %r4; cvt.u64.u32 %rd5, %r5; "
                "add.s64 %rd3, %rd3, %rd5;",
            Kind::wide_arithmetic, 64, std::vector<std::uint32_t>{100'000, 0, 100'000}, 1410065407,
            9'999'999'999);
    CHECK(possible(kernel(load + "cvt.s64.s32 %rd3, %r0;"), Kind::wide_arithmetic).empty());
}

TEST_CASE("a sum of floats that goes through a loop is a double") {
    // 2^24 + 1 + 1 + ... is lost in a float.
    std::vector<float> in(17, 1.F);
    in[0] = 16777216.F;
    const std::string after = "mov.b32 %r3, %f0; cvt.u64.u32 %rd3, %r3;";
    repairs(
        "mov.f32 %f0, 0f00000000; mov.u32 %r0, 0;\n"
        "L: ld.global.f32 %f1, [%rd0]; add.f32 %f0, %f0, %f1; add.s64 %rd0, %rd0, 4; "
        "add.s32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 17; @%p0 bra L;\n" +
            after,
        Kind::wide_accumulator, 0, in, bits_of(16777216.F), bits_of(16777232.F));
    // As code that is not optimised has it, and with a product.
    repairs(
        "mov.f32 %f4, 0f00000000; mov.f32 %f7, %f4; mov.u32 %r0, 0;\n"
        "L: mov.f32 %f0, %f7; setp.ge.u32 %p0, %r0, 17; @%p0 bra E;\n"
        "ld.global.f32 %f1, [%rd0]; fma.rn.f32 %f2, %f1, 0f3F800000, %f0; mov.f32 %f7, %f2; "
        "add.s64 %rd0, %rd0, 4; add.s32 %r0, %r0, 1; bra L;\nE: " +
            after,
        Kind::wide_accumulator, 0, in, bits_of(16777216.F), bits_of(16777232.F));
    CHECK(possible(kernel("ld.global.f32 %f1, [%rd0]; add.f32 %f0, %f1, %f1;"),
                   Kind::wide_accumulator)
              .empty());
}

TEST_CASE("a sum of integers that is widened behind its loop has 64 bits") {
    const std::vector<std::uint32_t> in(3, 0x7FFFFFFF);
    repairs(
        "mov.u32 %r3, 0; mov.u32 %r0, 0;\n"
        "L: ld.global.u32 %r1, [%rd0]; add.s32 %r3, %r3, %r1; add.s64 %rd0, %rd0, 4; "
        "add.s32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 3; @%p0 bra L;\ncvt.s64.s32 %rd3, %r3;",
        Kind::wide_accumulator, 1, in, 0x7FFFFFFD, 0x17FFFFFFD);
}

TEST_CASE("a shift and a division belong to the arithmetic that is widened") {
    const std::vector<std::uint32_t> in{100'000, 70'000};
    const std::string load = "ld.global.u32 %r0, [%rd0]; ld.global.u32 %r1, [%rd0+4]; ";
    const std::uint64_t product = 7'000'000'000;
    repairs(load + "mul.lo.s32 %r2, %r0, %r1; shr.u32 %r3, %r2, 3; cvt.u64.u32 %rd3, %r3;",
            Kind::wide_arithmetic, 64, in, (product & 0xFFFFFFFF) >> 3, product >> 3);
    repairs(load + "mul.lo.s32 %r2, %r0, %r1; div.u32 %r3, %r2, 7; cvt.u64.u32 %rd3, %r3;",
            Kind::wide_arithmetic, 64, in, (product & 0xFFFFFFFF) / 7, product / 7);
}

TEST_CASE("a number is widened with its sign") {
    const std::vector<std::int32_t> in{-2};
    repairs("ld.global.u32 %r3, [%rd0]; cvt.u64.u32 %rd3, %r3;", Kind::widened_sign, 1, in,
            0xFFFFFFFE, 0xFFFFFFFFFFFFFFFE);
    repairs("ld.global.u32 %rd3, [%rd0];", Kind::widened_sign, 1, in, 0xFFFFFFFE,
            0xFFFFFFFFFFFFFFFE);
    repairs("ld.global.s32 %rd3, [%rd0];", Kind::widened_sign, -1, in, 0xFFFFFFFFFFFFFFFE,
            0xFFFFFFFE);
    repairs("ld.global.u32 %r3, [%rd0]; mul.wide.u32 %rd3, %r3, %r3;", Kind::widened_sign, 1, in,
            0xFFFFFFFC00000004, 4);
    CHECK(possible(kernel("mul.wide.u32 %rd3, %r3, 4;"), Kind::widened_sign).empty());
    // -1 that the compiler has widened.
    repairs("ld.global.u32 %rd4, [%rd0]; add.s64 %rd3, %rd4, 4294967295;", Kind::widened_sign, 1,
            std::vector<std::int32_t>{7}, 7 + std::uint64_t{0xFFFFFFFF}, 6);
    // What is left of a shift has 32 bits, whatever is done to them.
    repairs("ld.global.u64 %rd4, [%rd0]; shr.u64 %rd5, %rd4, 32; xor.b64 %rd3, %rd5, 2147483648;",
            Kind::widened_sign, 1, std::vector<std::uint32_t>{0, 0x7FFFFFFE}, 0xFFFFFFFE,
            0xFFFFFFFFFFFFFFFE);
    CHECK(possible(kernel("xor.b64 %rd3, %rd4, 2147483648;"), Kind::widened_sign).empty());
    // A mask, and a large number.
    CHECK(possible(kernel("and.b64 %rd3, %rd4, 4294967295;"), Kind::widened_sign).empty());
    CHECK(possible(kernel("add.s64 %rd3, %rd4, 2147483648;"), Kind::widened_sign).empty());
}

TEST_CASE("an operation takes its numbers with a sign, or without one") {
    const std::vector<std::int32_t> in{-7};
    repairs("ld.global.u32 %r0, [%rd0]; rem.u32 %r3, %r0, 10; cvt.u64.u32 %rd3, %r3;",
            Kind::other_sign, 1, in, 9, 0xFFFFFFF9);
    repairs("ld.global.u32 %r0, [%rd0]; div.s32 %r3, %r0, 7; cvt.u64.u32 %rd3, %r3;",
            Kind::other_sign, -1, in, 0xFFFFFFFF, 0xFFFFFFF9 / 7);
    repairs("ld.global.u32 %r0, [%rd0]; shr.u32 %r3, %r0, 31; cvt.u64.u32 %rd3, %r3;",
            Kind::other_sign, 1, in, 1, 0xFFFFFFFF);
    repairs("ld.global.s32 %rd4, [%rd0]; max.u64 %rd3, %rd4, 5;", Kind::other_sign, 1, in,
            0xFFFFFFFFFFFFFFF9, 5);
    CHECK(possible(kernel("shr.b32 %r3, %r0, 31;"), Kind::other_sign).empty());
    CHECK(possible(kernel("max.f32 %f3, %f0, %f1;"), Kind::other_sign).empty());
}

TEST_CASE("a number that was cut keeps its bits") {
    const std::vector<std::uint64_t> in{0x500000003};
    repairs("ld.global.u64 %rd4, [%rd0]; and.b64 %rd3, %rd4, 4294967294;", Kind::untruncated, 0, in,
            2, 0x500000002);
    repairs("ld.global.u64 %rd4, [%rd0]; cvt.u32.u64 %r3, %rd4; cvt.u64.u32 %rd3, %r3;",
            Kind::untruncated, 0, in, 3, 0x500000003);
    repairs(
        "ld.global.f64 %d0, [%rd0]; cvt.rn.f32.f64 %f0, %d0; cvt.f64.f32 %d1, %f0; "
        "mov.b64 %rd3, %d1;",
        Kind::untruncated, 0, std::vector<double>{0.1}, std::bit_cast<std::uint64_t>(double{0.1F}),
        std::bit_cast<std::uint64_t>(0.1));
    // A mask of fewer bits is meant.
    CHECK(possible(kernel("and.b64 %rd3, %rd4, 65535;"), Kind::untruncated).empty());
}

TEST_CASE("a value is not limited") {
    const std::vector<std::uint32_t> in{300};
    repairs("ld.global.u32 %r0, [%rd0]; min.s32 %r3, %r0, 255; cvt.u64.u32 %rd3, %r3;",
            Kind::unclamped, 255, in, 255, 300);
    repairs(
        "ld.global.u32 %r0, [%rd0]; setp.gt.s32 %p0, %r0, 254; selp.b32 %r3, 255, %r0, %p0; "
        "cvt.u64.u32 %rd3, %r3;",
        Kind::unclamped, 255, in, 255, 300);
    repairs("ld.global.u32 %r0, [%rd0]; cvt.sat.u8.s32 %h0, %r0; cvt.u64.u16 %rd3, %h0;",
            Kind::unclamped, 0, in, 255, 300 & 0xFF);
    // A choice by something else is no limit.
    CHECK(
        possible(kernel("setp.gt.s32 %p0, %r1, 254; selp.b32 %r3, 255, %r0, %p0;"), Kind::unclamped)
            .empty());
}

TEST_CASE("a number and its neighbours") {
    const std::vector<std::uint32_t> in{10, 20, 30};
    const std::string body =
        "ld.global.u32 %r0, [%rd0+4]; add.s32 %r3, %r0, 3; "
        "cvt.u64.u32 %rd3, %r3;";
    repairs(body, Kind::constant, 1, in, 23, 24);
    repairs(body, Kind::constant, -1, in, 23, 22);
    repairs(body, Kind::constant, 2, in, 23, 26);
    repairs(body, Kind::constant, -2, in, 23, 21);
    CHECK(intervention(kernel(body), Kind::constant, 3, 2).text == "`3` to `6`");
    repairs(body, Kind::element, 1, in, 23, 33);
    repairs(body, Kind::element, -1, in, 23, 13);
    // The compiler's own numbers are left alone, and nothing is divided by 0.
    CHECK(possible(kernel("mul.wide.u32 %rd3, %r0, 4; add.s64 %rd3, %rd3, 8;"), Kind::constant)
              .empty());
    for (const Intervention& one : possible(kernel("div.s32 %r3, %r0, 1;"), Kind::constant))
        CHECK(one.text == "`1` to `2`");
}

TEST_CASE("of two numbers of one place each is changed by itself, and all copies of it") {
    const std::vector<std::uint32_t> in{16};
    const std::string ptx = kernel(
        "ld.global.u32 %r0, [%rd0]; shr.u32 %r1, %r0, 2; shr.u32 %r2, %r0, 1; shr.u32 %r4, %r0, 2; "
        "add.s32 %r3, %r1, %r2; add.s32 %r3, %r3, %r4; cvt.u64.u32 %rd3, %r3;");
    CHECK(result(ptx, in) == 4 + 8 + 4);
    const auto changed = [&](const std::string& text) {
        const std::vector<Intervention> list = possible(ptx, Kind::constant);
        const auto one = std::ranges::find(list, text, &Intervention::text);
        REQUIRE(one != list.end());
        return result(ptx, in, {*one});
    };
    CHECK(changed("the division by 4 to one by 2") == 8 + 8 + 8);
    CHECK(changed("the division by 2 to one by 4") == 4 + 4 + 4);
}

TEST_CASE("an atomic maximum compares numbers of the other signedness") {
    const std::string ptx = kernel(
        "mov.u32 %r0, 0xFFFFFFFF; st.global.u32 [%rd1], %r0; "
        "atom.global.max.u32 %r1, [%rd1], 5; ld.global.u32 %r3, [%rd1]; cvt.u64.u32 %rd3, %r3;");
    const std::vector<std::int32_t> in{0};
    CHECK(result(ptx, in) == 0xFFFFFFFF);
    CHECK(result(ptx, in, {intervention(ptx, Kind::comparison, 3, 3)}) == 5);
}

TEST_CASE("a maximum begins with the lowest number") {
    const std::vector<std::int32_t> in{-7, -5, -9};
    const auto right = static_cast<std::uint32_t>(-5);
    // The first value belongs to the line in which it is first used, not to where the compiler has
    // moved it; the loop's counter begins on another line.
    const std::string apart =
        "mov.u32 %r1, 0;\n.loc 1 4 5\nL: ld.global.u32 %r2, [%rd0]; max.s32 %r3, %r3, %r2;\n"
        ".loc 1 5 5\nadd.s64 %rd0, %rd0, 4; add.s32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 3; "
        "@%p0 bra L;\ncvt.u64.u32 %rd3, %r3;";
    const std::string ptx = kernel("mov.u32 %r3, 0;\n" + apart);
    CHECK(result(ptx, in) == 0);
    CHECK(result(ptx, in, {intervention(ptx, Kind::identity, 4, 1)}) == right);
    CHECK(intervention(ptx, Kind::identity, 4, 1).text ==
          "the first value to the lowest of its type");
    // Of two numbers in a line, one is changed.
    const std::string two = kernel(
        "setp.eq.u64 %p0, %rd1, 0; selp.b32 %r0, 7, 9, %p0; add.s32 %r3, %r0, 0; "
        "cvt.u64.u32 %rd3, %r3;");
    CHECK(result(two, in) == 9);
    CHECK(result(two, in, {intervention(two, Kind::identity, 3, 4 + 8 * 9)}) == 0xFFFFFFFF);
    CHECK(result(two, in, {intervention(two, Kind::identity, 3, 4 + 8 * 7)}) == 9);
    // A number that is written once is no first value.
    CHECK(possible(kernel("mov.u32 %r0, 5; add.s32 %r3, %r0, %r0;"), Kind::identity, 3).empty());
    // A counter of 64 bits on the same line is another number.
    const std::string wide_counter = kernel(
        "mov.u32 %r3, 0; mov.u64 %rd2, 0;\n.loc 1 4 5\nL: ld.global.u32 %r2, [%rd0]; "
        "max.s32 %r3, %r3, %r2; add.s64 %rd0, %rd0, 4; add.s64 %rd2, %rd2, 1; "
        "setp.lt.u64 %p0, %rd2, 3; @%p0 bra L;\ncvt.u64.u32 %rd3, %r3;");
    CHECK(result(wide_counter, in) == 0);
    CHECK(result(wide_counter, in, {intervention(wide_counter, Kind::identity, 4, 1)}) == right);
    // Padding of floats: a choice between the element and a number.
    const std::string padded = kernel(
        "setp.eq.u64 %p0, %rd1, 0; ld.global.f32 %f1, [%rd0]; "
        "selp.f32 %f0, %f1, 0f00000000, %p0; mov.b32 %r3, %f0; "
        "cvt.u64.u32 %rd3, %r3;");
    CHECK(result(padded, in) == 0);
    CHECK(result(padded, in, {intervention(padded, Kind::identity, 3, 1)}) == 0xFF800000);
    CHECK(result(padded, in, {intervention(padded, Kind::identity, 3, 3)}) == bits_of(1.F));
}

TEST_CASE("a count that a round sets again begins at another number") {
    // Two runs, of one and of two elements: the first element of each is not counted.
    const std::string ptx = kernel(
        "mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r1, 0;\nL: mov.u32 %r0, %r3; "
        "ld.global.u32 %r2, [%rd0];\n.loc 1 6 5\nsetp.eq.s32 %p0, %r2, %r4; @%p0 bra S; "
        "mov.u32 %r3, 0; mov.u32 %r4, %r2; bra N;\n.loc 1 7 5\nS: add.s32 %r3, %r0, 1;\n"
        "N: add.s64 %rd0, %rd0, 4; add.s32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 3; @%p0 bra L;\n"
        ".loc 1 8 5\ncvt.u64.u32 %rd3, %r3;");
    const std::vector<std::int32_t> in{5, 7, 7};
    CHECK(result(ptx, in) == 1);
    const Intervention again = intervention(ptx, Kind::identity, 6, 5);
    CHECK(again.text == "the value that is set again to 1");
    CHECK(result(ptx, in, {again}) == 2);
    // What the run in front of the first element begins with is another edit.
    CHECK(intervention(ptx, Kind::identity, 8, 3).text == "the first value to 1");
}
