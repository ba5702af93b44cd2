#include "emulator/server/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulator/counts/json.hpp"
#include "emulator/exec/limits.hpp"
#include "emulator/ptx/link.hpp"
#include "emulator/ptx/parser.hpp"

namespace cugrade::emulator {
namespace {

using protocol::GraderRequest;
using protocol::Request;
using protocol::RunnerRequest;

// What a runner can make the emulator keep.
constexpr std::size_t max_buffers = std::size_t{1} << 18;
constexpr std::size_t max_kernels = std::size_t{1} << 14;
constexpr std::size_t max_modules = 256;
constexpr std::uint64_t max_module_bytes = std::uint64_t{256} << 20;
constexpr std::size_t max_unchecked_errors = 20;
// What is told of it: a program that frees nothing is told so by a few examples.
constexpr std::size_t max_never_freed = 10;

static_assert(Memory::device_base == protocol::device_first);

std::string_view text_of(std::span<const std::byte> payload) {
    return {reinterpret_cast<const char*>(payload.data()), payload.size()};
}

Answer ok(std::uint64_t value = 0, std::uint64_t value2 = 0) {
    Answer a;
    a.head.value = value;
    a.head.value2 = value2;
    return a;
}

Answer answer(const Status& status, std::uint32_t error) {
    return status ? ok() : Answer::failed(error, status.error().message);
}

template <std::size_t n>
void put(char (&to)[n], std::string_view from) {
    std::memcpy(to, from.data(), std::min(n - 1, from.size()));
}

}  // namespace

std::uint32_t cuda_error_of(const Fault& fault) {
    switch (fault.kind) {
        case FaultKind::none: return cudaSuccess;
        case FaultKind::out_of_bounds: return cudaErrorIllegalAddress;
        case FaultKind::misaligned: return cudaErrorMisalignedAddress;
        case FaultKind::deadlock:
        case FaultKind::instruction_budget: return cudaErrorLaunchTimeout;
        case FaultKind::stack_overflow: return cudaErrorHardwareStackError;
        case FaultKind::unsupported: return cudaErrorIllegalInstruction;
        case FaultKind::trap:
            return fault.message.find("ssert") != std::string::npos ? cudaErrorAssert
                                                                    : cudaErrorLaunchFailure;
        case FaultKind::barrier_divergence: break;
    }
    return cudaErrorLaunchFailure;
}

Device::Device(const protocol::ConfigureRecord& c) : budget_(c.warp_instruction_budget) {
    config_.arch = static_cast<int>(c.device.arch);
    config_.memory_bytes = c.device.memory_bytes;
    config_.multiprocessors = c.device.multiprocessors;
    config_.resident_blocks = c.device.resident_blocks;
    config_.max_shared_per_block = c.device.max_shared_per_block;
    config_.max_shared_per_block_optin = c.device.max_shared_per_block_optin;
    config_.host_threads = static_cast<std::uint32_t>(c.host_threads);
    reset();
}

void Device::reset() {
    checkers_.reset();
    machine_ = Machine::create(config_);
    machine_->on_print([this](std::string_view text) {
        const std::size_t room = protocol::max_printed - printed_.size();
        printed_.append(text.substr(0, room));
        printed_lost_ += text.size() - std::min(room, text.size());
    });
    buffers_.clear();
    modules_.clear();
    module_bytes_ = 0;
    kernels_.clear();
    launches_ = 0;
    api_error_.clear();
    unchecked_errors_.clear();
    (void)observe(observed_);
}

void Device::forget_runner() {
    for (auto it = buffers_.begin(); it != buffers_.end();) {
        if (it->second.owner != Owner::runner) {
            ++it;
            continue;
        }
        (void)machine_->memory().free(it->first);
        it = buffers_.erase(it);
    }
    kernels_.clear();
    api_error_.clear();
    unchecked_errors_.clear();
}

// ---------------------------------------------------------------------------- for both of them

Answer Device::allocate(const Request& r, std::span<const std::byte> name, Owner owner) {
    if (buffers_.size() >= max_buffers)
        return Answer::failed(cudaErrorMemoryAllocation, "too many buffers are allocated");
    Memory& memory = machine_->memory();
    auto address = owner == Owner::runner && r.value == 1
                       ? memory.allocate_pages(std::string(text_of(name)), r.bytes)
                       : memory.allocate(std::string(text_of(name)), r.bytes);
    if (!address) return Answer::failed(cudaErrorMemoryAllocation, address.error().message);
    buffers_[*address] = {
        r.bytes, owner,
        std::string(owner == Owner::runner ? text_of(name).substr(0, 100) : std::string_view())};
    return ok(*address);
}

Answer Device::release(std::uint64_t address, Owner owner) {
    const auto it = buffers_.find(address);
    if (it == buffers_.end() || it->second.owner != owner) {
        const char* why = it == buffers_.end()
                              ? "not the address of a live buffer"
                              : "the buffer belongs to the caller of your function";
        return Answer::failed(cudaErrorInvalidValue,
                              fmt::format("{}: {}", why, machine_->memory().describe(address)));
    }
    const Status status = machine_->memory().free(address);
    if (status) buffers_.erase(it);
    return answer(status, cudaErrorInvalidValue);
}

Answer Device::write(const Request& r, std::span<const std::byte> payload) {
    return answer(machine_->memory().write(r.address, payload), cudaErrorInvalidValue);
}

Answer Device::read(const Request& r) {
    if (r.bytes > protocol::max_piece)
        return Answer::failed(cudaErrorInvalidValue, "more than one piece was asked for");
    Answer a;
    a.payload.resize(r.bytes);
    const Status status = machine_->memory().read(r.address, a.payload);
    return status ? a : answer(status, cudaErrorInvalidValue);
}

Answer Device::check(std::uint64_t address, std::uint64_t bytes) {
    auto after = buffers_.upper_bound(address);
    if (after != buffers_.begin()) {
        const auto& [start, buffer] = *std::prev(after);
        const std::uint64_t offset = address - start;
        if (offset <= buffer.bytes && bytes <= buffer.bytes - offset) return ok();
    }
    // A module's variable, or a mistake: let the memory say which. To copy a range to itself
    // changes nothing.
    return answer(machine_->memory().copy(address, address, bytes), cudaErrorInvalidValue);
}

// ------------------------------------------------------------------------------ for the grader

Answer Device::serve_grader(const Request& r, std::span<const std::byte> payload) {
    switch (static_cast<GraderRequest>(r.kind)) {
        case GraderRequest::allocate: return allocate(r, payload, Owner::grader);
        case GraderRequest::release: return release(r.address, Owner::grader);
        case GraderRequest::write: return write(r, payload);
        case GraderRequest::read: return read(r);
        case GraderRequest::check: return check(r.address, r.bytes);
        case GraderRequest::set_seed:
            seed_ = r.value;
            api_error_.clear();
            return ok();
        case GraderRequest::state: return state();
        case GraderRequest::reset: reset(); return ok();
        case GraderRequest::observe: return observe(r.value);
        case GraderRequest::observations: return observations(r);
        case GraderRequest::configure:
        case GraderRequest::connect_runner: break;
    }
    return Answer::failed(cudaErrorInvalidValue, "unknown request");
}

Answer Device::observe(std::uint64_t what) {
    constexpr std::uint64_t all =
        protocol::observe_counters | protocol::observe_checkers | protocol::observe_timing;
    if ((what & ~all) != 0) return Answer::failed(cudaErrorInvalidValue, "unknown observer");
    observed_ = what;
    observers_.clear();
    counters_.reset();
    timing_.reset();
    checkers_.reset();
    host_ = {};
    if ((what & protocol::observe_counters) != 0) {
        counters_ = std::make_unique<Counters>();
        observers_.add(*counters_);
    }
    if ((what & protocol::observe_timing) != 0) {
        timing_ = std::make_unique<TimingCounters>();
        observers_.add(*timing_);
    }
    if ((what & protocol::observe_checkers) != 0) {
        checkers_ = std::make_unique<Checkers>(machine_->memory());
        observers_.add(*checkers_);
    }
    return ok();
}

/// Those of the kernels, then what can be said of the host when the program has ended.
FindingList Device::findings() const {
    FindingList list{checkers_->findings().all(), checkers_->findings().dropped()};
    if (machine_->fault()) return list;  // every call fails after that, cudaFree too
    for (const std::string& error : unchecked_errors_) {
        Finding f;
        f.kind = FindingKind::unchecked_error;
        f.message =
            error +
            "; the program never asked for it (cudaGetLastError, cudaGetErrorString): check "
            "what every call returns, and cudaGetLastError() after a launch";
        list.all.push_back(std::move(f));
    }
    std::size_t told = 0;
    for (const auto& [address, buffer] : buffers_) {
        if (buffer.owner != Owner::runner) continue;
        if (told++ == max_never_freed) {
            ++list.dropped;
            --told;
            continue;
        }
        Finding f;
        f.kind = FindingKind::never_freed;
        f.buffer = fmt::format("`{}` ({} byte{})", buffer.name, buffer.bytes,
                               buffer.bytes == 1 ? "" : "s");
        f.message = f.buffer + " was never freed";
        list.all.push_back(std::move(f));
    }
    return list;
}

DeviceCounts Device::counts() const {
    DeviceCounts all{counters_->kernels(), host_};
    if (timing_)
        for (KernelCounts& kernel : all.kernels)
            if (const auto timing = timing_->kernels().find(kernel.kernel);
                timing != timing_->kernels().end())
                kernel.timing = timing->second;
    return all;
}

Answer Device::observations(const Request& r) {
    if (r.address == 0) {
        if (r.value == protocol::observe_counters && counters_)
            observations_ = to_json(counts());
        else if (r.value == protocol::observe_checkers && checkers_)
            observations_ = to_json(findings());
        else
            return Answer::failed(cudaErrorInvalidValue, "that was not observed");
    }
    if (r.address > observations_.size() || r.bytes > protocol::max_piece)
        return Answer::failed(cudaErrorInvalidValue, "not a piece of what was observed");
    Answer a = ok(observations_.size());
    a.append_text(std::string_view(observations_).substr(r.address, r.bytes));
    return a;
}

Answer Device::state() const {
    protocol::StateRecord s;
    if (const auto& fault = machine_->fault()) {
        s.fault_kind = static_cast<std::uint32_t>(fault->kind);
        s.spinning = fault->spinning ? 1 : 0;
        for (std::size_t i = 0; i < 3; ++i) {
            s.block[i] = fault->block[i];
            s.thread[i] = fault->thread[i];
        }
        s.line = fault->line;
        s.column = fault->column;
        s.address = fault->address;
        put(s.message, fault->message);
        put(s.kernel, fault->kernel);
        put(s.file, fault->file);
    }
    const LaunchStats& stats = machine_->stats();
    s.warp_instructions = stats.warp_instructions;
    s.thread_instructions = stats.thread_instructions;
    s.seconds = stats.seconds;
    s.launches = launches_;
    put(s.api_error, api_error_);
    Answer a;
    a.append(s);
    return a;
}

// ------------------------------------------------------------------------------- for a runner

void Device::count_host(const Request& r, std::size_t payload_bytes) {
    switch (static_cast<RunnerRequest>(r.kind)) {
        case RunnerRequest::allocate: ++host_.allocations; break;
        case RunnerRequest::release: ++host_.releases; break;
        case RunnerRequest::write:
            ++host_.writes;
            host_.written_bytes += payload_bytes;
            break;
        case RunnerRequest::read:
            ++host_.reads;
            host_.read_bytes += r.bytes;
            break;
        case RunnerRequest::copy:
            ++host_.copies;
            host_.copied_bytes += r.bytes;
            break;
        case RunnerRequest::fill:
            ++host_.fills;
            host_.filled_bytes += r.bytes;
            break;
        default: break;
    }
}

Answer Device::serve_runner(const Request& r, std::span<const std::byte> payload) {
    if (counters_) count_host(r, payload.size());
    const auto kind = static_cast<RunnerRequest>(r.kind);
    const std::size_t limit = kind == RunnerRequest::load    ? protocol::max_module
                              : kind == RunnerRequest::write ? protocol::max_piece
                              : kind == RunnerRequest::launch
                                  ? sizeof(protocol::LaunchRecord) + protocol::max_parameters
                                  : protocol::max_name;
    if (payload.size() > limit) return Answer::failed(cudaErrorInvalidValue, "too large a request");
    switch (kind) {
        case RunnerRequest::hello: return hello();
        case RunnerRequest::load: return load(payload);
        case RunnerRequest::kernel: return kernel(r, payload);
        case RunnerRequest::symbol: return symbol(r, payload);
        case RunnerRequest::launch: return launch(payload);
        case RunnerRequest::allocate: return allocate(r, payload, Owner::runner);
        case RunnerRequest::release: return release(r.address, Owner::runner);
        case RunnerRequest::check: return check(r.address, r.bytes);
        case RunnerRequest::write: return write(r, payload);
        case RunnerRequest::read: {
            Answer a = read(r);
            if (checkers_ && a.head.error == cudaSuccess)
                checkers_->copied_to_host(r.address, r.bytes);
            return a;
        }
        case RunnerRequest::fill:
            return answer(
                machine_->memory().fill(r.address, static_cast<std::byte>(r.value), r.bytes),
                cudaErrorInvalidValue);
        case RunnerRequest::copy:
            return answer(machine_->memory().copy(r.address, r.other, r.bytes),
                          cudaErrorInvalidValue);
        case RunnerRequest::memory_info: {
            const Memory& m = machine_->memory();
            return ok(m.total() - std::min(m.used(), m.total()), m.total());
        }
        case RunnerRequest::describe: {
            Answer a;
            a.append_text(std::string_view(machine_->memory().describe(r.address))
                              .substr(0, protocol::max_text));
            return a;
        }
        case RunnerRequest::note_error:
            if (api_error_.empty()) api_error_ = text_of(payload).substr(0, protocol::max_text - 1);
            if (unchecked_errors_.size() < max_unchecked_errors)
                unchecked_errors_.emplace_back(text_of(payload).substr(0, protocol::max_text - 1));
            return ok();
        case RunnerRequest::errors_seen: unchecked_errors_.clear(); return ok();
        case RunnerRequest::share: {
            auto fd = machine_->memory().share(r.address);
            if (!fd) return Answer::failed(cudaErrorMemoryAllocation, fd.error().message);
            Answer a = ok();
            a.descriptor = *fd;
            return a;
        }
    }
    return Answer::failed(cudaErrorInvalidValue, "unknown request");
}

Answer Device::hello() const {
    Answer a;
    a.append(protocol::DeviceInfo{
        .arch = static_cast<std::uint32_t>(config_.arch),
        .multiprocessors = config_.multiprocessors,
        .resident_blocks = config_.resident_blocks,
        .max_shared_per_block = config_.max_shared_per_block,
        .max_shared_per_block_optin = config_.max_shared_per_block_optin,
        .resident_threads = resident_threads(config_.arch),
        .memory_bytes = config_.memory_bytes,
    });
    return a;
}

/// The PTX of one container that is best for this device; nothing if there is none.
Result<std::optional<ptx::FatbinPtx>> Device::choose(std::span<const std::byte> container,
                                                     std::string& others) const {
    auto entries = ptx::read_container(container);
    if (!entries) return entries.error();
    std::optional<ptx::FatbinPtx> best;
    for (ptx::FatbinPtx& e : *entries) {
        others += fmt::format(" compute_{}", e.arch);
        if (e.arch <= config_.arch && (!best || e.arch > best->arch)) best = std::move(e);
    }
    return best;
}

Answer Device::load(std::span<const std::byte> containers) {
    module_bytes_ += containers.size();
    if (modules_.size() >= max_modules || module_bytes_ > max_module_bytes)
        return Answer::failed(cudaErrorMemoryAllocation, "too many modules are loaded");
    std::vector<std::unique_ptr<ptx::Module>> parts;
    std::string others;
    int arch = 0;
    while (!containers.empty()) {
        const auto size = ptx::container_size(containers);
        if (!size) return Answer::failed(cudaErrorNoKernelImageForDevice, size.error().text());
        if (*size > containers.size())
            return Answer::failed(cudaErrorNoKernelImageForDevice,
                                  "damaged fat binary: it is cut off");
        auto best = choose(containers.first(*size), others);
        if (!best) return Answer::failed(cudaErrorNoKernelImageForDevice, best.error().text());
        containers = containers.subspan(*size);
        if (!*best) continue;  // a library for newer devices, or there is an error below
        module_bytes_ += (*best)->text.size();
        if (module_bytes_ > max_module_bytes)
            return Answer::failed(cudaErrorMemoryAllocation, "too many modules are loaded");
        arch = std::max(arch, (*best)->arch);
        auto module = ptx::parse(std::move((*best)->text), "the program's PTX");
        if (!module) return Answer::failed(cudaErrorInvalidPtx, module.error().text());
        parts.push_back(std::move(*module));
    }
    if (parts.empty())
        return Answer::failed(
            cudaErrorNoKernelImageForDevice,
            others.empty()
                ? fmt::format("the program holds no PTX; compile with nvcc "
                              "-gencode arch=compute_{0},code=compute_{0}",
                              config_.arch)
                : fmt::format("the program's PTX is for{}, but this device is compute_{}", others,
                              config_.arch));
    auto module = ptx::link(std::move(parts));
    if (!module) return Answer::failed(cudaErrorInvalidPtx, module.error().text());
    auto id = machine_->load(std::move(*module));
    if (!id) return Answer::failed(cudaErrorInvalidPtx, id.error().text());
    modules_.push_back({*id, arch});
    return ok(modules_.size() - 1);
}

Answer Device::kernel(const Request& r, std::span<const std::byte> payload) {
    if (r.module >= modules_.size() || kernels_.size() >= max_kernels)
        return Answer::failed(cudaErrorInvalidDeviceFunction, "no such module");
    const std::string_view name = text_of(payload);
    const Loaded& module = modules_[r.module];
    auto info = machine_->kernel(module.module, name);
    if (!info)
        return Answer::failed(
            cudaErrorInvalidDeviceFunction,
            fmt::format("the module has no kernel {}", demangled(name).substr(0, 1000)));
    Answer a = ok(kernels_.size());
    a.append(protocol::KernelRecord{
        .param_bytes = info->param_bytes,
        .static_shared = info->static_shared_bytes,
        .local_bytes = info->local_bytes,
        .registers = info->registers,
        .max_threads = info->max_threads,
        .ptx_arch = static_cast<std::uint32_t>(module.arch),
        .parameter_count = static_cast<std::uint32_t>(info->params.size()),
    });
    for (const ptx::Parameter& p : info->params)
        a.append(protocol::ParameterRecord{static_cast<std::uint32_t>(p.offset),
                                           static_cast<std::uint32_t>(p.bytes)});
    kernels_.push_back({module.module, std::string(name), std::move(*info)});
    return a;
}

Answer Device::symbol(const Request& r, std::span<const std::byte> payload) {
    if (r.module >= modules_.size())
        return Answer::failed(cudaErrorInvalidSymbol, "no such module");
    const std::string_view name = text_of(payload);
    const auto symbol = machine_->symbol(modules_[r.module].module, name);
    if (!symbol)
        return Answer::failed(cudaErrorInvalidSymbol, fmt::format("the module has no variable {}",
                                                                  demangled(name).substr(0, 1000)));
    return ok(symbol->address, symbol->bytes);
}

/// The limits that hardware checks before it starts a kernel, with the error that it gives.
std::optional<Answer> Device::refuse(const protocol::LaunchRecord& l, const KernelInfo& info,
                                     std::size_t parameter_bytes) const {
    const auto shape = [](const std::uint32_t(&d)[3]) {
        return fmt::format("({}, {}, {})", d[0], d[1], d[2]);
    };
    const std::uint64_t threads = std::uint64_t{l.block[0]} * l.block[1];  // at most 2^64
    if (l.grid[0] == 0 || l.grid[1] == 0 || l.grid[2] == 0 || l.grid[0] > 0x7FFFFFFF ||
        l.grid[1] > 65535 || l.grid[2] > 65535)
        return Answer::failed(cudaErrorInvalidConfiguration,
                              fmt::format("a grid of {} blocks: each number must be at least 1, "
                                          "and at most (2147483647, 65535, 65535)",
                                          shape(l.grid)));
    if (l.block[0] == 0 || l.block[1] == 0 || l.block[2] == 0 || l.block[2] > 64 ||
        threads > 1024 || threads * l.block[2] > 1024)
        return Answer::failed(cudaErrorInvalidConfiguration,
                              fmt::format("a block of {} threads: each number must be at least 1, "
                                          "the last at most 64, and their product at most 1024",
                                          shape(l.block)));
    const std::uint64_t in_block = threads * l.block[2];
    if (in_block > info.max_threads)
        return Answer::failed(cudaErrorLaunchOutOfResources,
                              fmt::format("{} threads per block, but the kernel's "
                                          "__launch_bounds__ allow {}",
                                          in_block, info.max_threads));
    const std::uint64_t most = std::min<std::uint64_t>(
        std::max<std::uint64_t>(
            config_.max_shared_per_block,
            info.static_shared_bytes + std::min<std::uint64_t>(l.dynamic_shared_limit, 1u << 30)),
        config_.max_shared_per_block_optin);
    const std::uint64_t shared = std::min<std::uint64_t>(l.dynamic_shared, std::uint64_t{1} << 40) +
                                 info.static_shared_bytes;
    if (shared > most)
        return Answer::failed(cudaErrorInvalidValue,
                              fmt::format("{} bytes of shared memory per block, more than the {} "
                                          "that the kernel may use",
                                          shared, most));
    if (parameter_bytes != info.param_bytes)
        return Answer::failed(cudaErrorInvalidValue, "the parameters do not fit the kernel");
    if (l.cooperative != 0) {
        const std::uint64_t per_multiprocessor = std::min<std::uint64_t>(
            config_.resident_blocks, resident_threads(config_.arch) / ((in_block + 31) / 32 * 32));
        const std::uint64_t resident = per_multiprocessor * config_.multiprocessors;
        if (std::uint64_t{l.grid[0]} * l.grid[1] * l.grid[2] > resident)
            return Answer::failed(cudaErrorCooperativeLaunchTooLarge,
                                  fmt::format("a cooperative grid of {} blocks; {} fit on the "
                                              "device at once",
                                              shape(l.grid), resident));
    }
    return {};
}

Answer Device::launch(std::span<const std::byte> payload) {
    protocol::LaunchRecord l;
    if (payload.size() < sizeof l)
        return Answer::failed(cudaErrorInvalidValue, "too short a request");
    std::memcpy(&l, payload.data(), sizeof l);
    const auto parameters = payload.subspan(sizeof l);
    if (l.kernel >= kernels_.size())
        return Answer::failed(cudaErrorInvalidDeviceFunction, "no such kernel");
    const Kernel& k = kernels_[l.kernel];
    if (auto refusal = refuse(l, k.info, parameters.size())) return *std::move(refusal);
    if (machine_->fault())
        return Answer::failed(cuda_error_of(*machine_->fault()), "an earlier kernel has failed");
    printed_.clear();
    printed_lost_ = 0;
    ++launches_;
    const Status status =
        machine_->launch(k.module, k.name, {l.grid[0], l.grid[1], l.grid[2]},
                         {l.block[0], l.block[1], l.block[2]}, l.dynamic_shared, parameters,
                         {.seed = seed_,
                          .warp_instruction_budget = budget_,
                          .observer = observers_.empty() ? nullptr : &observers_,
                          .pending_launches = static_cast<std::uint32_t>(
                              std::min(l.pending_launches, protocol::max_pending_launches))});
    if (api_error_.empty()) api_error_ = machine_->device_error().substr(0, protocol::max_text - 1);
    if (!status) return Answer::failed(cudaErrorInvalidConfiguration, status.error().message);
    Answer a =
        ok(machine_->fault() ? cuda_error_of(*machine_->fault()) : cudaSuccess, printed_lost_);
    a.append_text(printed_);
    return a;
}

}  // namespace cugrade::emulator
