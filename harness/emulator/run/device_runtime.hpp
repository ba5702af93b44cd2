// Kernels that launch kernels (dynamic parallelism). Theory of operation: device_runtime.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emulator/run/random.hpp"
#include "emulator/state/warp.hpp"

namespace cugrade::emulator {

/// Why a launch is refused before it starts.
struct LaunchRefusal {
    std::uint32_t code = 0;  ///< cudaError_t
    Error error;
};

/// A kernel, copy or fill that a thread has asked for.
struct DeviceWork {
    enum class Kind : std::uint8_t { kernel, copy, fill };
    Kind kind = Kind::kernel;
    // A kernel.
    Program* program = nullptr;
    const DecodedFunction* function = nullptr;
    Dim3 grid, block;
    std::uint64_t dynamic_shared_bytes = 0;
    std::vector<std::byte> params;
    std::uint32_t depth = 0;      ///< Launch::depth
    bool is_cooperative = false;  ///< LaunchOptions::is_cooperative
    // A copy or a fill.
    std::uint64_t to = 0, from = 0, bytes = 0;
    std::byte value{};
    Fault fault;  ///< in case the memory is freed before the work runs

    std::vector<std::uint32_t> after;  ///< work that must end first: indices in GridWork::queue
    bool done = false;                 ///< has run before its grid's end
    bool is_pending = false;           ///< is counted in DeviceRuntime::pending
};

/// The work that one grid has asked for.
struct GridWork {
    std::vector<DeviceWork> queue;  ///< in the order of the calls
    std::size_t begun = 0;          ///< of the queue: how many run_queue has run
    std::vector<DeviceWork> tail;   ///< after the grid and the queue, in this order
    /// By stream: the work that its next work comes after. Each block has its own default stream.
    std::map<std::uint64_t, std::vector<std::uint32_t>> streams;
    /// By event: the work after which streams that wait for the event go on.
    std::map<std::uint64_t, std::vector<std::uint32_t>> events;
    struct Buffer {
        std::uint64_t bytes = 0;
        std::optional<DeviceWork> launch;  ///< being prepared; none: it was launched
    };
    std::map<std::uint64_t, Buffer> buffers;             ///< parameter buffers, by address
    std::map<std::uint64_t, std::uint32_t> last_errors;  ///< by thread of the grid
};

/// The state that all grids below one launch of the host share.
class DeviceRuntime {
public:
    /// The functions of the machine that it calls.
    class Host {
    public:
        virtual ~Host() = default;
        [[nodiscard]] virtual std::optional<LaunchRefusal> refuse(
            const DecodedFunction&, const Dim3& grid, const Dim3& block,
            std::uint64_t dynamic_shared_bytes) const = 0;
        /// Runs a kernel and everything below it while `parent` waits.
        virtual void run_within(Launch& parent, DeviceWork) = 0;
    };

    /// `first` is the host's launch. Its parameters become part of the seed; otherwise a seed that
    /// is used for many launches would make the same choices in all of them.
    DeviceRuntime(Host& machine, Arena& arena, std::uint64_t seed, const DeviceWork& first)
        : host(machine), arena_(arena), random_(seed_of(seed, first)) {}
    ~DeviceRuntime();
    DeviceRuntime(const DeviceRuntime&) = delete;

    Host& host;
    std::uint64_t executed = 0;  ///< warp instructions so far: all grids share one budget
    std::uint32_t pending = 0;   ///< kernels asked for that have not begun
    std::string first_error;

    /// Memory for a launch's parameters; 0: none is left. The grid's end gives it back.
    std::uint64_t take_buffer(GridWork&, DeviceWork launch);
    void grid_ended(GridWork&);
    /// Runs the work that the blocks of a grid have queued so far, in order, while the grid waits.
    void run_queue(Launch& parent);
    /// The order in which a grid's queue runs: with seed 0 the order of the calls, with another
    /// seed a random order that streams and events allow.
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
