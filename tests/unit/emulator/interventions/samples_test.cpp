// What nvcc writes: each intervention that it allows leaves code that the machine can decode.
#include <fstream>
#include <iterator>
#include <map>

#include "changed.hpp"

using namespace cugrade;
using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

namespace {

std::string sample(const std::string& name) {
    std::ifstream file(CUGRADE_SOURCE_DIR "/tests/unit/emulator/ptx/" + name);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    REQUIRE_FALSE(text.empty());
    return text;
}

std::vector<std::string> unsupported_with(const std::string& ptx, int arch,
                                          const std::vector<Intervention>& made) {
    ChangedDevice device(ptx, made, {.arch = arch});
    return device.machine->unsupported(device.module);
}

}  // namespace

TEST_CASE("no intervention in code of nvcc makes an instruction that there is not") {
    for (const auto& [name, arch] :
         {std::pair("sample75.ptx", 75), std::pair("sample120.ptx", 120)}) {
        const std::string ptx = sample(name);
        const std::vector<Intervention> possible = code_interventions(*parsed(ptx));
        const std::vector<std::string> before = unsupported_with(ptx, arch, {});
        std::map<std::string_view, int> counts;
        for (const Intervention& one : possible) ++counts[name_of(one.kind)];
        for (const auto& [kind, count] : counts) UNSCOPED_INFO(kind << ": " << count);
        CHECK(possible.size() > 80);
        CHECK(counts.size() > 8);
        for (const Intervention& one : possible) {
            INFO(name << ": " << name_of(one.kind) << " " << one.value << " in " << one.function
                      << ", line " << one.place.line << ": " << one.text);
            CHECK(unsupported_with(ptx, arch, {one}).size() == before.size());
        }
        // All of one kind together.
        for (const auto& kind : code_changes()) {
            std::vector<Intervention> of_kind = possible;
            std::erase_if(of_kind,
                          [&](const Intervention& one) { return one.kind != kind->kind(); });
            INFO(name << ": all of " << name_of(kind->kind()));
            CHECK(unsupported_with(ptx, arch, of_kind).size() == before.size());
        }
    }
}
