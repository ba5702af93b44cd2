// Kernels that launch kernels: the functions that nvcc's code calls for <<<>>> and the CUDA API in
// device code.
//
// Theory of operation. `child<<<grid, block, shared, stream>>>(...)` in device code asks
// __cudaCDP2GetParameterBufferV2 for memory, stores the arguments there and hands it to
// __cudaCDP2LaunchDeviceV2. Hardware runs these functions from libcudadevrt. Here they are built in
// and write down the work that their grid asks for:
//
// - Work in a stream that the grid has made, or in its block's default stream, comes after all
//   earlier work in that stream and after the events that the stream waits for.
// - Work in cudaStreamFireAndForget comes after nothing.
// - Work in cudaStreamTailLaunch comes after the grid and all of the above, in the order of calls.
//
// A grid is complete when all work that it has asked for is complete. No thread can wait for a
// child, and a child that is not in the tail is not ordered with the rest of its parent's grid.
//
// With seed 0 a child runs when the block that launches it has ended, before the blocks that have
// not begun. This exposes a child that needs values from those blocks, and a thread that reads
// values from its child. With another seed a child that nothing holds back may also run at once,
// while its parent waits in the middle of an instruction, or after its parent, and children that
// are not ordered run in a random order. This exposes a child that depends on what its parent does
// after the launch, or on a sibling. Launches with an observer must not overlap, so there the grids
// below a launch run one after the other in depth-first order.
//
// Launches in the tail do not nest, so a chain of them may be of any length. The others nest at
// most 24 deep. A launch that is refused leaves its thread an error, which cudaGetLastError
// returns.
#include "emulator/run/device_runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "emulator/ops/builtin.hpp"
#include "emulator/state/cuda_error.hpp"
#include "emulator/state/observer.hpp"
#include "protocol/cuda_errors.hpp"

namespace cugrade::emulator {
namespace {

constexpr u32 deepest = 24;
constexpr u64 smallest_buffer = 256;

// Values from cuda_runtime_api.h and cuda_device_runtime_api.h.
constexpr u64 last_default_stream = 2;  // 0, cudaStreamLegacy, cudaStreamPerThread
constexpr u64 tail_launch_stream = 3;
constexpr u64 fire_and_forget_stream = 4;
constexpr u32 stream_non_blocking = 1;
constexpr u32 event_disable_timing = 2;

struct ErrorRow {
    u32 code;
    const char *name, *text;
};
constexpr ErrorRow errors[] = {
#define CUGRADE_ROW(name, number, text) {number, #name, text},
    CUGRADE_CUDA_ERRORS(CUGRADE_ROW)
#undef CUGRADE_ROW
};
const ErrorRow* find_error(u32 code) {
    const auto* row = std::ranges::find(errors, code, &ErrorRow::code);
    return row != std::end(errors) ? row : nullptr;
}

/// Numbers the threads of a grid.
u64 thread_number(const Warp& w, u32 lane) {
    return w.block->number * w.launch->threads_per_block + w.index * lanes + lane;
}

/// Gives the call its result and, if it failed, notes the thread's last error.
bool finish(Warp& w, const Ins* i, u32 lane, u32 code, std::string_view why = {}) {
    give_back(w, i, lane, code);
    if (code == cudaSuccess) return true;
    Launch& launch = *w.launch;
    launch.work->last_errors[thread_number(w, lane)] = code;
    if (std::string& first = launch.device_runtime->first_error; first.empty()) {
        const ErrorRow* row = find_error(code);
        first = fmt::format("{}: {} (in the kernel {}, {})", row != nullptr ? row->name : "error",
                            why, demangled(launch.kernel->source->name),
                            place_of(*launch.program, i).text());
    }
    return true;
}

/// Stores a value that a call returns through a pointer. False after a fault.
template <class T>
bool store(Warp& w, const Ins* i, u32 lane, u64 address, T value) {
    std::byte* to = probe(w, lane, address, sizeof value);
    if (to == nullptr) {
        fail(w, i, FaultKind::out_of_bounds, lane,
             fmt::format("has a CUDA call write {} bytes at {}", sizeof value,
                         w.launch->arena->located(address)),
             address);
        return false;
    }
    tell_store(w, i, lane, address, sizeof value);
    std::memcpy(to, &value, sizeof value);
    return true;
}

/// Keeps instructions from using cached ranges of memory that may have been freed.
void forget_ranges(Launch& launch) {
    std::fill(launch.ranges.begin(), launch.ranges.end(), Range{});
}

// ------------------------------------------------------------------------------------- streams

/// The work that the next work in a stream comes after; nullptr if there is no such stream.
std::vector<u32>* front_of(const Warp& w, u64 stream) {
    constexpr u64 default_stream = u64{1} << 63;
    auto& streams = w.launch->work->streams;
    if (stream <= last_default_stream) return &streams[default_stream | w.block->number];
    const auto it = streams.find(stream);
    return it != streams.end() ? &it->second : nullptr;
}

bool enqueue(Warp& w, const Ins* i, u32 lane, u64 stream, DeviceWork work) {
    Launch& launch = *w.launch;
    GridWork& grid = *launch.work;
    DeviceRuntime& runtime = *launch.device_runtime;
    const bool is_tail =
        stream == tail_launch_stream || launch.options->children == Children::in_tail;
    work.depth = launch.depth + (is_tail ? 0 : 1);
    const bool is_kernel = work.kind == DeviceWork::Kind::kernel;
    const auto launched = [&work] { return demangled(work.function->source->name); };
    if (is_kernel && work.depth > deepest)
        return finish(w, i, lane, cudaErrorLaunchMaxDepthExceeded,
                      fmt::format("launch of {}, {} launches deep; at most {}, launches into "
                                  "cudaStreamTailLaunch not counted",
                                  launched(), work.depth, deepest));
    if (is_kernel && runtime.pending >= launch.options->pending_launches)
        return finish(w, i, lane, cudaErrorLaunchPendingCountExceeded,
                      fmt::format("launch of {} while {} launches have not begun; "
                                  "cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, n) "
                                  "makes room for n",
                                  launched(), runtime.pending));
    std::vector<u32>* front = nullptr;
    if (!is_tail && stream != fire_and_forget_stream) {
        front = front_of(w, stream);
        if (front == nullptr)
            return finish(w, i, lane, cudaErrorInvalidResourceHandle,
                          "not a stream that this grid has made, nor one that all have");
    }
    const auto wait = [&](DeviceWork& queued) {
        if (!is_kernel) return;
        queued.is_pending = true;
        ++runtime.pending;
    };
    if (is_tail) {
        grid.tail.push_back(std::move(work));
        wait(grid.tail.back());
        return finish(w, i, lane, cudaSuccess);
    }
    const auto index = static_cast<u32>(grid.queue.size());
    if (front != nullptr) {
        work.after = std::move(*front);
        *front = {index};
    }
    grid.queue.push_back(std::move(work));
    DeviceWork& queued = grid.queue.back();
    wait(queued);
    finish(w, i, lane, cudaSuccess);
    const bool at_once = launch.options->children == Children::at_once;
    const bool may_run =
        (launch.options->seed != 0 || at_once) && launch.options->observer == nullptr &&
        std::ranges::all_of(queued.after, [&](u32 n) { return grid.queue[n].done; });
    if (!may_run || !(at_once || runtime.coin())) return true;
    queued.done = true;
    runtime.host.run_within(launch, std::move(queued));
    forget_ranges(launch);
    return !launch.fault;
}

bool create_stream(Warp& w, const Ins* i, u32 lane) {
    if (argument_as<u32>(w, i, 1, lane) != stream_non_blocking)
        return finish(w, i, lane, cudaErrorInvalidValue,
                      "cudaStreamCreateWithFlags in device code takes cudaStreamNonBlocking only");
    const u64 handle = w.launch->device_runtime->new_handle();
    w.launch->work->streams[handle];
    return store(w, i, lane, argument(w, i, 0, lane), handle) && finish(w, i, lane, cudaSuccess);
}

/// Work that is already in the stream still runs.
bool destroy_stream(Warp& w, const Ins* i, u32 lane) {
    const u64 stream = argument(w, i, 0, lane);
    if (stream <= fire_and_forget_stream || w.launch->work->streams.erase(stream) == 0)
        return finish(w, i, lane, cudaErrorInvalidResourceHandle,
                      "cudaStreamDestroy of what is no stream that this grid has made");
    return finish(w, i, lane, cudaSuccess);
}

bool create_event(Warp& w, const Ins* i, u32 lane) {
    if (argument_as<u32>(w, i, 1, lane) != event_disable_timing)
        return finish(w, i, lane, cudaErrorInvalidValue,
                      "cudaEventCreateWithFlags in device code takes cudaEventDisableTiming only");
    const u64 handle = w.launch->device_runtime->new_handle();
    w.launch->work->events[handle];
    return store(w, i, lane, argument(w, i, 0, lane), handle) && finish(w, i, lane, cudaSuccess);
}

bool destroy_event(Warp& w, const Ins* i, u32 lane) {
    if (w.launch->work->events.erase(argument(w, i, 0, lane)) == 0)
        return finish(w, i, lane, cudaErrorInvalidResourceHandle,
                      "cudaEventDestroy of what is no event that this grid has made");
    return finish(w, i, lane, cudaSuccess);
}

/// Calls `act` with the event and the stream of a call, or lets the call fail if one does not
/// exist.
bool event_and_stream(Warp& w, const Ins* i, u32 lane, const char* call, std::size_t event_at,
                      void (*act)(std::vector<u32>& event, std::vector<u32>& front)) {
    auto& events = w.launch->work->events;
    const auto event = events.find(argument(w, i, event_at, lane));
    std::vector<u32>* front = front_of(w, argument(w, i, 1 - event_at, lane));
    if (event == events.end() || front == nullptr)
        return finish(w, i, lane, cudaErrorInvalidResourceHandle,
                      fmt::format("{} with what is no {} that this grid has made", call,
                                  event == events.end() ? "event" : "stream"));
    act(event->second, *front);
    return finish(w, i, lane, cudaSuccess);
}
bool record_event(Warp& w, const Ins* i, u32 lane) {
    return event_and_stream(w, i, lane, "cudaEventRecord", 0,
                            [](auto& event, auto& front) { event = front; });
}
bool wait_for_event(Warp& w, const Ins* i, u32 lane) {
    return event_and_stream(w, i, lane, "cudaStreamWaitEvent", 1, [](auto& event, auto& front) {
        front.insert(front.end(), event.begin(), event.end());
    });
}

// ------------------------------------------------------------------------------------ launches

bool get_parameter_buffer(Warp& w, const Ins* i, u32 lane) {
    Launch& launch = *w.launch;
    Program& program = *launch.program;
    const auto refused = [&](u32 code, std::string_view why) {
        finish(w, i, lane, code, why);
        give_back(w, i, lane, 0);
        return true;
    };
    const u64 address = argument(w, i, 0, lane), index = (address - code_window) / 16;
    if (address < code_window || address % 16 != 0 || index >= program.functions.size() ||
        program.functions[index].entry == program.functions[index].end ||
        !program.functions[index].source->is_entry)
        return refused(cudaErrorInvalidDeviceFunction, "launch of what is no kernel");
    using Triple = std::array<u32, 3>;
    const auto grid = argument_as<Triple>(w, i, 1, lane),
               block = argument_as<Triple>(w, i, 2, lane);
    DeviceWork work;
    work.program = &program;
    work.function = &program.functions[index];
    work.grid = {grid[0], grid[1], grid[2]};
    work.block = {block[0], block[1], block[2]};
    work.dynamic_shared_bytes = argument_as<u32>(w, i, 3, lane);
    DeviceRuntime& runtime = *launch.device_runtime;
    if (auto refusal =
            runtime.host.refuse(*work.function, work.grid, work.block, work.dynamic_shared_bytes))
        return refused(refusal->code, refusal->error.message + "; " + refusal->error.remedy);
    const u64 buffer = runtime.take_buffer(*launch.work, std::move(work));
    if (buffer == 0)
        return refused(cudaErrorMemoryAllocation, "no memory for a launch's parameters");
    give_back(w, i, lane, buffer);
    return true;
}

/// A pointer to the parent's shared or local memory is a fault, because a child has its own. False
/// after a fault.
bool check_arguments(Warp& w, const Ins* i, u32 lane, const DeviceWork& work) {
    const auto& params = work.function->source->params;
    for (std::size_t n = 0; n < params.size(); ++n) {
        if (params[n].bytes != 8) continue;
        u64 value = 0;
        std::memcpy(&value, work.params.data() + params[n].offset, sizeof value);
        const bool shared = value - shared_window < u64{1} << 32;
        if (!shared && value - local_window >= u64{1} << 32) continue;
        fail(
            w, i, FaultKind::out_of_bounds, lane,
            fmt::format("passes the address of its own {} memory to {} (argument {}): a kernel "
                        "that it launches cannot reach that, so pass global memory",
                        shared ? "shared" : "local", demangled(work.function->source->name), n + 1),
            value);
        return false;
    }
    return true;
}

bool launch_device(Warp& w, const Ins* i, u32 lane) {
    Launch& launch = *w.launch;
    const u64 buffer = argument(w, i, 0, lane);
    const auto it = launch.work->buffers.find(buffer);
    if (it == launch.work->buffers.end() || !it->second.launch)
        return finish(w, i, lane, cudaErrorInvalidValue,
                      "a launch with what is no parameter buffer, or was launched before");
    DeviceWork work = std::move(*it->second.launch);
    it->second.launch.reset();
    work.params.resize(work.function->source->param_bytes);
    std::memcpy(work.params.data(), launch.arena->host(buffer), work.params.size());
    return check_arguments(w, i, lane, work) &&
           enqueue(w, i, lane, argument(w, i, 1, lane), std::move(work));
}

// -------------------------------------------------------------------------------------- memory

bool allocate(Warp& w, const Ins* i, u32 lane) {
    auto address = w.launch->arena->allocate_on_device("memory from cudaMalloc in a kernel",
                                                       argument(w, i, 1, lane));
    if (!address) return finish(w, i, lane, cudaErrorMemoryAllocation, address.error().message);
    return store(w, i, lane, argument(w, i, 0, lane), *address) && finish(w, i, lane, cudaSuccess);
}

bool release(Warp& w, const Ins* i, u32 lane) {
    const u64 address = argument(w, i, 0, lane);
    if (address == 0) return finish(w, i, lane, cudaSuccess);
    if (auto status = w.launch->arena->free_on_device(address); !status)
        return finish(w, i, lane, cudaErrorInvalidValue, status.error().message);
    forget_ranges(*w.launch);
    return finish(w, i, lane, cudaSuccess);
}

/// Queues a copy or a fill. Its memory must be allocated now and still when it runs.
bool enqueue_transfer(Warp& w, const Ins* i, u32 lane, const char* call, u64 stream,
                      DeviceWork work) {
    const Arena& arena = *w.launch->arena;
    if (work.bytes == 0) return finish(w, i, lane, cudaSuccess);
    const auto fault = [&](u64 address) {
        fail(w, i, FaultKind::out_of_bounds, lane,
             fmt::format("calls {} with {} bytes at {}: in device code it takes global memory, all "
                         "of one allocation",
                         call, work.bytes, arena.located(address)),
             address);
        return false;
    };
    if (!arena.find(work.to).holds(work.to, work.bytes)) return fault(work.to);
    if (work.kind == DeviceWork::Kind::copy && !arena.find(work.from).holds(work.from, work.bytes))
        return fault(work.from);
    work.fault =
        fault_of(w, i, FaultKind::out_of_bounds, lane,
                 fmt::format("calls {} for memory that is freed before it is done", call), work.to);
    work.fault.kernel = demangled(w.launch->kernel->source->name);
    return enqueue(w, i, lane, stream, std::move(work));
}

bool copy(Warp& w, const Ins* i, u32 lane) {
    DeviceWork work;
    work.kind = DeviceWork::Kind::copy;
    work.to = argument(w, i, 0, lane);
    work.from = argument(w, i, 1, lane);
    work.bytes = argument(w, i, 2, lane);
    return enqueue_transfer(w, i, lane, "cudaMemcpyAsync", argument(w, i, 4, lane),
                            std::move(work));
}

bool fill(Warp& w, const Ins* i, u32 lane) {
    DeviceWork work;
    work.kind = DeviceWork::Kind::fill;
    work.to = argument(w, i, 0, lane);
    work.value = static_cast<std::byte>(argument(w, i, 1, lane));
    work.bytes = argument(w, i, 2, lane);
    return enqueue_transfer(w, i, lane, "cudaMemsetAsync", argument(w, i, 3, lane),
                            std::move(work));
}

// ----------------------------------------------------------------------------- errors, devices

u32 last_error(const Warp& w, u32 lane) {
    const auto& all = w.launch->work->last_errors;
    const auto it = all.find(thread_number(w, lane));
    return it != all.end() ? it->second : cudaSuccess;
}
bool get_last_error(Warp& w, const Ins* i, u32 lane) {
    give_back(w, i, lane, last_error(w, lane));
    w.launch->work->last_errors.erase(thread_number(w, lane));
    return true;
}
bool peek_at_last_error(Warp& w, const Ins* i, u32 lane) {
    give_back(w, i, lane, last_error(w, lane));
    return true;
}
template <bool name>
bool error_text(Warp& w, const Ins* i, u32 lane) {
    give_back(w, i, lane, w.launch->device_runtime->text(argument_as<u32>(w, i, 0, lane), name));
    return true;
}

template <u32 value>
bool device_number(Warp& w, const Ins* i, u32 lane) {
    return store(w, i, lane, argument(w, i, 0, lane), value) && finish(w, i, lane, cudaSuccess);
}

// Programs compiled with a default stream per host thread call the names with _ptsz. In device code
// the default stream is still the block's.
const Builtin builtins[] = {
    {"__cudaCDP2GetParameterBufferV2", get_parameter_buffer},
    {"__cudaCDP2LaunchDeviceV2", launch_device},
    {"__cudaCDP2LaunchDeviceV2_ptsz", launch_device},
    {"__cudaCDP2GetLastError", get_last_error},
    {"__cudaCDP2PeekAtLastError", peek_at_last_error},
    {"__cudaCDP2GetErrorString", error_text<false>},
    {"__cudaCDP2GetErrorName", error_text<true>},
    {"__cudaCDP2GetDeviceCount", device_number<1>},
    {"__cudaCDP2GetDevice", device_number<0>},
    {"__cudaCDP2StreamCreateWithFlags", create_stream},
    {"__cudaCDP2StreamDestroy", destroy_stream},
    {"__cudaCDP2StreamWaitEvent", wait_for_event},
    {"__cudaCDP2StreamWaitEvent_ptsz", wait_for_event},
    {"__cudaCDP2EventCreateWithFlags", create_event},
    {"__cudaCDP2EventRecord", record_event},
    {"__cudaCDP2EventRecord_ptsz", record_event},
    {"__cudaCDP2EventDestroy", destroy_event},
    {"__cudaCDP2Malloc", allocate},
    {"__cudaCDP2Free", release},
    {"__cudaCDP2MemcpyAsync", copy},
    {"__cudaCDP2MemcpyAsync_ptsz", copy},
    {"__cudaCDP2MemsetAsync", fill},
    {"__cudaCDP2MemsetAsync_ptsz", fill},
};

}  // namespace

std::span<const Builtin> device_runtime_builtins() { return builtins; }

DeviceRuntime::~DeviceRuntime() {
    for (const auto& [size, buffers] : spare_buffers_)
        for (const u64 address : buffers) (void)arena_.free(address);
    for (const auto& [code, address] : texts_) (void)arena_.free(address);
}

u64 DeviceRuntime::seed_of(u64 seed, const DeviceWork& first) {
    u64 state = seed ^ first.grid.count() << 32 ^ first.block.count();
    for (const std::byte b : first.params) state = Random(state ^ static_cast<u64>(b)).next();
    return state;
}

/// A grid keeps its buffers until it ends, so that no two of its threads seem to use the same
/// memory.
u64 DeviceRuntime::take_buffer(GridWork& grid, DeviceWork launch) {
    const u64 size = std::bit_ceil(std::max(launch.function->source->param_bytes, smallest_buffer));
    auto& spare = spare_buffers_[size];
    u64 buffer = 0;
    if (spare.empty()) {
        auto address = arena_.allocate("the parameters of a launch", size);
        if (!address) return 0;
        buffer = *address;
    } else {
        buffer = spare.back();
        spare.pop_back();
    }
    grid.buffers[buffer] = {size, std::move(launch)};
    return buffer;
}

void DeviceRuntime::grid_ended(GridWork& grid) {
    for (const auto& [address, buffer] : grid.buffers)
        spare_buffers_[buffer.bytes].push_back(address);
    grid.buffers.clear();
}

void DeviceRuntime::run_queue(Launch& parent) {
    std::vector<DeviceWork>& queue = parent.work->queue;
    std::size_t& begun = parent.work->begun;
    if (begun == queue.size()) return;
    for (; begun < queue.size() && !parent.fault; ++begun) {
        queue[begun].done = true;
        host.run_within(parent, std::move(queue[begun]));
    }
    forget_ranges(parent);
}

std::vector<u32> DeviceRuntime::order(const GridWork& grid, u64 seed) {
    const std::size_t count = grid.queue.size();
    std::vector<u32> result;
    if (seed == 0) {
        for (u32 n = 0; n < count; ++n)
            if (!grid.queue[n].done) result.push_back(n);
        return result;
    }
    std::vector<u32> missing(count);  // how much of the work before it has not run
    std::vector<std::vector<u32>> followers(count);
    std::vector<u32> ready;
    for (u32 n = 0; n < count; ++n) {
        for (const u32 before : grid.queue[n].after)
            if (!grid.queue[before].done) {
                ++missing[n];
                followers[before].push_back(n);
            }
        if (missing[n] == 0 && !grid.queue[n].done) ready.push_back(n);
    }
    while (!ready.empty()) {
        std::swap(ready[random_.below(ready.size())], ready.back());
        const u32 n = ready.back();
        ready.pop_back();
        result.push_back(n);
        for (const u32 follower : followers[n])
            if (--missing[follower] == 0) ready.push_back(follower);
    }
    return result;
}

u64 DeviceRuntime::text(u32 code, bool name) {
    const auto [it, is_new] = texts_.try_emplace({code, name}, 0);
    if (!is_new) return it->second;
    const ErrorRow* row = find_error(code);
    const std::string_view text = row == nullptr ? "unrecognized error code"
                                  : name         ? row->name
                                                 : row->text;
    auto address = arena_.allocate("the text of an error", text.size() + 1);
    if (!address) return 0;
    std::vector<std::byte> bytes(text.size() + 1);
    std::memcpy(bytes.data(), text.data(), text.size());
    (void)arena_.write(*address, bytes);
    return it->second = *address;
}

}  // namespace cugrade::emulator
