// A machine with one module, for tests: PTX text in, buffers and launches by value.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "catch.hpp"
#include "emulator/ptx/parser.hpp"
#include "emulator/state/machine.hpp"

namespace cugrade::emulator::test {

/// `.version` and the rest of what stands before a kernel.
inline std::string header(int arch = 75) {
    return ".version 9.0\n.target sm_" + std::to_string(arch) + "\n.address_size 64\n";
}

class Params {
public:
    template <class T>
    Params& add(T value) {
        const std::size_t at = (bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T);
        bytes_.resize(at + sizeof(T));
        std::memcpy(bytes_.data() + at, &value, sizeof(T));
        return *this;
    }
    operator std::span<const std::byte>() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

class Device {
public:
    explicit Device(const std::string& ptx, MachineConfig config = {}) {
        config.memory_bytes = 64 << 20;
        machine = Machine::create(config);
        machine->on_print([this](std::string_view text) { printed += text; });
        auto parsed = ptx::parse(ptx, "test.ptx");
        if (!parsed) FAIL(parsed.error().text() << "\n" << ptx);
        auto loaded = machine->load(std::move(*parsed));
        if (!loaded) FAIL(loaded.error().text());
        module = *loaded;
    }

    template <class T>
    std::uint64_t buffer(const std::vector<T>& values, const std::string& name = "buffer") {
        auto address = machine->memory().allocate(name, values.size() * sizeof(T));
        REQUIRE(address.ok());
        REQUIRE(machine->memory().write(*address, std::as_bytes(std::span(values))).ok());
        return *address;
    }
    template <class T>
    std::vector<T> read(std::uint64_t address, std::size_t count) {
        std::vector<T> values(count);
        REQUIRE(machine->memory().read(address, std::as_writable_bytes(std::span(values))).ok());
        return values;
    }

    /// Launches and gives the fault, if there was one.
    std::optional<Fault> launch(std::string_view kernel, Dim3 grid, Dim3 block,
                                const Params& params,
                                LaunchOptions options = {.seed = 0,
                                                         .warp_instruction_budget = 10'000'000},
                                std::uint64_t shared = 0) {
        auto status = machine->launch(module, kernel, grid, block, shared, params, options);
        if (!status) FAIL(status.error().text());
        return machine->fault();
    }
    /// The same, and it must end well.
    void run(std::string_view kernel, Dim3 grid, Dim3 block, const Params& params,
             LaunchOptions options = {.seed = 0, .warp_instruction_budget = 10'000'000},
             std::uint64_t shared = 0) {
        if (auto fault = launch(kernel, grid, block, params, options, shared)) FAIL(fault->message);
    }

    std::unique_ptr<Machine> machine;
    ModuleId module = 0;
    std::string printed;
};

}  // namespace cugrade::emulator::test
