#include "emulator/ptx/parser.hpp"
#include "emulator/ptx/places.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <random>

#include "catch.hpp"

using namespace cugrade;
using namespace cugrade::ptx;

namespace {

const std::string header = ".version 9.0\n.target sm_75\n.address_size 64\n";

std::unique_ptr<Module> parsed(const std::string& text) {
    auto m = parse(text, "t.ptx");
    if (!m) FAIL(m.error().text());
    return std::move(*m);
}

/// The body of a kernel with the usual registers and two parameters.
std::unique_ptr<Module> kernel(const std::string& body) {
    return parsed(header +
                  ".visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1)\n{\n"
                  ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<6>;\n.reg .f32 %f<4>;\n" +
                  body + "\n}\n");
}

const Instruction& only(const std::unique_ptr<Module>& m) {
    REQUIRE(m->functions.back().instructions.size() == 1);
    return m->functions.back().instructions.front();
}

/// sample.cu, compiled by nvcc 13 with -lineinfo.
std::string sample(const std::string& arch) {
    std::ifstream f(CUGRADE_SOURCE_DIR "/tests/unit/emulator/ptx/sample" + arch + ".ptx");
    REQUIRE(f.good());
    return {std::istreambuf_iterator<char>(f), {}};
}

std::string describe(const Function& f, const Operand& o) {
    const auto reg = [&](std::int32_t r) {
        const Register& x = f.registers[static_cast<std::size_t>(r)];
        return std::string(x.name) + (x.number < 0 ? "" : std::to_string(x.number));
    };
    const auto plus = [&] { return o.offset == 0 ? std::string() : fmt::format("+{}", o.offset); };
    switch (o.kind) {
        case OperandKind::none: return "none";
        case OperandKind::reg: return (o.negated ? "!" : "") + reg(o.reg);
        case OperandKind::immediate:
            return "#" + std::to_string(static_cast<std::int64_t>(o.bits)) +
                   (o.is_float_literal ? "f" + std::to_string(o.float_bits) : "");
        case OperandKind::special: return "special " + std::string(o.name);
        case OperandKind::symbol: return "symbol " + std::string(o.name) + plus();
        case OperandKind::address:
            return "[" + (o.reg >= 0 ? reg(o.reg) : std::string(o.name)) + plus() + "]";
        case OperandKind::vector: {
            std::string text = "{";
            for (std::uint32_t i = 0; i < o.count; ++i)
                text += (i ? " " : "") + describe(f, f.operands[o.first + i]);
            return text + "}";
        }
        case OperandKind::label: return "label " + std::to_string(o.target);
        case OperandKind::sink: return "_";
    }
    return "?";
}

std::string operands(const Function& f, const Instruction& i) {
    std::string text;
    for (std::uint32_t n = 0; n < i.operand_count; ++n)
        text += (n ? ", " : "") + describe(f, f.operands[i.first_operand + n]);
    return text;
}

TEST_CASE("what parsing takes is told before, for text of any kind") {
    const auto repeated = [](const std::string& one, int count) {
        std::string out;
        for (int i = 0; i < count; ++i) out += fmt::format(fmt::runtime(one), i);
        return out;
    };
    const std::string body = ".visible .entry k() {{\n.reg .b32 %r<4>;\n{}ret;\n}}\n";
    const auto in_kernel = [&](const std::string& code) {
        return header + fmt::format(fmt::runtime(body), code);
    };
    const std::string texts[] = {
        in_kernel(repeated("ret;", 2000)),
        in_kernel(repeated("mov.b64 %r1,{{1,1,1,1,1,1,1,1}};", 500)),
        in_kernel(repeated(".reg .b32 a{0},b{0},c{0},d{0};", 500)),
        in_kernel(repeated("{{}}", 2000)),
        in_kernel(repeated("a{}:", 2000)),
        header + repeated(".func f{}();", 2000),
        header + repeated(".func f{}(.param .b32 a,.param .b32 b){{}}", 500),
        header + repeated(".global .b32 g{};", 2000),
        header + ".global .b8 t[2000]={" + repeated("1,", 1999) + "1};\n",
        sample("75"),
    };
    for (const std::string& text : texts) {
        INFO(text.substr(0, 200));
        const auto module = parsed(text);
        std::uint64_t bytes = module->functions.capacity() * sizeof(Function) +
                              module->variables.capacity() * sizeof(Variable);
        for (const Variable& v : module->variables) bytes += v.init.size() * sizeof(Initialiser);
        for (const Function& f : module->functions)
            bytes += f.instructions.size() * sizeof(Instruction) +
                     f.operands.size() * sizeof(Operand) + f.registers.size() * sizeof(Register) +
                     f.variables.size() * sizeof(Variable) + f.params.size() * sizeof(Parameter);
        CHECK(memory_to_parse(text) >= bytes);
    }
    // Debugging sections leave nothing.
    CHECK(memory_to_parse(".b8 1,2,3\n\t.b8 4, 5\n") == 0);
    CHECK(memory_to_parse(".b8 a,b\n") > 0);
}

}  // namespace

TEST_CASE("each form of operand") {
    struct Row {
        std::string text, operands;
        bool paired = false;
    };
    const Row rows[] = {
        {"add.s32 %r1, %r2, -1;", "%r1, %r2, #-1"},
        {"mov.u32 %r1, 0xFFFFFFFF;", "%r1, #4294967295"},
        {"mov.u32 %r1, 017;", "%r1, #15"},
        {"mov.u32 %r1, 0b101;", "%r1, #5"},
        {"mov.u32 %r1, 7U;", "%r1, #7"},
        {"mov.u64 %rd1, 18446744073709551615;", "%rd1, #-1"},
        {"mov.f32 %f1, 0f3F800000;", "%f1, #1065353216f32"},
        {"mov.f32 %f1, 1.5;", "%f1, #4609434218613702656f64"},
        {"mov.f32 %f1, 15e-1;", "%f1, #4609434218613702656f64"},
        {"mov.f32 %f1, -0f3F800000;", "%f1, #3212836864f32"},
        {"mov.f64 %rd1, 0d3FF0000000000000;", "%rd1, #4607182418800017408f64"},
        {"mov.u32 %r1, WARP_SZ;", "%r1, #32"},
        {"mov.u32 %r1, %tid.x;", "%r1, special %tid.x"},
        {"mov.u32 %r1, %laneid;", "%r1, special %laneid"},
        {"mov.u32 %r1, %envreg2;", "%r1, special %envreg2"},
        {"mov.u64 %rd1, table;", "%rd1, symbol table"},
        {"mov.u64 %rd1, table+8;", "%rd1, symbol table+8"},
        {"ld.param.u64 %rd1, [k_param_0];", "%rd1, [k_param_0]"},
        {"ld.param.u64 %rd1, [k_param_0+4];", "%rd1, [k_param_0+4]"},
        {"ld.global.u32 %r1, [%rd1];", "%r1, [%rd1]"},
        {"ld.global.u32 %r1, [%rd1+-8];", "%r1, [%rd1+-8]"},
        {"ld.global.u32 %r1, [%rd1-8+4];", "%r1, [%rd1+-4]"},
        {"ld.shared.u32 %r1, [64];", "%r1, [+64]"},
        {"ld.global.v2.u32 {%r1, %r2}, [%rd1];", "{%r1 %r2}, [%rd1]"},
        {"mov.b64 {%r1, _}, %rd1;", "{%r1 _}, %rd1"},
        {"setp.lt.s32 %p1, %r1, 0;", "%p1, %r1, #0"},
        {"setp.lt.and.s32 %p1, %r1, 0, !%p2;", "%p1, %r1, #0, !%p2"},
        {"setp.lt.s32 %p1|%p2, %r1, 0;", "%p1, %p2, %r1, #0", true},
        {"shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;", "%r1, %p1, %r2, #1, #31, #-1", true},
        {"atom.global.add.u32 _, [%rd1], 1;", "_, [%rd1], #1"},
        {"bar.sync 0;", "#0"},
        {"ret;", ""},
        {"call f;", "{}, symbol f, {}, none"},
        {"call.uni f, (%r1, 4);", "{}, symbol f, {%r1 #4}, none"},
        {"call.uni (%r1), f, (%r2);", "{%r1}, symbol f, {%r2}, none"},
        {"call (%r1), %rd1, (%r2), prototype_0;", "{%r1}, %rd1, {%r2}, symbol prototype_0"},
        {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, _}, [t, {%f1, %f2}];",
         "{%f1 %f2 %f3 _}, [t], {%f1 %f2}"},
    };
    for (const Row& row : rows) {
        INFO(row.text);
        const auto m = kernel(row.text);
        const Instruction& i = only(m);
        CHECK(operands(m->functions.back(), i) == row.operands);
        CHECK(i.paired == row.paired);
        CHECK(std::string(i.text) + ";" == row.text);
    }
}

TEST_CASE("opcode, modifiers, guard and place") {
    const auto m = kernel("@!%p1 ld.relaxed.sys.global.L2::128B.v4.u32 {%r1,%r2,%r3,%r4}, [%rd1];");
    const Instruction& i = only(m);
    const Function& f = m->functions.back();
    CHECK(i.opcode == "ld");
    CHECK(i.modifier_count == 6);
    CHECK(i.modifiers[3] == "L2::128B");
    CHECK(i.has("global"));
    CHECK_FALSE(i.has("shared"));
    CHECK(i.guard_negated);
    CHECK(f.registers[static_cast<std::size_t>(i.guard)].number == 1);
    CHECK(i.ptx_line == 10);
}

TEST_CASE("a pragma says which bytes of the next load are used") {
    const auto m = kernel(
        ".pragma \"used_bytes_mask 3\";\nld.global.u32 %r1, [%rd1];\n"
        "ld.global.u32 %r2, [%rd1];\n.pragma \"used_bytes_mask 0xff\";\n"
        ".pragma \"nounroll\";\nld.global.u64 %rd2, [%rd1];");
    const auto& all = m->functions.back().instructions;
    REQUIRE(all.size() == 3);
    CHECK(all[0].used_bytes == 3);
    CHECK(all[1].used_bytes == 0xFFFFFFFF);
    CHECK(all[2].used_bytes == 0xFF);
}

TEST_CASE("declarations of a module") {
    const auto m = parsed(header + R"(
        .const .align 4 .b8 tab[16] = {1, 0, 0, 0, 252, 255};
        .global .align 8 .u64 pointers[3] = {generic(tab)+4, tab, 0};
        .global .f32 f = 0.5;
        .global .s16 minus = -2;
        .global .align 8 .b8 packed[4] = {0xFF(tab), 0xFF00(tab+2), 7, 0xFF(generic(tab))};
        .global .b32 square[2][3] = {{1}, {2, 3}};
        .global .u32 counted[] = {1, 2, 3};
        .global .attribute(.managed) .align 4 .u32 managed;
        .extern .shared .align 16 .b8 dyn[];
        .weak .global .v2 .f32 pair;
        .common .global .u32 tentative;
    )");
    const auto& v = m->variables;
    REQUIRE(v.size() == 11);
    CHECK(v[0].space == Space::constant);
    CHECK(v[0].bytes == 16);
    CHECK(v[0].init.size() == 6);
    CHECK(v[0].init[4].bits == 252);
    CHECK(v[1].init[0].symbol == "tab");
    CHECK(v[1].init[0].generic);
    CHECK(v[1].init[0].offset == 4);
    CHECK_FALSE(v[1].init[1].generic);
    CHECK(v[1].init[2].symbol.empty());
    CHECK(v[2].init[0].bits == 0x3F000000);
    CHECK(v[3].init[0].bits == 0xFFFE);
    CHECK(v[4].init[0].byte == 0);
    CHECK(v[4].init[1].byte == 1);
    CHECK(v[4].init[1].offset == 2);
    CHECK(v[4].init[2].byte == -1);
    CHECK(v[4].init[3].generic);
    REQUIRE(v[5].init.size() == 5);  // the first row was filled up
    CHECK(v[5].init[1].bits == 0);
    CHECK(v[5].init[4].bits == 3);
    CHECK(v[5].bytes == 24);
    CHECK(v[6].bytes == 12);
    CHECK(v[7].is_managed);
    CHECK(v[8].is_extern);
    CHECK(v[8].bytes == 0);
    CHECK(v[8].align == 16);
    CHECK(v[9].bytes == 8);
    CHECK(v[9].is_weak);
    CHECK(v[10].is_weak);
}

TEST_CASE("functions: parameters, bounds, declarations") {
    const auto m = parsed(header + R"(
        .extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
        .weak .func (.reg .u32 %res) inc (.reg .u32 %x) { add.u32 %res, %x, 1; ret; }
        .visible .entry k(
            .param .u64 .ptr .global .align 1 k_0,
            .param .u8 k_1,
            .param .align 16 .b8 k_2[20],
            .param .f64 k_3
        )
        .maxntid 16, 8, 2
        .minnctapersm 2
        .pragma "nounroll";
        { ret; }
    )");
    REQUIRE(m->functions.size() == 3);
    CHECK(m->target == 75);
    CHECK(m->version_major == 9);
    const Function& vprintf = m->functions[0];
    CHECK(vprintf.is_declaration);
    CHECK(vprintf.returns.size() == 1);
    CHECK(vprintf.params[1].offset == 8);
    const Function& inc = m->functions[1];
    CHECK(inc.is_weak);
    CHECK(inc.params[0].reg == 1);
    CHECK(inc.registers[1].name == "%x");
    CHECK(operands(inc, inc.instructions[0]) == "%res, %x, #1");
    const Function& k = m->functions[2];
    CHECK(k.is_entry);
    CHECK(k.max_threads == 256);
    REQUIRE(k.params.size() == 4);
    CHECK(k.params[0].align == 8);  // .ptr .align is of what it points to
    CHECK(k.params[1].offset == 8);
    CHECK(k.params[2].offset == 16);
    CHECK(k.params[2].bytes == 20);
    CHECK(k.params[3].offset == 40);
    CHECK(k.param_bytes == 48);
}

TEST_CASE("every call sequence has its own variables") {
    const auto m = kernel(R"(
        { .param .b32 param0; st.param.b32 [param0+0], %r1; .param .b32 retval0;
          call.uni (retval0), f, (param0); ld.param.b32 %r2, [retval0]; }
        { .reg .b32 temp; .param .b64 param0; st.param.b64 [param0], %rd1;
          prototype_1 : .callprototype (.param .b32 _) _ (.param .b64 _);
          call (), %rd2, (param0), prototype_1; mov.b32 temp, %r1; }
        ld.param.u32 %r1, [k_param_1];
    )");
    const Function& f = m->functions.back();
    REQUIRE(f.variables.size() == 3);
    CHECK(f.variables[0].bytes == 4);
    CHECK(f.variables[2].bytes == 8);
    const auto operand = [&](std::size_t i, std::uint32_t n) -> const Operand& {
        return f.operands[f.instructions[i].first_operand + n];
    };
    CHECK(operand(0, 0).symbol == 0);
    CHECK(operand(0, 0).symbol_kind == SymbolKind::variable);
    CHECK(f.operands[operand(1, 0).first].symbol == 1);
    CHECK(f.operands[operand(1, 2).first].symbol == 0);
    CHECK(operand(1, 1).symbol_kind == SymbolKind::module);
    CHECK(operand(3, 0).symbol == 2);
    CHECK(f.operands[operand(4, 2).first].symbol == 2);
    CHECK(f.instructions.back().operand_count == 2);
    CHECK(operand(6, 1).symbol_kind == SymbolKind::parameter);
    CHECK(operand(6, 1).symbol == 1);
}

TEST_CASE("labels: forwards, backwards, at the end, per block, in tables") {
    const auto m = kernel(R"(
        top: add.s32 %r1, %r1, 1;
        @%p1 bra end;
        bra.uni top;
        { again: bra again; }
        { @%p1 bra again; add.s32 %r1, %r1, 1; again: bra top; }
        brx.idx %r1, targets;
        targets: .branchtargets top, end, top;
        end:
    )");
    const Function& f = m->functions.back();
    const auto target = [&](std::size_t i, std::uint32_t n = 0) {
        return f.operands[f.instructions[i].first_operand + n].target;
    };
    REQUIRE(f.instructions.size() == 8);
    CHECK(target(1) == 8);
    CHECK(target(2) == 0);
    CHECK(target(3) == 3);
    CHECK(target(4) == 6);
    CHECK(target(6) == 0);
    CHECK(target(7, 1) == 0);
    CHECK(f.branch_tables == std::vector<std::vector<std::uint32_t>>{{0, 8, 0}});
}

TEST_CASE("source lines: innermost, outermost call, unknown files") {
    const auto m = parsed(header + R"(.visible .entry k() {
        .reg .b32 %r<3>;
        .loc 1 10 3
        add.s32 %r1, %r1, 1;
        .loc 2 97 9, function_name $L__info_string0, inlined_at 1 11 5
        add.s32 %r1, %r1, 2;
        .loc 2 66 1, function_name $L__info_string1+7, inlined_at 2 97 9
        add.s32 %r1, %r1, 3;
        .loc 1 0 4
        mul.lo.s32 %r1, %r1, 3;
        .loc 9 1 1
        add.s32 %r1, %r1, 4;
        }
        .file 1 "student.cu", 17, 2000
        .file 2 "/usr/include/helper.h"
        .section .debug_str { $L__info_string0: .b8 95,0 // }
        }
    )");
    const auto& i = m->functions.back().instructions;
    CHECK(i[0].source.line == 10);
    CHECK(i[0].source.column == 3);
    CHECK(i[0].inlined_at.file == -1);
    CHECK(i[1].source.file == 2);
    CHECK(i[1].inlined_at.line == 11);
    CHECK(i[2].source.line == 66);
    CHECK(i[2].inlined_at.line == 11);  // not 97: that line is not the student's
    CHECK(i[2].inlined_at.file == 1);
    CHECK(i[3].inlined_at.line == 11);  // line 0 is no line: the one before
    CHECK(i[4].source.file == -1);
    CHECK(m->files[1] == "student.cu");
}

TEST_CASE(
    "source lines: the student's line of a call into the toolkit, also in a function of its own") {
    const auto m = parsed(header + R"(.visible .entry k() {
        .reg .b32 %r<3>;
        .loc 1 20 5, function_name $L__info_string0, inlined_at 1 33 9
        add.s32 %r1, %r1, 1;
        .loc 2 200 3, function_name $L__info_string0, inlined_at 1 20 5
        add.s32 %r1, %r1, 2;
        .loc 2 300 3, function_name $L__info_string0, inlined_at 2 200 3
        add.s32 %r1, %r1, 3;
        }
        .file 1 "student.cu"
        .file 2 "/usr/local/cuda/include/atomics.hpp"
    )");
    const auto& i = m->functions.back().instructions;
    for (const int n : {0, 1, 2}) {
        CHECK(ptx::students_line(*m, i[n]).line == 20);
        CHECK(i[n].inlined_at.line == 33);
    }
}

TEST_CASE("errors say line and column") {
    struct Row {
        std::string text;
        int line, column;
        std::string message;
    };
    const std::string k = ".entry k() {\n.reg .b32 %r<4>;\n.reg .pred %p<2>;\n";
    const Row rows[] = {
        {"hello", 1, 1, "expected a directive"},
        {".version 9", 1, 10, "expected a version"},
        {".address_size 32", 1, 15, "only 64-bit"},
        {".global .u33 x;", 1, 9, "`.u33` is not a type"},
        {".global .u32 x[99999999999999999999];", 1, 16, "not a number that fits"},
        {".global .u32 x[4000000000000];", 1, 16, "more than the limit"},
        {".global .u32 x[1000000][1000000][1000000];", 1, 14, "too large"},
        // Rows of 2^64 bytes.
        {".global .b8 x[][1099511627776][16777216] = {{{1}}};", 1, 13,
         "`x` is too large: more than"},
        {".global .b8 x[2][1099511627776];", 1, 13, "2199023255552 bytes, and the limit is"},
        {k + ".param .b8 q[1048577]; }", 4, 12, "`q` is too large: 1048577 bytes"},
        {".func f(.param .b8 a[1048576], .param .b8 b[1])\n{\nret;\n}\n", 1, 43, "with `b`"},
        {".func f(.param .b8 a[1048576][1048576][1048576][1048576])", 1, 20, "`a` is too large"},
        {".entry (.param .b32 r) f() { ret; }", 1, 8, "returns nothing"},
        {".global .b32 x[4][1048578] = {{0}, {0}};", 1, 34, "too many to be initialised in part"},
        {".global .u32 x[2] = {1, 2, 3};", 1, 14, "more initialisers"},
        {".global .u32 x[4] = {0x1FF(y)};", 1, 22, "mask"},
        {".global .align 3 .u32 x;", 1, 16, "power of two"},
        {".file 1 \"a\n", 1, 9, "no end"},
        {"/* ", 1, 1, "no end"},
        {".section .debug_str {", 1, 22, "no end"},
        {k + "mov.u32 %r1, %r4; }", 4, 14, "neither declared"},
        {k + "mov.u32 %r1, %nosuch.x; }", 4, 14, "neither declared"},
        {k + "@%r1 ret; }", 4, 2, "not a predicate"},
        {k + "bra nowhere; }", 4, 5, "no label `nowhere`"},
        {k + "a: ret;\na: ret; }", 5, 1, "defined twice"},
        {k + "mov.u32 %r1 %r2; }", 4, 13, "expected `;`"},
        {k + "mov.u32 %r1, ; }", 4, 14, "expected an operand"},
        {k + "mov.u32 %r1, !4; }", 4, 15, "expected an operand"},
        {k + "call (%r1) f; }", 4, 12, "expected `,`"},
        {k + "ret;", 4, 5, "the end of the file"},
        {k + ".reg .b32 %x<4000000000>; }", 4, 14, "more than the limit"},
        {k + ".reg .b32 %x<-1>; }", 4, 14, "negative"},
        {k + ".reg .v4 .b32 %x; }", 4, 15, "vector registers"},
        {k + "ld.global.u32 %r1, [%r1+%r2]; }", 4, 25, "expected a number"},
    };
    for (const Row& row : rows) {
        INFO(row.text);
        const auto m = parse(row.text, "t.ptx");
        REQUIRE_FALSE(m.ok());
        CHECK(m.error().line == row.line);
        CHECK(m.error().column == row.column);
        CHECK(m.error().file == "t.ptx");
        CHECK(m.error().message.find(row.message) != std::string::npos);
    }
}

TEST_CASE("what a hostile text declares without writing it out is limited") {
    std::string registers = ".entry k() {";
    for (int i = 0; i < 40; ++i)
        registers += ".reg .b32 %x" + std::string(1, static_cast<char>('a' + i % 26)) +
                     std::to_string(i) + "_<200000>;";
    CHECK_FALSE(parse(registers + "}", "t").ok());
    std::string scopes = ".entry k() {" + std::string(100000, '{') + std::string(100000, '}') + "}";
    CHECK_FALSE(parse(scopes, "t").ok());
    CHECK_FALSE(parse(".global .b8 x[2][1000000000] = {{1}, {2}};", "t").ok());
    CHECK_FALSE(parse(".file 4000000000 \"x\"", "t").ok());
    CHECK_FALSE(parse(".global .b8 x[1] = " + std::string(100000, '{'), "t").ok());
}

TEST_CASE("both of nvcc's code generators") {
    for (const char* arch : {"75", "120"}) {
        INFO(arch);
        const auto m = parsed(sample(arch));
        CHECK(m->target == std::stoi(arch));
        const Function& f = m->functions.back();
        CHECK(f.name == "_Z6sampleP6float4PKfi");
        CHECK(f.max_threads == 256);
        CHECK(f.param_bytes == 20);
        std::size_t calls = 0, placed = 0;
        for (const Instruction& i : f.instructions) {
            calls += i.opcode == "call";
            const SourceLine& student = i.inlined_at.file >= 0 ? i.inlined_at : i.source;
            if (student.file < 0) continue;
            ++placed;
            CHECK(m->files[static_cast<std::size_t>(student.file)] == "sample.cu");
            CHECK(student.line >= 8);
            CHECK(student.line <= 19);
        }
        CHECK(calls == 4);
        CHECK(placed == f.instructions.size());
    }
}

TEST_CASE("no prefix of a real text and no damaged byte crashes the parser") {
    const std::string text = sample(GENERATE("75", "120"));
    std::size_t accepted = 0;
    // Most bytes of the samples are inside a body, where a prefix is always an error.
    for (std::size_t n = 0; n < text.size(); ++n) accepted += parse(text.substr(0, n), "t").ok();
    CHECK(accepted < text.size() / 2);

    std::mt19937 random(1);
    for (int round = 0; round < 3000; ++round) {
        std::string damaged = text;
        for (unsigned flips = random() % 4 + 1; flips > 0; --flips)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        (void)parse(damaged, "t");
    }
    // Cut and paste: tokens that are right in the wrong place.
    for (int round = 0; round < 2000; ++round) {
        std::string damaged = text;
        const std::size_t from = random() % text.size(), to = random() % text.size();
        damaged.insert(to, text.substr(from, random() % 60));
        (void)parse(damaged, "t");
    }
}

TEST_CASE("a branch without a label, and a function with two bodies, are errors") {
    const std::string begin = ".version 9.0\n.target sm_75\n.address_size 64\n";
    for (const std::string body : {"bra;", "bra.uni;", "@%p bra;", "brx.idx;", "brx.idx %r;"}) {
        INFO(body);
        CHECK_FALSE(cugrade::ptx::parse(
            begin + ".visible .entry k() {\n.reg .pred %p; .reg .b32 %r;\n" + body + "\nret;\n}\n",
            "test.ptx"));
    }
    const std::string f = ".func f() {\nret;\n}\n";
    CHECK(cugrade::ptx::parse(begin + ".func f();\n" + f, "test.ptx"));
    const auto twice = cugrade::ptx::parse(begin + f + f, "test.ptx");
    REQUIRE_FALSE(twice);
    CHECK(twice.error().message.find("`f` is defined twice") != std::string::npos);
}
