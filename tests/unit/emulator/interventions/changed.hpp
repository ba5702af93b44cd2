// A machine whose one module is changed before it is loaded, for tests.
#pragma once

#include <algorithm>

#include "emulator/device.hpp"
#include "emulator/interventions/code_change.hpp"

namespace cugrade::emulator::test {

/// The name of the file in the PTX of these tests.
inline const std::string source_file = "student.cu";

inline std::unique_ptr<ptx::Module> parsed(const std::string& ptx) {
    auto module = ptx::parse(ptx, "test.ptx");
    if (!module) FAIL(module.error().text() << "\n" << ptx);
    return std::move(*module);
}

/// What the code allows to change at a line.
inline std::vector<Intervention> possible(const std::string& ptx, InterventionKind kind,
                                          int line = 0) {
    std::vector<Intervention> list = code_interventions(*parsed(ptx));
    std::erase_if(list, [&](const Intervention& one) {
        return one.kind != kind || (line != 0 && one.place.line != line);
    });
    return list;
}

/// The one with that value; fails if there is none.
inline Intervention intervention(const std::string& ptx, InterventionKind kind, int line,
                                 std::int64_t value) {
    const std::vector<Intervention> list = possible(ptx, kind, line);
    const auto it = std::ranges::find(list, value, &Intervention::value);
    if (it == list.end()) FAIL("line " << line << " allows no such change");
    return *it;
}

class ChangedDevice : public Device {
public:
    ChangedDevice(const std::string& ptx, const std::vector<Intervention>& made,
                  MachineConfig config = {})
        : Device(header() + ".visible .entry nothing() { ret; }", config) {
        auto changed = parsed(ptx);
        change_code(*changed, made);
        auto loaded = machine->load(std::move(changed));
        if (!loaded) FAIL(loaded.error().text());
        module = *loaded;
    }
};

}  // namespace cugrade::emulator::test
