// Loads and launches a runner's programs: the PTX that fits the device, its kernels and symbols,
// and the limits that hardware checks before a kernel starts.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulator/interventions/code_change.hpp"
#include "emulator/interventions/launches.hpp"
#include "emulator/ptx/link.hpp"
#include "emulator/ptx/parser.hpp"
#include "emulator/server/answers.hpp"
#include "emulator/server/device.hpp"
#include "emulator/state/limits.hpp"

namespace cugrade::emulator {
namespace {

using protocol::Request;

// Limits on what a runner can make the emulator keep.
constexpr std::size_t max_kernels = std::size_t{1} << 14;
constexpr std::size_t max_modules = 256;
constexpr std::size_t max_sites = 64;  ///< of one kernel's launches
/// Bytes of a launch's parameters that are kept, to say what could be exchanged. Chosen: more than
/// anybody passes; a runner may launch many kernels.
constexpr std::size_t most_kept_parameters = 1024;
constexpr std::uint64_t max_module_bytes = std::uint64_t{256} << 20;

std::vector<std::byte> kept_of(std::span<const std::byte> parameters) {
    const auto kept = parameters.first(std::min(parameters.size(), most_kept_parameters));
    return {kept.begin(), kept.end()};
}

Children children_of(std::span<const Intervention> made) {
    return has_kind(made, InterventionKind::children_first)     ? Children::at_once
           : has_kind(made, InterventionKind::children_in_tail) ? Children::in_tail
                                                                : Children::in_any_order;
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

Answer Device::admit(std::span<const std::byte> piece) {
    if (!admitted_) admitted_.emplace();
    if (admitted_->size() + piece.size() > max_module_bytes)
        return Answer::failed(cudaErrorMemoryAllocation, "the program has too much device code");
    admitted_->insert(admitted_->end(), piece.begin(), piece.end());
    return ok();
}

Answer Device::substitute(std::size_t container, std::span<const std::byte> piece) {
    std::string& text = substitutes_[container];
    if (text.size() + piece.size() > max_module_bytes)
        return Answer::failed(cudaErrorMemoryAllocation, "the program has too much device code");
    text += text_of(piece);
    return ok();
}

/// Which of the admitted containers it is as a whole: each of them may hold bytes that look like
/// another.
std::size_t Device::number_of(std::span<const std::byte> container) const {
    std::size_t number = 0;
    for (std::span<const std::byte> rest = *admitted_; !rest.empty(); ++number) {
        const auto size = ptx::container_size(rest);
        if (!size || *size > rest.size()) return not_admitted;
        if (std::ranges::equal(rest.first(*size), container)) return number;
        rest = rest.subspan(*size);
    }
    return not_admitted;
}

Device::Read Device::read_program(std::span<const std::byte> containers) {
    Read read;
    const auto refuse = [&read](std::uint32_t error, std::string why) {
        read.refusal = Answer::failed(error, std::move(why));
        return std::move(read);
    };
    std::vector<std::unique_ptr<ptx::Module>> parts;
    std::string others;
    while (!containers.empty()) {
        const auto size = ptx::container_size(containers);
        if (!size) return refuse(cudaErrorNoKernelImageForDevice, size.error().text());
        if (*size > containers.size())
            return refuse(cudaErrorNoKernelImageForDevice, "damaged fat binary: it is cut off");
        const std::size_t number = admitted_ ? number_of(containers.first(*size)) : 0;
        if (number == not_admitted)
            return refuse(cudaErrorInvalidKernelImage,
                          "this device code is not part of the program that was compiled: "
                          "it was made or changed while the program ran, so that nobody has "
                          "checked what it may use");
        auto best = choose(containers.first(*size), others);
        if (!best) return refuse(cudaErrorNoKernelImageForDevice, best.error().text());
        containers = containers.subspan(*size);
        if (!*best) continue;  // a library for newer devices; if nothing fits, the error is below
        if (const auto other = substitutes_.find(number); other != substitutes_.end())
            (*best)->text = other->second;
        module_bytes_ += (*best)->text.size();
        if (module_bytes_ > max_module_bytes)
            return refuse(cudaErrorMemoryAllocation, "too many modules are loaded");
        read.arch = std::max(read.arch, (*best)->arch);
        auto module = ptx::parse(std::move((*best)->text), "the program's PTX");
        if (!module) {  // nvcc made it, so PTX that cannot be read is the emulator's gap
            note_lack("the emulated GPU cannot read this program's PTX (" + module.error().text() +
                          "); run this on a GPU",
                      {}, 0);
            return refuse(cudaErrorInvalidPtx, module.error().text());
        }
        parts.push_back(std::move(*module));
    }
    if (parts.empty())
        return refuse(cudaErrorNoKernelImageForDevice,
                      others.empty()
                          ? fmt::format("the program holds no PTX; compile with nvcc "
                                        "-gencode arch=compute_{0},code=compute_{0}",
                                        config_.arch)
                          : fmt::format("the program's PTX is for{}, but this device is compute_{}",
                                        others, config_.arch));
    auto module = ptx::link(std::move(parts));
    if (!module) return refuse(cudaErrorInvalidPtx, module.error().text());
    read.module = std::move(*module);
    return read;
}

/// Null, with the refusal, if it cannot be read.
Device::Compiled* Device::compiled_of(std::span<const std::byte> containers, Read& read) {
    for (const auto& one : compiled_)
        if (std::ranges::equal(one->containers, containers)) return one.get();
    read = read_program(containers);
    if (!read.module) return nullptr;
    const std::shared_ptr<const ptx::Module> module = std::move(read.module);
    compiled_.push_back(
        std::make_unique<Compiled>(std::vector(containers.begin(), containers.end()), module,
                                   read.arch, ListedChanges(*module)));
    return compiled_.back().get();
}

Answer Device::load(std::span<const std::byte> containers) {
    module_bytes_ += containers.size();
    if (modules_.size() >= max_modules || module_bytes_ > max_module_bytes)
        return Answer::failed(cudaErrorMemoryAllocation, "too many modules are loaded");
    Read read;
    Loaded loaded;
    if (experiments_) {
        loaded.compiled = compiled_of(containers, read);
        if (loaded.compiled == nullptr) return std::move(read.refusal);
        read.module = ptx::copy_of(loaded.compiled->module);
        read.arch = loaded.compiled->arch;
        change_code(*read.module, interventions_, loaded.compiled->listed);
    } else {
        read = read_program(containers);
        if (!read.module) return std::move(read.refusal);
    }
    loaded.arch = read.arch;
    if (const Status room = machine_->room_for(*read.module); !room)
        return Answer::failed(cudaErrorMemoryAllocation, room.error().message);
    auto id = machine_->load(std::move(read.module));
    if (!id) return Answer::failed(cudaErrorInvalidPtx, id.error().text());
    loaded.module = *id;
    modules_.push_back(std::move(loaded));
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

/// Checks the limits that hardware checks before it starts a kernel, and gives the same errors.
std::optional<Answer> Device::refuse(const protocol::LaunchRecord& l, const KernelInfo& info,
                                     std::size_t parameter_bytes) const {
    const auto shape = [](const std::uint32_t(&d)[3]) {
        return fmt::format("({}, {}, {})", d[0], d[1], d[2]);
    };
    const Dim3 grid{l.grid[0], l.grid[1], l.grid[2]}, block{l.block[0], l.block[1], l.block[2]};
    const std::uint64_t in_block = block.count();
    if (l.grid[0] == 0 || l.grid[1] == 0 || l.grid[2] == 0 || l.grid[0] > 0x7FFFFFFF ||
        l.grid[1] > 65535 || l.grid[2] > 65535)
        return Answer::failed(cudaErrorInvalidConfiguration,
                              fmt::format("a grid of {} blocks: each number must be at least 1, "
                                          "and at most (2147483647, 65535, 65535)",
                                          shape(l.grid)));
    if (l.block[0] == 0 || l.block[1] == 0 || l.block[2] == 0 || l.block[2] > 64 || in_block > 1024)
        return Answer::failed(cudaErrorInvalidConfiguration,
                              fmt::format("a block of {} threads: each number must be at least 1, "
                                          "the last at most 64, and their product at most 1024",
                                          shape(l.block)));
    if (in_block > info.max_threads)
        return Answer::failed(cudaErrorLaunchOutOfResources,
                              fmt::format("{} threads per block, but the kernel's "
                                          "__launch_bounds__ allow {}",
                                          in_block, info.max_threads));
    const std::uint64_t asked_for =
        (Checked(info.static_shared_bytes) + l.dynamic_shared_limit).or_largest();
    const std::uint64_t most =
        std::min<std::uint64_t>(std::max<std::uint64_t>(config_.max_shared_per_block, asked_for),
                                config_.max_shared_per_block_optin);
    const std::uint64_t shared =
        (Checked(info.static_shared_bytes) + l.dynamic_shared).or_largest();
    if (shared > most)
        return Answer::failed(cudaErrorInvalidValue,
                              fmt::format("{} bytes of shared memory per block, more than the {} "
                                          "that the kernel may use",
                                          shared, most));
    if (parameter_bytes != info.param_bytes)
        return Answer::failed(cudaErrorInvalidValue, "the parameters do not fit the kernel");
    if (l.cooperative != 0) {
        const std::uint64_t on_one =
            protocol::resident_blocks(
                multiprocessor_of(config_), in_block,
                protocol::shared_bytes_of_block(info.static_shared_bytes, l.dynamic_shared))
                .count;
        const std::uint64_t resident = on_one * config_.multiprocessors;
        if (grid.count() > resident)
            return Answer::failed(
                cudaErrorCooperativeLaunchTooLarge,
                fmt::format("a cooperative grid of {} blocks of {} threads; {} fit on the device "
                            "at once, {} on each of its {} multiprocessors: launch as many as "
                            "cudaOccupancyMaxActiveBlocksPerMultiprocessor says times "
                            "cudaDevAttrMultiProcessorCount",
                            shape(l.grid), in_block, resident, on_one, config_.multiprocessors));
    }
    return {};
}

/// Checks a launch and, if it is to `run`, does it.
Answer Device::launch(std::span<const std::byte> payload, std::uint32_t site, bool run) {
    protocol::LaunchRecord l;
    if (payload.size() < sizeof l)
        return Answer::failed(cudaErrorInvalidValue, "too short a request");
    std::memcpy(&l, payload.data(), sizeof l);
    std::span<const std::byte> parameters = payload.subspan(sizeof l);
    if (l.kernel >= kernels_.size())
        return Answer::failed(cudaErrorInvalidDeviceFunction, "no such kernel");
    Kernel& k = kernels_[l.kernel];
    if (k.launched.size() < max_sites)
        k.launched.try_emplace(site, Kernel::Launched{l, kept_of(parameters)});
    change_launch(l, k.name, site, interventions_);
    std::vector<std::byte> changed;
    if (has_kind(interventions_, InterventionKind::numbers_exchanged)) {
        changed.assign(parameters.begin(), parameters.end());
        exchange_numbers(changed, k.name, site, interventions_);
        parameters = changed;
    }
    if (auto refusal = refuse(l, k.info, parameters.size())) return *std::move(refusal);
    if (machine_->fault())
        return Answer::failed(cuda_error_of(*machine_->fault()), "an earlier kernel has failed");
    if (!run) return ok();
    printed_.clear();
    printed_lost_ = 0;
    ++launches_;
    // A thread of the host that looks on while a kernel runs could see any number of values in one
    // place.
    if (counters_) machine_->memory().hide_stores();
    const Status status =
        machine_->launch(k.module, k.name, {l.grid[0], l.grid[1], l.grid[2]},
                         {l.block[0], l.block[1], l.block[2]}, l.dynamic_shared, parameters,
                         {.seed = seed_,
                          .warp_instruction_budget = budget_,
                          .find_deadlocks = checkers_ != nullptr,
                          .observer = observers_.empty() ? nullptr : &observers_,
                          .zero_shared = has_kind(interventions_, InterventionKind::zero_shared),
                          .children = children_of(interventions_),
                          .is_cooperative = l.cooperative != 0,
                          .pending_launches = static_cast<std::uint32_t>(
                              std::min(l.pending_launches, protocol::max_pending_launches))});
    if (counters_) machine_->memory().show_stores();
    if (machine_->fault()) launch_site_ = site;
    if (api_error_.empty()) api_error_ = machine_->device_error().substr(0, protocol::max_text - 1);
    if (!status) return Answer::failed(cudaErrorInvalidConfiguration, status.error().message);
    Answer a =
        ok(machine_->fault() ? cuda_error_of(*machine_->fault()) : cudaSuccess, printed_lost_);
    a.append_text(printed_);
    return a;
}

}  // namespace cugrade::emulator
