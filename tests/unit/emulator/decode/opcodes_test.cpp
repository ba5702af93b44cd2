// The rows of opcodes.cpp, as those who ask them see them.
#include <set>

#include "emulator/decode/decoder.hpp"
#include "emulator/decode/opcodes.hpp"
#include "emulator/device.hpp"

namespace {

using namespace cugrade;
using namespace cugrade::emulator;

/// A kernel of the instructions, one a line.
std::unique_ptr<ptx::Module> kernel_of(const std::string& instructions) {
    auto parsed = ptx::parse(
        emulator::test::header(100) +
            ".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n"
            ".reg .f64 %f<4>;\n" +
            instructions + "}\n",
        "test.ptx");
    if (!parsed) FAIL(parsed.error().text());
    return std::move(*parsed);
}

/// The registers that one instruction writes: "%r1 %p2".
std::string written_by(const std::string& instruction) {
    const auto module = kernel_of(instruction);
    const ptx::Function& f = module->functions.at(0);
    std::string text;
    for (const std::int32_t r : effects_of(f, f.instructions.at(0)).defs) {
        const ptx::Register& reg = f.registers.at(static_cast<std::size_t>(r));
        if (!text.empty()) text += ' ';
        text += std::string(reg.name) + std::to_string(reg.number);
    }
    return text;
}

InstructionClass counted(const std::string& instruction) {
    return class_of(kernel_of(instruction)->functions.at(0).instructions.at(0));
}

TEST_CASE("an opcode has one row") {
    std::set<std::string_view> names;
    for (const Opcode& row : opcodes()) {
        INFO(row.name);
        CHECK(!row.name.empty());
        CHECK(names.insert(row.name).second);
        ptx::Instruction i;
        i.opcode = row.name;
        CHECK(&opcode_of(i) == &row);
    }
    REQUIRE(!names.empty());
    ptx::Instruction without_row;
    without_row.opcode = "popc";
    CHECK(opcode_of(without_row).name.empty());
}

TEST_CASE("registers that an instruction writes") {
    CHECK(written_by("popc.b32 %r1, %r2;") == "%r1");
    CHECK(written_by("ld.global.v2.b32 {%r1, %r2}, [%d3];") == "%r1 %r2");
    CHECK(written_by("st.global.b32 [%d1], %r2;").empty());
    CHECK(written_by("atom.global.add.u32 %r1, [%d2], %r3;") == "%r1");
    CHECK(written_by("red.global.add.u32 [%d2], %r3;").empty());
    CHECK(written_by("cp.async.ca.shared.global [%r1], [%d2], 16;").empty());
    CHECK(written_by("barrier.sync %r1, %r2;").empty());
    CHECK(written_by("bar.red.popc.u32 %r1, 0, %p2;") == "%r1");
    CHECK(written_by("shfl.sync.idx.b32 %r1|%p2, %r3, 0, 31, -1;") == "%r1 %p2");
    CHECK(written_by("nanosleep.u32 %r1;").empty());
}

TEST_CASE("basic blocks begin at labels and behind what goes elsewhere") {
    const auto module = kernel_of(
        "@%p1 bra END;\n"    // 0
        "call (), f, ();\n"  // 1
        "mov.u32 %r1, 1;\n"  // 2
        "@%p2 exit;\n"       // 3
        "trap;\n"            // 4
        "mov.u32 %r2, 2;\n"  // 5
        "END:\n"
        "ret;\n");  // 6
    const std::vector<bool> first = first_of_blocks(module->functions.at(0));
    CHECK(first == std::vector<bool>{true, true, false, false, true, false, true, true});
}

TEST_CASE("the class that an instruction is counted in") {
    CHECK(counted("add.u32 %r1, %r2, %r3;") == InstructionClass::integer);
    CHECK(counted("add.f64 %f1, %f2, %f3;") == InstructionClass::fp64);
    CHECK(counted("and.b32 %r1, %r2, %r3;") == InstructionClass::integer);
    CHECK(counted("and.pred %p1, %p2, %p3;") == InstructionClass::predicate);
    CHECK(counted("rcp.rn.f64 %f1, %f2;") == InstructionClass::fp64);
    CHECK(counted("rcp.approx.ftz.f64 %f1, %f2;") == InstructionClass::special);
    CHECK(counted("bar.sync 0;") == InstructionClass::barrier);
    CHECK(counted("bar.warp.sync -1;") == InstructionClass::warp);
    CHECK(counted("red.global.add.u32 [%d2], %r3;") == InstructionClass::atomic);
}

}  // namespace
