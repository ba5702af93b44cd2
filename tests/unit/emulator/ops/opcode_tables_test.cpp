// Runs every group of tests/ptx/*.ptxt on the emulated GPU; tests/hardware runs them on a real one.
// The format is in tests/ptx/README.md.
#include <fmt/format.h>

#include "emulator/device.hpp"
#include "tests/ptx/tables.hpp"

namespace {

using namespace cugrade;
using namespace cugrade::emulator;
using namespace cugrade::emulator::test;
using tables::Group;

const std::vector<Group>& all_groups() {
    static const std::vector<Group> groups = tables::read_groups(CUGRADE_SOURCE_DIR);
    return groups;
}

void check_group(const Group& group) {
    const std::string ptx = tables::module_of(group);
    INFO(group.name() << "\n" << ptx);
    Device device(ptx);
    const auto unsupported = device.machine->unsupported(device.module);
    CHECK(unsupported == std::vector<std::string>{});
    if (!unsupported.empty()) return;
    const std::size_t threads = group.cases.size();
    const std::size_t results = threads * group.results.size();
    const auto in = device.buffer(tables::inputs_of(group), "in");
    const auto scratch = device.buffer(std::vector<std::uint64_t>(threads * 8), "scratch");
    const auto out =
        device.buffer(std::vector<std::uint64_t>(std::max<std::size_t>(results, 1)), "out");
    device.run("test", {}, {static_cast<std::uint32_t>(threads)},
               Params().add(in).add(out).add(scratch));
    for (const std::string& line :
         tables::disagreements(group, device.read<std::uint64_t>(out, results)))
        FAIL_CHECK(line);
}

}  // namespace

TEST_CASE("every group of the opcode tables computes what it says") {
    for (const Group& group : all_groups()) check_group(group);
}

TEST_CASE("the tables cover every form that nvcc was seen to emit") {
    std::set<std::string> covered;
    for (const Group& group : all_groups()) covered.insert(group.forms.begin(), group.forms.end());
    const auto emitted = tables::emitted_forms(CUGRADE_SOURCE_DIR);
    std::string missing;
    for (const auto& form : emitted)
        if (!covered.contains(form)) missing += form + "\n";
    INFO(missing);
    CHECK(missing.empty());
    CHECK(emitted.size() > 300);
    fmt::print(
        "opcode tables: {} groups, {} forms, {} of {} that nvcc was seen to emit\n",
        all_groups().size(), covered.size(),
        emitted.size() - static_cast<std::size_t>(std::count(missing.begin(), missing.end(), '\n')),
        emitted.size());
}

TEST_CASE("a form that is not known is reported with its source line and faults when reached") {
    const std::string ptx =
        header() +
        ".visible .entry k(.param .u64 flag)\n{\n.reg .b32 %r<3>;\n.reg .pred %p;\n.reg .b64 %rd;\n"
        "ld.param.u64 %rd, [flag];\nld.global.u32 %r0, [%rd];\n"
        "setp.eq.u32 %p, %r0, 0;\n@%p bra DONE;\n.loc 1 42 5\nfrobnicate.s32 %r1, %r0;\n"
        "DONE: ret;\n}\n.file 1 \"student.cu\"\n";
    Device device(ptx);
    const auto unsupported = device.machine->unsupported(device.module);
    REQUIRE(unsupported.size() == 1);
    CHECK(unsupported[0] == "frobnicate.s32 (line 42 of student.cu)");
    const auto flag = device.buffer(std::vector<std::uint32_t>{0});
    device.run("k", {}, {32}, Params().add(flag));
    REQUIRE(device.machine->memory().fill(flag, std::byte{1}, 4).ok());
    const auto fault = device.launch("k", {}, {32}, Params().add(flag));
    REQUIRE(fault);
    CHECK(fault->kind == FaultKind::unsupported);
    CHECK(fault->line == 42);
    CHECK(fault->message.find("frobnicate.s32") != std::string::npos);
}
