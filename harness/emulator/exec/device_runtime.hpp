// Kernels that launch kernels (dynamic parallelism). Theory of operation: device_runtime.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emulator/exec/random.hpp"
#include "emulator/exec/warp.hpp"

namespace cugrade::emulator {

/// Why a launch is refused before it starts.
struct LaunchRefusal {
    std::uint32_t code = 0;  ///< cudaError_t
    Error error;
};

/// One thing that a thread has asked for and that its grid, or a later one, does not wait for.
struct DeviceWork {
    enum class Kind : std::uint8_t { kernel, copy, fill };
    Kind kind = Kind::kernel;
    // A kernel.
    Program* program = nullptr;
    const DecodedFunction* function = nullptr;
    Dim3 grid, block;
    std::uint64_t dynamic_shared_bytes = 0;
    std::vector<std::byte> params;
    std::uint32_t depth = 0;  ///< Launch::depth
    // A copy or a fill.
    std::uint64_t to = 0, from = 0, bytes = 0;
    std::byte value{};
    Fault fault;  ///< should the memory be gone by then

    std::vector<std::uint32_t> after;  ///< what must be complete before: indices in GridWork::queue
    bool done = false;                 ///< has run before its grid's end
    bool is_pending = false;           ///< is counted in DeviceRuntime::pending
};

/// What one grid has asked for.
struct GridWork {
    std::vector<DeviceWork> queue;  ///< in the order of the calls
    std::vector<DeviceWork> tail;   ///< after the grid and the queue, in this order
    /// By stream: what the next work in it comes after. Each block has its own default stream.
    std::map<std::uint64_t, std::vector<std::uint32_t>> streams;
    /// By event: what whoever waits for it comes after.
    std::map<std::uint64_t, std::vector<std::uint32_t>> events;
    struct Buffer {
        std::uint64_t bytes = 0;
        std::optional<DeviceWork> launch;  ///< that is being prepared; none: launched
    };
    std::map<std::uint64_t, Buffer> buffers;             ///< parameter buffers, by address
    std::map<std::uint64_t, std::uint32_t> last_errors;  ///< by thread of the grid
};

/// What all grids below one launch of the host share.
class DeviceRuntime {
public:
    /// What it needs of the machine.
    class Host {
    public:
        virtual ~Host() = default;
        [[nodiscard]] virtual std::optional<LaunchRefusal> refuse(
            const DecodedFunction&, const Dim3& grid, const Dim3& block,
            std::uint64_t dynamic_shared_bytes) const = 0;
        /// Runs a kernel and everything below it while `parent` waits.
        virtual void run_within(Launch& parent, DeviceWork) = 0;
    };

    /// The first launch is the host's. Its parameters are part of the seed, or one that is used for
    /// many launches would choose alike in all of them.
    DeviceRuntime(Host& machine, Arena& arena, std::uint64_t seed, const DeviceWork& first)
        : host(machine), arena_(arena), random_(seed_of(seed, first)) {}
    ~DeviceRuntime();
    DeviceRuntime(const DeviceRuntime&) = delete;

    Host& host;
    std::uint64_t executed = 0;  ///< warp instructions so far: the budget is for all together
    std::uint32_t pending = 0;   ///< kernels asked for that have not begun
    std::string first_error;

    /// Memory for a launch's parameters; 0: none is left. The grid's end gives it back.
    std::uint64_t take_buffer(GridWork&, DeviceWork launch);
    void grid_ended(GridWork&);
    /// The order in which a grid's queue runs: that of the calls, or with a seed another one that
    /// streams and events allow.
    std::vector<std::uint32_t> order(const GridWork&, std::uint64_t seed);
    bool coin() { return random_.below(2) != 0; }
    std::uint64_t new_handle() { return handles_ += 16; }
    /// Address of an error's name or text in device memory.
    std::uint64_t text(std::uint32_t code, bool name);

private:
    static std::uint64_t seed_of(std::uint64_t seed, const DeviceWork& first);

    Arena& arena_;
    Random random_;
    std::uint64_t handles_ = std::uint64_t{0x5C} << 40;
    std::map<std::uint64_t, std::vector<std::uint64_t>> spare_buffers_;  ///< by size
    std::map<std::pair<std::uint32_t, bool>, std::uint64_t> texts_;
};

}  // namespace cugrade::emulator
