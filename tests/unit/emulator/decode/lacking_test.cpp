// What the emulated GPU lacks is named: the opcode's form and, where only that is unknown, the
// operand.
#include <fmt/format.h>

#include "emulator/device.hpp"

namespace {

using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

std::string said_of(const std::string& declarations, const std::string& instruction) {
    Device device(header() + declarations +
                  ".visible .entry k()\n{\n.reg .b32 %r<3>;\n.loc 1 7 5\n" + instruction +
                  "\nret;\n}\n.file 1 \"student.cu\"\n");
    const auto unsupported = device.machine->unsupported(device.module);
    REQUIRE(unsupported.size() == 1);
    const auto fault = device.launch("k", {}, {32}, Params());
    REQUIRE(fault);
    CHECK(fault->kind == FaultKind::unsupported);
    CHECK(fault->line == 7);
    CHECK(fault->file == "student.cu");
    return unsupported[0] + "; " + fault->message;
}

TEST_CASE("a special register that is not there is named") {
    const std::string said = said_of("", "mov.u32 %r1, %reserved_smem_offset_1;");
    CHECK(said.starts_with("mov.u32 %reserved_smem_offset_1 (line 7 of student.cu); "));
    CHECK(said.find("cannot execute `mov.u32 %reserved_smem_offset_1` (PTX line") !=
          std::string::npos);
}

TEST_CASE("a function that is not there is named as in the source") {
    const std::string said =
        said_of(".extern .func _Z6refinei(.param .b32 a);\n",
                "{\n.param .b32 p0;\nst.param.b32 [p0], %r1;\ncall.uni _Z6refinei, (p0);\n}");
    CHECK(said.find("cannot execute `call.uni refine(int)`") != std::string::npos);
}

}  // namespace
