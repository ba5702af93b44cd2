// The device context: modules, launches, and the state that they leave.
#include "emulator/state/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "emulator/decode/decoder.hpp"
#include "emulator/ops/lane_loops.hpp"
#include "emulator/run/device_runtime.hpp"
#include "emulator/run/scheduler.hpp"
#include "emulator/run/speculation.hpp"
#include "emulator/state/cuda_error.hpp"
#include "emulator/state/limits.hpp"
#include "emulator/state/observer.hpp"

namespace cugrade::emulator {
namespace {

Error launch_error(std::string message, std::string remedy = {}) {
    return {
        .kind = ErrorKind::submission, .message = std::move(message), .remedy = std::move(remedy)};
}

LaunchRefusal refusal(std::uint32_t code, std::string message, std::string remedy) {
    return {code, launch_error(std::move(message), std::move(remedy))};
}

/// Dynamic shared memory follows static shared memory, aligned to 16 bytes.
std::uint64_t dynamic_shared_start(const DecodedFunction& f) {
    return (f.shared_bytes + 15) / 16 * 16;
}
std::uint64_t shared_bytes(const DecodedFunction& f, std::uint64_t dynamic) {
    return protocol::shared_bytes_of_block(f.shared_bytes, dynamic);
}

class EmulatedMachine final : public Machine, private DeviceRuntime::Host {
public:
    explicit EmulatedMachine(const MachineConfig& config)
        : config_(config), arena_(config.memory_bytes) {
        auto workspace = arena_.allocate("the grid barrier", grid_workspace_bytes);
        if (!workspace) throw HarnessFault(workspace.error());
        grid_workspace_ = *workspace;
    }

    const MachineConfig& config() const override { return config_; }
    Memory& memory() override { return arena_; }

    Status room_for(const ptx::Module& module) const override;
    Result<ModuleId> load(std::unique_ptr<ptx::Module> module) override {
        if (auto status = room_for(*module); !status) return status.error();
        auto program = decoded(std::move(module), {});
        if (!program) return program.error();
        programs_.push_back(*std::move(program));
        return static_cast<ModuleId>(programs_.size() - 1);
    }

    Status reload(ModuleId id, std::unique_ptr<ptx::Module> module) override {
        auto program = decoded(std::move(module), programs_[id]->symbols);
        if (!program) return program.error();
        programs_[id] = *std::move(program);
        return Done{};
    }

    const ptx::Module& code(ModuleId id) const override { return *programs_[id]->module; }

    std::optional<KernelInfo> kernel(ModuleId id, std::string_view name) const override {
        const DecodedFunction* f = find(id, name);
        if (f == nullptr) return std::nullopt;
        KernelInfo info;
        info.name = std::string(f->source->name);
        info.params = f->source->params;
        info.param_bytes = f->source->param_bytes;
        info.static_shared_bytes = f->shared_bytes;
        info.local_bytes = f->local_bytes;
        info.registers = f->live_rows;
        if (f->source->max_threads != 0) info.max_threads = f->source->max_threads;
        return info;
    }

    std::optional<Symbol> symbol(ModuleId id, std::string_view name) const override {
        if (id >= programs_.size()) return std::nullopt;
        const auto it = programs_[id]->symbols.find(name);
        if (it == programs_[id]->symbols.end()) return std::nullopt;
        return it->second;
    }

    std::vector<std::string> unsupported(ModuleId id) const override {
        std::vector<std::string> result;
        if (id >= programs_.size()) return result;
        const Program& program = *programs_[id];
        for (const auto& u : program.unsupported)
            result.push_back(
                fmt::format("{} ({})", u.form, place_of(program, program.at(u.code)).text()));
        return result;
    }

    Status launch(ModuleId id, std::string_view name, Dim3 grid, Dim3 block,
                  std::uint64_t dynamic_shared_bytes, std::span<const std::byte> params,
                  const LaunchOptions& options) override;

    const std::optional<Fault>& fault() const override { return fault_; }
    const LaunchStats& stats() const override { return stats_; }
    const std::string& device_error() const override { return device_error_; }
    void on_print(std::function<void(std::string_view)> print) override {
        print_ = std::move(print);
    }

private:
    static constexpr std::uint64_t grid_workspace_bytes = 256;

    /// `symbols`: variables that have their places already.
    Result<std::unique_ptr<Program>> decoded(std::unique_ptr<ptx::Module> module,
                                             decltype(Program::symbols) symbols) {
        auto program = std::make_unique<Program>();
        program->module = std::move(module);
        program->pool.emplace_back();  // so that its address can always be taken
        program->symbols = std::move(symbols);
        if (auto status = ModuleDecoder(*program, arena_, config_.optimise).run(); !status)
            return status.error();
        return program;
    }

    [[nodiscard]] const DecodedFunction* find(ModuleId id, std::string_view name) const {
        if (id >= programs_.size()) return nullptr;
        for (const auto& f : programs_[id]->functions)
            if (f.source->is_entry && !f.source->is_declaration && f.source->name == name)
                return &f;
        return nullptr;
    }
    [[nodiscard]] Workers* workers_for(const DecodedFunction&, const LaunchOptions&);
    [[nodiscard]] std::optional<LaunchRefusal> refuse(
        const DecodedFunction&, const Dim3& grid, const Dim3& block,
        std::uint64_t dynamic_shared_bytes) const override;
    /// How many blocks the device holds at once.
    [[nodiscard]] std::uint64_t resident_grid(const DecodedFunction& f, const Dim3& block,
                                              std::uint64_t dynamic_shared_bytes) const {
        return protocol::resident_blocks(multiprocessor_of(config_), block.count(),
                                         shared_bytes(f, dynamic_shared_bytes))
                   .count *
               config_.multiprocessors;
    }
    void run_within(Launch& parent, DeviceWork) override;
    void run_all(DeviceWork, const LaunchOptions&, DeviceRuntime&, bool within);
    void run(const DeviceWork&, GridWork&, const LaunchOptions&, DeviceRuntime&, bool within);
    void fill_rows(const Launch&) const;
    void transfer(const DeviceWork&, Observer*);
    [[nodiscard]] std::uint64_t special(const std::string& name, const Launch&) const;

    MachineConfig config_;
    Arena arena_;
    std::uint64_t grid_workspace_ = 0;
    std::vector<std::unique_ptr<Program>> programs_;
    std::optional<Fault> fault_;
    LaunchStats stats_;
    std::unique_ptr<Workers> workers_;  ///< made for the first launch that may use them
    std::string device_error_;
    std::function<void(std::string_view)> print_;
};

Status EmulatedMachine::room_for(const ptx::Module& module) const {
    const Checked<> needed = variable_bytes(module);
    const std::uint64_t left = arena_.total() - std::min(arena_.used(), arena_.total());
    if (needed.at_most(left)) return Done{};
    const auto largest = std::ranges::max_element(module.variables, {}, &ptx::Variable::bytes);
    // How much is free varies from case to case, so the message says it only where it matters.
    const std::string rest = needed.at_most(arena_.total())
                                 ? fmt::format(", of which {} are free", left)
                                 : std::string();
    return launch_error(
        fmt::format("out of memory: the program's __device__ and __constant__ variables need {} "
                    "bytes, `{}` alone {}; the device has {}{}",
                    needed.or_largest(), demangled(largest->name), largest->bytes, arena_.total(),
                    rest),
        "make the variables smaller");
}

/// The threads that may share the blocks of a launch; nullptr if one thread runs it.
Workers* EmulatedMachine::workers_for(const DecodedFunction& f, const LaunchOptions& options) {
    if (config_.host_threads == 1 || options.seed != 0 || options.observer != nullptr ||
        f.order != BlockOrder::hidden || f.is_shared_in_vain)
        return nullptr;
    const unsigned count =
        config_.host_threads != 0 ? config_.host_threads : std::thread::hardware_concurrency();
    if (count <= 1) return nullptr;
    if (workers_ == nullptr) workers_ = std::make_unique<Workers>(count);
    return workers_.get();
}

std::optional<LaunchRefusal> EmulatedMachine::refuse(const DecodedFunction& f, const Dim3& grid,
                                                     const Dim3& block,
                                                     std::uint64_t dynamic_shared_bytes) const {
    const std::string name = demangled(f.source->name);
    const std::uint64_t shared = shared_bytes(f, dynamic_shared_bytes);
    if (grid.count() == 0 || block.count() == 0)
        return refusal(cudaErrorInvalidConfiguration,
                       fmt::format("launch of {} with a grid of {}x{}x{} blocks of {}x{}x{} "
                                   "threads",
                                   name, grid.x, grid.y, grid.z, block.x, block.y, block.z),
                       "every dimension must be at least 1; return early when there is no work");
    const std::uint64_t most = f.source->max_threads != 0 ? f.source->max_threads : 1024;
    const bool too_large = block.count() > 1024 || block.x > 1024 || block.y > 1024 || block.z > 64;
    if (too_large || block.count() > most)
        return refusal(too_large ? cudaErrorInvalidConfiguration : cudaErrorLaunchOutOfResources,
                       fmt::format("launch of {} with blocks of {}x{}x{} = {} threads", name,
                                   block.x, block.y, block.z, block.count()),
                       fmt::format("at most {} threads, and 1024x1024x64", most));
    if (grid.x > 0x7FFFFFFF || grid.y > 65535 || grid.z > 65535)
        return refusal(cudaErrorInvalidConfiguration,
                       fmt::format("launch of {} with a grid of {}x{}x{} blocks", name, grid.x,
                                   grid.y, grid.z),
                       "at most 2147483647 x 65535 x 65535 blocks");
    if (f.shared_bytes > config_.max_shared_per_block ||
        shared > config_.max_shared_per_block_optin)
        return refusal(
            cudaErrorInvalidValue,
            fmt::format("launch of {} with {} bytes of shared memory a block", name, shared),
            fmt::format("at most {} bytes", config_.max_shared_per_block_optin));
    return std::nullopt;
}

std::uint64_t EmulatedMachine::special(const std::string& name, const Launch& launch) const {
    if (name == "%ntid.x") return launch.block.x;
    if (name == "%ntid.y") return launch.block.y;
    if (name == "%ntid.z") return launch.block.z;
    if (name == "%nctaid.x") return launch.grid.x;
    if (name == "%nctaid.y") return launch.grid.y;
    if (name == "%nctaid.z") return launch.grid.z;
    if (name == "%nsmid") return config_.multiprocessors;
    if (name == "%nwarpid") return 32;
    if (name == "%dynamic_smem_size") return launch.dynamic_shared_bytes;
    if (name == "%total_smem_size" || name == "%aggr_smem_size") return launch.shared_bytes;
    if (name.starts_with("%cluster_nct")) return 1;
    if (name == "WARP_SZ") return lanes;
    // Cooperative groups find the grid's barrier through these two.
    if (name == "%envreg1") return grid_workspace_ >> 32;
    if (name == "%envreg2") return grid_workspace_ & 0xFFFFFFFF;
    return 0;
}

Status EmulatedMachine::launch(ModuleId id, std::string_view name, Dim3 grid, Dim3 block,
                               std::uint64_t dynamic_shared_bytes,
                               std::span<const std::byte> params, const LaunchOptions& options) {
    if (fault_) return launch_error("an earlier launch failed: " + fault_->message);
    const DecodedFunction* f = find(id, name);
    if (f == nullptr) return launch_error(fmt::format("there is no kernel {}", demangled(name)));
    if (auto refused = refuse(*f, grid, block, dynamic_shared_bytes)) return refused->error;
    if (options.is_cooperative && grid.count() > resident_grid(*f, block, dynamic_shared_bytes))
        return launch_error(fmt::format(
            "cooperative launch of {} with {} blocks; {} fit on the "
            "device at once",
            demangled(name), grid.count(), resident_grid(*f, block, dynamic_shared_bytes)));
    if (params.size() < f->source->param_bytes)
        return launch_error(fmt::format("launch of {} with {} bytes of parameters instead of {}",
                                        demangled(name), params.size(), f->source->param_bytes));
    const auto begin = std::chrono::steady_clock::now();
    DeviceWork first;
    first.program = programs_[id].get();
    first.function = f;
    first.grid = grid;
    first.block = block;
    first.dynamic_shared_bytes = dynamic_shared_bytes;
    first.params.assign(params.begin(), params.end());
    first.is_cooperative = options.is_cooperative;
    DeviceRuntime device_runtime(*this, arena_, options.seed, first);
    run_all(std::move(first), options, device_runtime, false);
    device_error_ = std::move(device_runtime.first_error);
    stats_.warp_instructions += device_runtime.executed;
    stats_.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return Done{};
}

/// Runs a grid and all work that it and the grids below it ask for, in the order that
/// device_runtime.cpp explains. A stack holds the waiting work, because chains of tail launches are
/// too long for recursion.
void EmulatedMachine::run_all(DeviceWork first, const LaunchOptions& options,
                              DeviceRuntime& device_runtime, bool within) {
    std::vector<DeviceWork> waiting;
    waiting.push_back(std::move(first));
    while (!waiting.empty() && !fault_) {
        const DeviceWork work = std::move(waiting.back());
        waiting.pop_back();
        if (work.is_pending) --device_runtime.pending;
        if (work.kind != DeviceWork::Kind::kernel) {
            transfer(work, options.observer);
            continue;
        }
        GridWork asked_for;
        run(work, asked_for, options, device_runtime, within);
        // Push in reverse: the work that is pushed last runs first.
        for (auto it = asked_for.tail.rbegin(); it != asked_for.tail.rend(); ++it)
            waiting.push_back(std::move(*it));
        const std::vector<u32> order = device_runtime.order(asked_for, options.seed);
        for (auto it = order.rbegin(); it != order.rend(); ++it)
            waiting.push_back(std::move(asked_for.queue[*it]));
    }
}

void EmulatedMachine::run_within(Launch& parent, DeviceWork work) {
    DeviceRuntime& device_runtime = *parent.device_runtime;
    device_runtime.executed = parent.executed;
    run_all(std::move(work), *parent.options, device_runtime, true);
    parent.executed = device_runtime.executed;
    fill_rows(parent);
    if (fault_) parent.fault = fault_;
}

void EmulatedMachine::transfer(const DeviceWork& work, Observer* observer) {
    const bool copies = work.kind == DeviceWork::Kind::copy;
    const Status status = copies ? arena_.copy(work.to, work.from, work.bytes)
                                 : arena_.fill(work.to, work.value, work.bytes);
    if (!status)
        fault_ = work.fault;
    else if (observer != nullptr && copies)
        observer->copied(work.to, work.from, work.bytes);
    else if (observer != nullptr)
        observer->filled(work.to, work.bytes);
}

/// Writes the values that are fixed for the launch into the rows of the pool.
void EmulatedMachine::fill_rows(const Launch& launch) const {
    Program& program = *launch.program;
    std::byte* pool = data_of(program.pool);
    const auto index = static_cast<u32>(launch.kernel - program.functions.data());
    for (const LaunchRow& row : program.launch_rows) {
        u64 value = 0;
        switch (row.kind) {
            case LaunchRow::Kind::param: {
                if (row.function != index) continue;
                const int bits = ptx::bits(row.type);
                std::memcpy(&value, launch.params.data() + row.value,
                            static_cast<std::size_t>(bits) / 8);
                if (ptx::is_signed(row.type) && bits < 64)
                    value = static_cast<u64>(static_cast<s64>(value << (64 - bits)) >> (64 - bits));
                break;
            }
            case LaunchRow::Kind::dynamic_shared:
                value = dynamic_shared_start(*launch.kernel) + row.value;
                break;
            case LaunchRow::Kind::special: value = special(row.name, launch); break;
        }
        for (u32 l = 0; l < lanes; ++l)
            std::memcpy(pool + row.offset + l * row.bytes, &value, row.bytes);
    }
}

/// Runs one grid and puts the work that it asks for into `asked_for`. `within`: another grid waits
/// meanwhile.
void EmulatedMachine::run(const DeviceWork& work, GridWork& asked_for, const LaunchOptions& options,
                          DeviceRuntime& device_runtime, bool within) {
    Program& program = *work.program;
    DecodedFunction& function =
        program.functions[static_cast<std::size_t>(work.function - program.functions.data())];
    if (function.order == BlockOrder::unknown) function.order = block_order(program, function);
    const Dim3& block = work.block;
    Launch launch;
    launch.program = &program;
    launch.kernel = work.function;
    launch.arena = &arena_;
    launch.config = &config_;
    launch.options = &options;
    launch.print = &print_;
    launch.grid = work.grid;
    launch.block = block;
    launch.threads_per_block = static_cast<u32>(block.count());
    launch.shared_bytes = shared_bytes(*work.function, work.dynamic_shared_bytes);
    launch.dynamic_shared_bytes = work.dynamic_shared_bytes;
    launch.local_stack_bytes = work.function->local_bytes + call_stack_bytes;
    launch.params = work.params;
    launch.depth = work.depth;
    launch.by_host = !work.is_pending;
    launch.is_cooperative = work.is_cooperative;
    if (launch.is_cooperative) launch.grid_barrier = arena_.host(grid_workspace_) + 4;
    launch.work = &asked_for;
    launch.device_runtime = &device_runtime;
    launch.executed = device_runtime.executed;
    launch.ranges.resize(program.range_count);
    fill_rows(launch);
    const u32 warps = (launch.threads_per_block + lanes - 1) / lanes;
    launch.warp_rows.resize(warps * 4 * lanes * 4 / sizeof(CacheLine));
    for (u32 n = 0; n < warps; ++n)
        for (u32 l = 0; l < lanes; ++l) {
            std::byte* rows = data_of(launch.warp_rows) + std::size_t{n} * 4 * lanes * 4;
            const u32 t = n * lanes + l;
            const u32 values[] = {t % block.x, t / block.x % block.y, t / block.x / block.y, n};
            for (u32 k = 0; k < 4; ++k) Row<u32>{rows + k * lanes * 4}.set(l, values[k]);
        }
    // A kernel that another kernel launches has no grid barrier, and the waiting kernel may be at
    // its own: leave that as it is.
    const std::array<u32, 2> workspace{24, 0};
    if (!within) std::memcpy(arena_.host(grid_workspace_), workspace.data(), sizeof workspace);

    if (options.observer != nullptr) {
        if (program.reconvergence.empty()) find_reconvergence(program);
        if (program.watched == nullptr)
            program.watched = std::make_shared<WatchedCode>(watch(program, arena_));
        for (Watched& watched : program.watched->watched) watched.tally = {};
        launch.watched = program.watched->watched.data();
        program.code.swap(program.watched->code);
        launch.code = program.code.data();
        options.observer->launch_started(launch);
    }
    launch.workers = workers_for(*work.function, options);
    run_grid(launch);
    if (options.observer != nullptr) {
        options.observer->launch_ended(launch);
        program.code.swap(program.watched->code);
    }

    release_stacks(launch);
    device_runtime.grid_ended(asked_for);
    device_runtime.executed = launch.executed;
    stats_.thread_instructions += launch.thread_instructions;
    stats_.shared_blocks += launch.shared_blocks;
    if (launch.fault && !fault_) {
        fault_ = std::move(launch.fault);
        fault_->kernel = demangled(work.function->source->name);
    }
}

}  // namespace

std::unique_ptr<Machine> Machine::create(const MachineConfig& config) {
    return std::make_unique<EmulatedMachine>(config);
}

}  // namespace cugrade::emulator
