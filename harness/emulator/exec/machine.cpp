// The device context: modules, launches, and what they leave behind.
#include "emulator/exec/machine.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "emulator/exec/decoder.hpp"
#include "emulator/exec/lane_loops.hpp"
#include "emulator/exec/observer.hpp"
#include "emulator/exec/scheduler.hpp"
#include "emulator/exec/speculation.hpp"

namespace cugrade::emulator {
namespace {

Error launch_error(std::string message, std::string remedy = {}) {
    return {
        .kind = ErrorKind::submission, .message = std::move(message), .remedy = std::move(remedy)};
}

class EmulatedMachine final : public Machine {
public:
    explicit EmulatedMachine(const MachineConfig& config)
        : config_(config), arena_(config.memory_bytes) {
        auto workspace = arena_.allocate("the grid barrier", grid_workspace_bytes);
        if (!workspace) throw HarnessFault(workspace.error());
        grid_workspace_ = *workspace;
    }

    const MachineConfig& config() const override { return config_; }
    Memory& memory() override { return arena_; }

    Result<ModuleId> load(std::unique_ptr<ptx::Module> module) override {
        auto program = std::make_unique<Program>();
        program->module = std::move(module);
        program->pool.emplace_back();  // so that its address can always be taken
        if (auto status = ModuleDecoder(*program, arena_).run(); !status) return status.error();
        programs_.push_back(std::move(program));
        return static_cast<ModuleId>(programs_.size() - 1);
    }

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
    void on_print(std::function<void(std::string_view)> print) override {
        print_ = std::move(print);
    }

private:
    static constexpr std::uint64_t grid_workspace_bytes = 256;

    [[nodiscard]] const DecodedFunction* find(ModuleId id, std::string_view name) const {
        if (id >= programs_.size()) return nullptr;
        for (const auto& f : programs_[id]->functions)
            if (f.source->is_entry && !f.source->is_declaration && f.source->name == name)
                return &f;
        return nullptr;
    }
    [[nodiscard]] Status check(const DecodedFunction&, const Dim3& grid, const Dim3& block,
                               std::uint64_t shared, std::size_t param_bytes) const;
    [[nodiscard]] Workers* workers_for(const DecodedFunction&, const LaunchOptions&);
    [[nodiscard]] std::uint64_t special(const std::string& name, const Launch&,
                                        std::uint64_t dynamic_shared_bytes) const;

    MachineConfig config_;
    Arena arena_;
    std::uint64_t grid_workspace_ = 0;
    std::vector<std::unique_ptr<Program>> programs_;
    std::optional<Fault> fault_;
    LaunchStats stats_;
    std::unique_ptr<Workers> workers_;  ///< made for the first launch that may use them
    std::function<void(std::string_view)> print_;
};

Status EmulatedMachine::check(const DecodedFunction& f, const Dim3& grid, const Dim3& block,
                              std::uint64_t shared, std::size_t param_bytes) const {
    const std::string name = demangled(f.source->name);
    if (grid.count() == 0 || block.count() == 0)
        return launch_error(
            fmt::format("launch of {} with a grid of {}x{}x{} blocks of {}x{}x{} "
                        "threads",
                        name, grid.x, grid.y, grid.z, block.x, block.y, block.z),
            "every dimension must be at least 1; return early when there is no work");
    const std::uint64_t most = f.source->max_threads != 0 ? f.source->max_threads : 1024;
    if (block.count() > 1024 || block.x > 1024 || block.y > 1024 || block.z > 64 ||
        block.count() > most)
        return launch_error(fmt::format("launch of {} with blocks of {}x{}x{} = {} threads", name,
                                        block.x, block.y, block.z, block.count()),
                            fmt::format("at most {} threads, and 1024x1024x64", most));
    if (grid.x > 0x7FFFFFFF || grid.y > 65535 || grid.z > 65535)
        return launch_error(fmt::format("launch of {} with a grid of {}x{}x{} blocks", name, grid.x,
                                        grid.y, grid.z),
                            "at most 2147483647 x 65535 x 65535 blocks");
    if (f.shared_bytes > config_.max_shared_per_block ||
        shared > config_.max_shared_per_block_optin)
        return launch_error(
            fmt::format("launch of {} with {} bytes of shared memory a block", name, shared),
            fmt::format("at most {} bytes", config_.max_shared_per_block_optin));
    if (param_bytes < f.source->param_bytes)
        return launch_error(fmt::format("launch of {} with {} bytes of parameters instead of {}",
                                        name, param_bytes, f.source->param_bytes));
    return Done{};
}

/// The threads that may share the blocks of a launch; nullptr if one thread runs it.
Workers* EmulatedMachine::workers_for(const DecodedFunction& f, const LaunchOptions& options) {
    if (config_.host_threads == 1 || options.seed != 0 || options.observer != nullptr ||
        options.schedule != Schedule::independent || f.order != BlockOrder::hidden ||
        f.is_shared_in_vain)
        return nullptr;
    const unsigned count =
        config_.host_threads != 0 ? config_.host_threads : std::thread::hardware_concurrency();
    if (count <= 1) return nullptr;
    if (workers_ == nullptr) workers_ = std::make_unique<Workers>(count);
    return workers_.get();
}

std::uint64_t EmulatedMachine::special(const std::string& name, const Launch& launch,
                                       std::uint64_t dynamic_shared_bytes) const {
    if (name == "%ntid.x") return launch.block.x;
    if (name == "%ntid.y") return launch.block.y;
    if (name == "%ntid.z") return launch.block.z;
    if (name == "%nctaid.x") return launch.grid.x;
    if (name == "%nctaid.y") return launch.grid.y;
    if (name == "%nctaid.z") return launch.grid.z;
    if (name == "%nsmid") return config_.multiprocessors;
    if (name == "%nwarpid") return 32;
    if (name == "%dynamic_smem_size") return dynamic_shared_bytes;
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
    const std::uint64_t static_shared = (f->shared_bytes + 15) / 16 * 16;
    const std::uint64_t shared =
        dynamic_shared_bytes == 0 ? f->shared_bytes : static_shared + dynamic_shared_bytes;
    if (auto status = check(*f, grid, block, shared, params.size()); !status) return status;

    const auto begin = std::chrono::steady_clock::now();
    Program& program = *programs_[id];
    const auto index = static_cast<u32>(f - program.functions.data());
    if (f->order == BlockOrder::unknown) program.functions[index].order = block_order(program, *f);
    Launch launch;
    launch.program = &program;
    launch.kernel = f;
    launch.arena = &arena_;
    launch.config = &config_;
    launch.options = &options;
    launch.print = &print_;
    launch.grid = grid;
    launch.block = block;
    launch.threads_per_block = static_cast<u32>(block.count());
    launch.shared_bytes = shared;
    launch.params = params;
    launch.ranges.resize(program.range_count);

    std::byte* pool = data_of(program.pool);
    for (const LaunchRow& row : program.launch_rows) {
        u64 value = 0;
        switch (row.kind) {
            case LaunchRow::Kind::param: {
                if (row.function != index) continue;
                const int bits = ptx::bits(row.type);
                std::memcpy(&value, params.data() + row.value, static_cast<std::size_t>(bits) / 8);
                if (ptx::is_signed(row.type) && bits < 64)
                    value = static_cast<u64>(static_cast<s64>(value << (64 - bits)) >> (64 - bits));
                break;
            }
            case LaunchRow::Kind::dynamic_shared: value = static_shared + row.value; break;
            case LaunchRow::Kind::special:
                value = special(row.name, launch, dynamic_shared_bytes);
                break;
        }
        for (u32 l = 0; l < lanes; ++l)
            std::memcpy(pool + row.offset + l * row.bytes, &value, row.bytes);
    }
    const u32 warps = (launch.threads_per_block + lanes - 1) / lanes;
    launch.warp_rows.resize(warps * 4 * lanes * 4 / sizeof(CacheLine));
    for (u32 n = 0; n < warps; ++n)
        for (u32 l = 0; l < lanes; ++l) {
            std::byte* rows = data_of(launch.warp_rows) + std::size_t{n} * 4 * lanes * 4;
            const u32 t = n * lanes + l;
            const u32 values[] = {t % block.x, t / block.x % block.y, t / block.x / block.y, n};
            for (u32 k = 0; k < 4; ++k) Row<u32>{rows + k * lanes * 4}.set(l, values[k]);
        }
    const std::array<u32, 2> workspace{24, 0};
    std::memcpy(arena_.host(grid_workspace_), workspace.data(), sizeof workspace);

    if ((options.schedule == Schedule::lockstep || options.observer != nullptr) &&
        program.reconvergence.empty())
        find_reconvergence(program);
    if (options.observer != nullptr) {
        if (program.watched == nullptr)
            program.watched = std::make_shared<WatchedCode>(watch(program, arena_));
        for (Watched& watched : program.watched->watched) watched.tally = {};
        launch.watched = program.watched->watched.data();
        program.code.swap(program.watched->code);
        launch.code = program.code.data();
        options.observer->launch_started(launch);
    }
    launch.workers = workers_for(*f, options);
    run_grid(launch);
    if (options.observer != nullptr) {
        options.observer->launch_ended(launch);
        program.code.swap(program.watched->code);
    }

    for (const auto& [stack, bytes] : launch.stacks) std::free(stack);
    stats_.warp_instructions += launch.executed;
    stats_.thread_instructions += launch.thread_instructions;
    stats_.shared_blocks += launch.shared_blocks;
    stats_.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (launch.fault) {
        fault_ = std::move(launch.fault);
        fault_->kernel = demangled(name);
    }
    return Done{};
}

}  // namespace

std::unique_ptr<Machine> Machine::create(const MachineConfig& config) {
    return std::make_unique<EmulatedMachine>(config);
}

}  // namespace cugrade::emulator
