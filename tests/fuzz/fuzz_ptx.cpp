// Any text is parsed or refused with a message, and what was parsed can be decoded.
#include "emulator/ptx/parser.hpp"
#include "emulator/state/machine.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace cugrade;
    auto module = ptx::parse(std::string(reinterpret_cast<const char*>(data), size), "fuzz.ptx");
    if (!module) {
        if (module.error().text().empty()) __builtin_trap();
        return 0;
    }
    emulator::MachineConfig config;
    config.memory_bytes = 1 << 20;
    const auto machine = emulator::Machine::create(config);
    if (const auto loaded = machine->load(std::move(*module)))
        for (const auto& form : machine->unsupported(*loaded))
            if (form.empty()) __builtin_trap();
    return 0;
}
