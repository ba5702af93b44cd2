// The emulated GPU: memory, modules, launches. One Machine is one device context.
//
// A launch runs to completion before `launch` returns and depends on nothing but the module, the
// memory, the launch and `LaunchOptions::seed`: same seed, same bits, on any number of host
// threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "emulator/ptx/module.hpp"

namespace cugrade::emulator {

struct Dim3 {
    std::uint32_t x = 1, y = 1, z = 1;
    [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

enum class FaultKind : std::uint8_t {
    none,
    out_of_bounds,  ///< outside every live allocation, or outside shared/local memory
    misaligned,
    barrier_divergence,  ///< threads of a block arrived at different bar.sync instructions
    deadlock,            ///< no warp can run: the message says who waits for what
    instruction_budget,  ///< the launch's budget ran out; `spinning` tells which kind
    trap,                ///< trap, or an assertion (message has it)
    stack_overflow,
    unsupported,  ///< an opcode form that the emulator does not know: our gap, not the student's
};

/// What ended a launch. Like a sticky CUDA error, the machine takes no launch after it.
struct Fault {
    FaultKind kind = FaultKind::none;
    std::string message;  ///< a whole sentence for the student, buffer and distance named
    std::string kernel;   ///< demangled
    std::array<std::uint32_t, 3> block{};
    std::array<std::uint32_t, 3> thread{};
    std::string file;  ///< of the student's source, as .file has it; empty: not known
    int line = 0, column = 0;
    std::uint64_t address = 0;
    bool spinning = false;  ///< budget: in the last part of the run no memory changed
};

class Observer;

/// How the lanes of a warp that have parted take turns.
enum class Schedule : std::uint8_t {
    independent,  ///< since Volta: each gets its turn in the end
    lockstep,     ///< before: those who left a loop wait behind it for all the others
};

struct LaunchOptions {
    /// 0: blocks and warps in order, a warp runs until it waits. Other seeds: warps and blocks are
    /// interleaved in a pseudo-random, repeatable way, and shared memory starts with other garbage.
    std::uint64_t seed = 0;
    std::uint64_t warp_instruction_budget = 0;  ///< 0: none
    Observer* observer = nullptr;               ///< told of all that happens: observer.hpp
    Schedule schedule = Schedule::independent;
    /// Kernels that kernels have launched and that have not begun:
    /// cudaLimitDevRuntimePendingLaunchCount.
    std::uint32_t pending_launches = 2048;
};

struct LaunchStats {
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;
    double seconds = 0;
    /// Blocks that several host threads have run between them. Where some of a launch's blocks
    /// could not be, this may differ from run to run: nothing else does.
    std::uint64_t shared_blocks = 0;
};

struct KernelInfo {
    std::string name;  ///< mangled, as registered by the host code
    std::vector<ptx::Parameter> params;
    std::uint64_t param_bytes = 0;
    std::uint64_t static_shared_bytes = 0;
    std::uint64_t local_bytes = 0;
    std::uint32_t registers = 0;  ///< an estimate: PTX registers that are live at once
    std::uint32_t max_threads = 1024;
};

struct MachineConfig {
    int arch = 75;  ///< which compute capability the device presents
    std::uint64_t memory_bytes = std::uint64_t{4} << 30;
    std::uint32_t multiprocessors = 8;
    std::uint32_t resident_blocks = 16;  ///< per multiprocessor
    std::uint32_t max_shared_per_block = 48 * 1024;
    std::uint32_t max_shared_per_block_optin = 96 * 1024;
    std::uint32_t host_threads = 1;  ///< that run blocks; 0: as many as there are processors
};

/// Told of what is done to device memory from outside of kernels, and of what they allocate.
class MemoryObserver {
public:
    virtual ~MemoryObserver() = default;
    virtual void allocated(std::uint64_t address, std::uint64_t bytes) = 0;
    virtual void freed(std::uint64_t address) = 0;
    virtual void written(std::uint64_t address, std::uint64_t bytes) = 0;
    virtual void copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) = 0;
};

/// Device memory. Addresses start at `device_base`, are never valid host addresses of the
/// runner, and a freed range is not handed out again soon.
class Memory {
public:
    virtual ~Memory() = default;
    static constexpr std::uint64_t device_base = 0x300000000000;

    /// 256-byte aligned; at least 4 KiB of unmapped space follows. Contents are poison.
    virtual Result<std::uint64_t> allocate(std::string name, std::uint64_t bytes) = 0;
    /// The same on pages of its own, so that it can be shared.
    virtual Result<std::uint64_t> allocate_pages(std::string name, std::uint64_t bytes) = 0;
    /// Moves what allocate_pages gave into a file in memory, contents and all, that another process
    /// can map too, whole pages of it. Returns its descriptor, which the caller owns; its size is
    /// sealed. Freeing the allocation ends the sharing on this side.
    virtual Result<int> share(std::uint64_t address) = 0;
    virtual Status free(std::uint64_t address) = 0;
    /// Both fail unless the whole range lies in one live allocation; the error names the buffer.
    virtual Status write(std::uint64_t address, std::span<const std::byte> from) = 0;
    virtual Status read(std::uint64_t address, std::span<std::byte> to) const = 0;
    virtual Status fill(std::uint64_t address, std::byte value, std::uint64_t bytes) = 0;
    virtual Status copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) = 0;
    /// "4 bytes past the end of `in` (4000 bytes)": where an address lies.
    [[nodiscard]] virtual std::string describe(std::uint64_t address) const = 0;
    /// From now on; nullptr ends it. What another process may write, too, it is not told of.
    virtual void watch(MemoryObserver*) = 0;
    [[nodiscard]] virtual std::uint64_t used() const = 0;
    [[nodiscard]] virtual std::uint64_t total() const = 0;
};

using ModuleId = std::uint32_t;

class Machine {
public:
    virtual ~Machine() = default;
    [[nodiscard]] static std::unique_ptr<Machine> create(const MachineConfig&);

    [[nodiscard]] virtual const MachineConfig& config() const = 0;
    [[nodiscard]] virtual Memory& memory() = 0;

    /// Decodes every function, allocates and initialises .global and .const variables. An opcode
    /// that is not supported is an error only once a launch reaches it.
    virtual Result<ModuleId> load(std::unique_ptr<ptx::Module>) = 0;
    [[nodiscard]] virtual std::optional<KernelInfo> kernel(ModuleId,
                                                           std::string_view name) const = 0;
    /// Address and size of a module's .global or .const variable, by its PTX name.
    struct Symbol {
        std::uint64_t address = 0, bytes = 0;
    };
    [[nodiscard]] virtual std::optional<Symbol> symbol(ModuleId, std::string_view name) const = 0;
    /// Every opcode form in the module that this machine cannot execute, with its source line:
    /// what `cugrade doctor` and the coverage tests ask.
    [[nodiscard]] virtual std::vector<std::string> unsupported(ModuleId) const = 0;

    /// `params` is the packed parameter block. Errors (a Status) are launch errors such as too many
    /// threads; a fault of the running kernel is in fault(). Returns after all kernels that the
    /// kernel launches, too.
    virtual Status launch(ModuleId, std::string_view kernel, Dim3 grid, Dim3 block,
                          std::uint64_t dynamic_shared_bytes, std::span<const std::byte> params,
                          const LaunchOptions&) = 0;
    [[nodiscard]] virtual const std::optional<Fault>& fault() const = 0;
    [[nodiscard]] virtual const LaunchStats& stats() const = 0;  ///< summed over all launches

    /// The first launch, or other call of the device runtime, that failed in the kernels of the
    /// last launch: "cudaErrorInvalidConfiguration: ...". Empty: none did.
    [[nodiscard]] virtual const std::string& device_error() const = 0;

    /// Receives what kernels print, already formatted. Default: dropped.
    virtual void on_print(std::function<void(std::string_view)>) = 0;
};

}  // namespace cugrade::emulator
