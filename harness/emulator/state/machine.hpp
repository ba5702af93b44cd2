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

#include "core/checked.hpp"
#include "core/error.hpp"
#include "emulator/ptx/module.hpp"

namespace cugrade::emulator {

struct Dim3 {
    std::uint32_t x = 1, y = 1, z = 1;
    /// The product, or the largest number if the product overflows.
    [[nodiscard]] std::uint64_t count() const {
        return (Checked(std::uint64_t{x}) * y * z).or_largest();
    }
};

enum class FaultKind : std::uint8_t {
    none,
    out_of_bounds,  ///< outside every live allocation, or outside shared/local memory
    misaligned,
    barrier_divergence,  ///< threads of a block arrived at different bar.sync instructions
    deadlock,            ///< no warp can run: the message says which threads wait for which
    instruction_budget,  ///< the launch's budget ran out; `spinning` tells which kind
    trap,                ///< trap, or an assertion (message has it)
    stack_overflow,
    unsupported,  ///< an opcode form that the emulator does not know: our gap, not the student's
};

/// Why a launch ended early. As after a sticky CUDA error, the machine takes no further launch.
struct Fault {
    FaultKind kind = FaultKind::none;
    std::string message;  ///< a whole sentence for the student, buffer and distance named
    std::string kernel;   ///< demangled
    std::array<std::uint32_t, 3> block{};
    std::array<std::uint32_t, 3> thread{};
    std::string file;  ///< of the student's source, as .file has it; empty: not known
    int line = 0, column = 0;
    int other_line = 0;  ///< of barrier_divergence, in the same file: where others wait; 0: unknown
    std::uint64_t address = 0;
    bool spinning = false;  ///< budget: in its second half no memory changed
};

class Observer;

/// When kernels that kernels launch run.
enum class Children : std::uint8_t {
    in_any_order,  ///< that is allowed: device_runtime.cpp
    at_once,       ///< an experiment: at their launch, if nothing holds them back
    in_tail,       ///< an experiment: as those that are launched into cudaStreamTailLaunch
};

struct LaunchOptions {
    /// 0: blocks and warps in order, a warp runs until it waits. Other seeds: warps and blocks are
    /// interleaved in a pseudo-random, repeatable way, and shared memory starts with other garbage.
    std::uint64_t seed = 0;
    std::uint64_t warp_instruction_budget = 0;  ///< 0: none
    bool find_deadlocks = false;   ///< end a launch in which no warp can make progress: stuck.hpp
    Observer* observer = nullptr;  ///< told of every event: observer.hpp
    bool zero_shared = false;  ///< an experiment: shared memory starts as zeros
    Children children = Children::in_any_order;
    bool is_cooperative = false;   ///< all blocks are resident at once, so each can wait for all
    /// How many kernels that kernels have launched may wait to begin:
    /// cudaLimitDevRuntimePendingLaunchCount.
    std::uint32_t pending_launches = 2048;
};

struct LaunchStats {
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;
    double seconds = 0;
    /// Blocks that several host threads ran in parallel: speculation.hpp. If some blocks of a
    /// launch could not, this number may differ from run to run. Results never do.
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
    std::uint32_t host_threads = 1;  ///< threads that run blocks; 0: one per processor
    /// Whether the decoder optimises. If false, each PTX register has a row of its own, each
    /// instruction is executed and nothing is computed beforehand. This is slow and simple; tests
    /// compare optimised runs with it.
    bool optimise = true;
};

/// Told when the host or a kernel allocates and frees device memory, and when anything but a
/// kernel's own instruction writes or copies it.
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
    /// Moves an allocation from allocate_pages, with its contents, into a file in memory, so that
    /// another process can map it too. The file consists of whole pages and its size is sealed.
    /// Returns the file's descriptor, which the caller owns. Freeing the allocation ends the
    /// sharing on this side.
    virtual Result<int> share(std::uint64_t address) = 0;
    /// Does the address lie in an allocation from allocate_pages?
    [[nodiscard]] virtual bool is_for_host(std::uint64_t address) const = 0;
    /// From now on no other process sees what is stored in shared memory, until show_stores(). What
    /// it stores there meanwhile may be lost.
    virtual void hide_stores() = 0;
    virtual void show_stores() = 0;
    virtual Status free(std::uint64_t address) = 0;
    /// The next four fail unless the whole range lies in one live allocation; the error names the
    /// buffer.
    virtual Status write(std::uint64_t address, std::span<const std::byte> from) = 0;
    virtual Status read(std::uint64_t address, std::span<std::byte> to) const = 0;
    virtual Status fill(std::uint64_t address, std::byte value, std::uint64_t bytes) = 0;
    virtual Status copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) = 0;
    /// "4 bytes past the end of `in` (4000 bytes)": where an address lies.
    [[nodiscard]] virtual std::string describe(std::uint64_t address) const = 0;
    /// Starts telling the observer; nullptr ends it. The observer is not told of allocate_pages,
    /// because another process may write to those pages, too.
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

    /// Is there memory for the module's variables? The error says how much they need and how much
    /// there is.
    [[nodiscard]] virtual Status room_for(const ptx::Module&) const = 0;
    /// Decodes every function, allocates and initialises .global and .const variables. An opcode
    /// that is not supported is an error only once a launch reaches it.
    virtual Result<ModuleId> load(std::unique_ptr<ptx::Module>) = 0;
    /// Takes a changed copy of the module in its place. The variables stay where they are, and
    /// get their first values. Precondition: none of them is managed.
    virtual Status reload(ModuleId, std::unique_ptr<ptx::Module>) = 0;
    /// The module, as it was loaded.
    [[nodiscard]] virtual const ptx::Module& code(ModuleId) const = 0;
    [[nodiscard]] virtual std::optional<KernelInfo> kernel(ModuleId,
                                                           std::string_view name) const = 0;
    /// Address and size of a module's .global or .const variable, by its PTX name.
    struct Symbol {
        std::uint64_t address = 0, bytes = 0;
    };
    [[nodiscard]] virtual std::optional<Symbol> symbol(ModuleId, std::string_view name) const = 0;
    /// Every opcode form in the module that this machine cannot execute, with its source line.
    /// Tests ask for it.
    [[nodiscard]] virtual std::vector<std::string> unsupported(ModuleId) const = 0;

    /// `params` is the packed parameter block. Errors (a Status) are launch errors such as too many
    /// threads; a fault of the running kernel is in fault(). Returns when the kernel and all
    /// kernels that it launches have ended.
    virtual Status launch(ModuleId, std::string_view kernel, Dim3 grid, Dim3 block,
                          std::uint64_t dynamic_shared_bytes, std::span<const std::byte> params,
                          const LaunchOptions&) = 0;
    [[nodiscard]] virtual const std::optional<Fault>& fault() const = 0;
    [[nodiscard]] virtual const LaunchStats& stats() const = 0;  ///< summed over all launches

    /// The first launch, or other call of the device runtime, that failed in the kernels of the
    /// last launch: "cudaErrorInvalidConfiguration: ...". Empty: none failed.
    [[nodiscard]] virtual const std::string& device_error() const = 0;

    /// Receives what kernels print, already formatted. Default: dropped.
    virtual void on_print(std::function<void(std::string_view)>) = 0;
};

}  // namespace cugrade::emulator
