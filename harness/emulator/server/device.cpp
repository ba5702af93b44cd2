// The services of the emulated device: its memory, and the dispatch of requests. programs.cpp loads
// and launches programs; observations.cpp reports on them.
#include "emulator/server/device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/interventions/launches.hpp"
#include "emulator/server/answers.hpp"
#include "emulator/state/limits.hpp"

namespace cugrade::emulator {
namespace {

using protocol::GraderRequest;
using protocol::Request;
using protocol::RunnerRequest;

// Limits on what a runner can make the emulator keep.
constexpr std::size_t max_buffers = std::size_t{1} << 18;
/// Programs that are kept for the next runner. Chosen: a submission has one or two.
constexpr std::size_t most_compiled = 8;
constexpr std::size_t max_unchecked_errors = 20;
constexpr std::size_t max_buffer_name = 100;

static_assert(Memory::device_base == protocol::device_first);

}  // namespace

Device::Device(const protocol::ConfigureRecord& c) : budget_(c.warp_instruction_budget) {
    config_.arch = static_cast<int>(c.device.arch);
    config_.memory_bytes = c.device.memory_bytes;
    config_.multiprocessors = c.device.multiprocessors;
    config_.resident_blocks = c.device.resident_blocks;
    config_.max_shared_per_block = c.device.max_shared_per_block;
    config_.max_shared_per_block_optin = c.device.max_shared_per_block_optin;
    config_.host_threads = static_cast<std::uint32_t>(c.host_threads);
    config_.optimise = c.optimise != 0;
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
    freed_.clear();
    launch_site_ = 0;
    modules_.clear();
    if (compiled_.size() > most_compiled) compiled_.clear();
    module_bytes_ = 0;
    kernels_.clear();
    calls_.clear();
    uses_streams_ = false;
    launches_ = 0;
    api_error_.clear();
    error_site_ = 0;
    lack_.reset();
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
    freed_.clear();
    kernels_.clear();
    calls_.clear();
    uses_streams_ = false;
    api_error_.clear();
    error_site_ = 0;
    lack_.reset();
    unchecked_errors_.clear();
}

// ---------------------------------------------------------------------------- for both of them

Answer Device::allocate(const Request& r, std::span<const std::byte> name, Owner owner) {
    if (buffers_.size() >= max_buffers)
        return Answer::failed(cudaErrorMemoryAllocation, "too many buffers are allocated");
    Memory& memory = machine_->memory();
    const std::string called(text_of(name).substr(0, max_buffer_name));
    const bool shared = owner == Owner::runner && r.value == 1;
    // Managed memory is mapped by the runner, too, as large as it has asked for.
    const std::uint64_t bytes = owner == Owner::runner && !shared
                                    ? changed_bytes(InterventionKind::allocate_bytes, r)
                                    : r.bytes;
    auto address = shared ? memory.allocate_pages(called, bytes) : memory.allocate(called, bytes);
    if (!address) return Answer::failed(cudaErrorMemoryAllocation, address.error().message);
    buffers_[*address] = {bytes, owner, called, owner == Owner::runner ? r.module : 0};
    freed_.erase(*address);
    if (owner == Owner::runner && has_kind(interventions_, InterventionKind::zero_memory))
        (void)memory.fill(*address, std::byte{0}, bytes);
    return ok(*address);
}

Answer Device::release(const Request& r, Owner owner) {
    const std::uint64_t address = r.address;
    const auto it = buffers_.find(address);
    if (it == buffers_.end() || it->second.owner != owner) {
        const char* why = it == buffers_.end()
                              ? "not the address of a live buffer"
                              : "the buffer belongs to the caller of your function";
        return Answer::failed(cudaErrorInvalidValue,
                              fmt::format("{}: {}", why, machine_->memory().describe(address)));
    }
    const Status status = machine_->memory().free(address);
    if (status) {
        if (owner == Owner::runner && freed_.size() < max_buffers)
            freed_[address] = {it->second.bytes, r.module};
        buffers_.erase(it);
    }
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
    // This is a module's variable or a mistake. Copying the range to itself changes nothing and
    // lets the memory check it.
    return answer(machine_->memory().copy(address, address, bytes), cudaErrorInvalidValue);
}

// ------------------------------------------------------------------------------ for the grader

Answer Device::serve_grader(const Request& r, std::span<const std::byte> payload) {
    switch (static_cast<GraderRequest>(r.kind)) {
        case GraderRequest::allocate: return allocate(r, payload, Owner::grader);
        case GraderRequest::release: return release(r, Owner::grader);
        case GraderRequest::write: return write(r, payload);
        case GraderRequest::read: return read(r);
        case GraderRequest::check: return check(r.address, r.bytes);
        case GraderRequest::set_seed:
            seed_ = r.value;
            api_error_.clear();
            error_site_ = 0;
            return ok();
        case GraderRequest::state: return state();
        case GraderRequest::reset:
            budget_ = r.value;
            reset();
            return ok();
        case GraderRequest::observe: return observe(r.value);
        case GraderRequest::observations: return observations(r);
        case GraderRequest::admit: return admit(payload);
        case GraderRequest::substitute: return substitute(r.value, payload);
        case GraderRequest::intervene: return intervene(payload);
        case GraderRequest::interventions: return interventions(r);
        case GraderRequest::change: return change(r.value, payload);
        case GraderRequest::configure:
        case GraderRequest::connect_runner:
        case GraderRequest::serve_runner: break;
    }
    return Answer::failed(cudaErrorInvalidValue, "unknown request");
}

// ------------------------------------------------------------------------------- for a runner

Answer Device::serve_runner(const Request& r, std::span<const std::byte> payload) {
    Answer a = answer_runner(r, payload);
    // A refused request was not done, and its numbers cannot be trusted.
    if (counters_ && a.head.error == cudaSuccess) count_host(r, payload.size());
    // What a kernel prints reaches the host as a copy would.
    if (counters_ && static_cast<RunnerRequest>(r.kind) == RunnerRequest::launch)
        host_.shown_bytes += a.payload.size();
    return a;
}

Answer Device::answer_runner(const Request& r, std::span<const std::byte> payload) {
    const auto kind = static_cast<RunnerRequest>(r.kind);
    const std::size_t limit = kind == RunnerRequest::load    ? protocol::max_module
                              : kind == RunnerRequest::write ? protocol::max_piece
                              : kind == RunnerRequest::launch || kind == RunnerRequest::check_launch
                                  ? sizeof(protocol::LaunchRecord) + protocol::max_parameters
                                  : protocol::max_name;
    if (payload.size() > limit) return Answer::failed(cudaErrorInvalidValue, "too large a request");
    switch (kind) {
        case RunnerRequest::hello: return hello();
        case RunnerRequest::load: return load(payload);
        case RunnerRequest::kernel: return kernel(r, payload);
        case RunnerRequest::symbol: return symbol(r, payload);
        case RunnerRequest::launch: return launch(payload, r.module, true);
        case RunnerRequest::check_launch: return launch(payload, r.module, false);
        case RunnerRequest::stream_seed:
            uses_streams_ = true;
            return ok((observed_ & protocol::observe_in_call_order) != 0 ||
                              has_kind(interventions_, InterventionKind::streams_waited_for)
                          ? 1
                          : seed_);
        case RunnerRequest::allocate: return allocate(r, payload, Owner::runner);
        case RunnerRequest::release: return release(r, Owner::runner);
        case RunnerRequest::check: return check(r.address, r.bytes);
        case RunnerRequest::write: {
            Answer a = write(r, payload);
            if (a.head.error == cudaSuccess)
                a.head.value = factor_of(InterventionKind::copy_bytes, r);
            return a;
        }
        case RunnerRequest::read: {
            Answer a = read(r);
            if (a.head.error == cudaSuccess)
                a.head.value = factor_of(InterventionKind::copy_bytes, r);
            if (checkers_ && a.head.error == cudaSuccess)
                checkers_->copied_to_host(r.address, r.bytes);
            return a;
        }
        case RunnerRequest::fill: return fill(r);
        case RunnerRequest::copy:
            if (checkers_) checkers_->copied_on_device(r.other, r.bytes);
            return answer(machine_->memory().copy(r.address, r.other,
                                                  changed_bytes(InterventionKind::copy_bytes, r)),
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
            if (api_error_.empty()) {
                api_error_ = text_of(payload).substr(0, protocol::max_text - 1);
                error_site_ = r.module;
            }
            if (unchecked_errors_.size() < max_unchecked_errors)
                unchecked_errors_.emplace_back(text_of(payload).substr(0, protocol::max_text - 1));
            return ok();
        case RunnerRequest::note_crash:
            // It ends the program, so it matters more than an error before it.
            api_error_ = fmt::format("host code dereferenced a device address, {}",
                                     machine_->memory().describe(r.address));
            error_site_ = r.module;
            return ok();
        case RunnerRequest::lacks: {
            const std::string_view text = text_of(payload);
            const std::size_t end = std::min(text.find('\n'), text.size());
            note_lack(fmt::format("the emulated GPU has no {}; run this on a GPU",
                                  text.substr(0, std::min<std::size_t>(end, 1000))),
                      text.substr(std::min(end + 1, text.size())),
                      static_cast<int>(std::min<std::uint64_t>(r.value, 0x7FFFFFFF)));
            return ok();
        }
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

void Device::note_lack(std::string_view message, std::string_view file, int line) {
    if (lack_ || machine_->fault()) return;  // the first failure decides
    Fault lack;
    lack.kind = FaultKind::unsupported;
    lack.message = message.substr(0, protocol::max_text - 1);
    lack.file = file.substr(0, protocol::max_text - 1);
    lack.line = line;
    lack_ = std::move(lack);
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

}  // namespace cugrade::emulator
