// Reports a program's faults, findings and counts to the grader.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "emulator/counts/json.hpp"
#include "emulator/server/answers.hpp"
#include "emulator/server/device.hpp"

namespace cugrade::emulator {
namespace {

using protocol::Request;
using protocol::RunnerRequest;

// Limits the findings about a program that frees nothing: a few examples are enough.
constexpr std::size_t max_never_freed = 10;

template <std::size_t n>
void put(char (&to)[n], std::string_view from) {
    std::memcpy(to, from.data(), std::min(n - 1, from.size()));
}

}  // namespace

Answer Device::observe(std::uint64_t what) {
    constexpr std::uint64_t all = protocol::observe_counters | protocol::observe_checkers |
                                  protocol::observe_timing | protocol::observe_in_call_order |
                                  protocol::observe_wrong_result;
    if ((what & ~all) != 0) return Answer::failed(cudaErrorInvalidValue, "unknown observer");
    observed_ = what;
    observers_.clear();
    counters_.reset();
    timing_.reset();
    checkers_.reset();
    host_ = {};
    if ((what & protocol::observe_counters) != 0) {
        counters_ = std::make_unique<Counters>(&machine_->memory());
        observers_.add(*counters_);
    }
    if ((what & protocol::observe_timing) != 0) {
        timing_ = std::make_unique<TimingCounters>();
        observers_.add(*timing_);
    }
    if ((what & protocol::observe_checkers) != 0) {
        checkers_ = std::make_unique<Checkers>(machine_->memory(),
                                               (what & protocol::observe_wrong_result) != 0);
        observers_.add(*checkers_);
    }
    return ok();
}

/// The findings of the kernels, then those of the host, which are known when the program has ended.
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
    const auto own = [&](std::uint64_t address) -> std::optional<std::uint64_t> {
        const auto behind = buffers_.upper_bound(address);
        if (behind == buffers_.begin()) return std::nullopt;
        const auto& [begin, buffer] = *std::prev(behind);
        if (buffer.owner != Owner::runner || address - begin >= buffer.bytes) return std::nullopt;
        return begin;
    };
    for (Finding& f : checkers_->unread(own)) list.all.push_back(std::move(f));
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
    DeviceCounts all{counters_->kernels(), host_, {}, counters_->distinct_bytes()};
    all.host.shown_bytes += counters_->shown_bytes();
    const Counters::Transfers& transfers = counters_->transfers();
    all.host.copies = transfers.copies;
    all.host.copied_bytes = transfers.copied_bytes;
    all.host.fills = transfers.fills;
    all.host.filled_bytes = transfers.filled_bytes;
    for (const auto& [address, buffer] : buffers_) {
        if (buffer.owner != Owner::grader) continue;
        const Counters::Coverage of = counters_->coverage_of(address, buffer.bytes);
        all.buffers.push_back({buffer.name, buffer.bytes, of.read_bytes, of.stored_bytes});
    }
    if (timing_)
        for (KernelCounts& kernel : all.kernels)
            if (const auto timing = timing_->kernels().find(kernel.kernel);
                timing != timing_->kernels().end()) {
                kernel.timing = timing->second.total;
                kernel.line_timing = timing->second.lines;
            }
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
    return piece_of(observations_, r);
}

Answer Device::state() const {
    protocol::StateRecord s;
    if (const auto& fault = lack_ ? lack_ : machine_->fault()) {
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
        s.launch_site = launch_site_;
        put_memory_site(fault->address, s);
    }
    const LaunchStats& stats = machine_->stats();
    s.warp_instructions = stats.warp_instructions;
    s.thread_instructions = stats.thread_instructions;
    s.seconds = stats.seconds;
    s.launches = launches_;
    put(s.api_error, api_error_);
    s.error_site = error_site_;
    Answer a;
    a.append(s);
    return a;
}

/// As Memory::describe: an address belongs to what it is in, or else to what ends before it.
void Device::put_memory_site(std::uint64_t address, protocol::StateRecord& s) const {
    const auto before = [address](const auto& ranges) {
        const auto after = ranges.upper_bound(address);
        return after == ranges.begin() ? ranges.end() : std::prev(after);
    };
    const auto live = before(buffers_);
    const auto freed = before(freed_);
    const bool is_live = live != buffers_.end() && address - live->first < live->second.bytes;
    if (!is_live && freed != freed_.end() && address - freed->first < freed->second.bytes) {
        s.memory_site = freed->second.site;
        s.memory_is_freed = 1;
    } else if (live != buffers_.end()) {
        s.memory_site = live->second.site;
    }
}

void Device::count_host(const Request& r, std::size_t payload_bytes) {
    switch (static_cast<RunnerRequest>(r.kind)) {
        case RunnerRequest::allocate: ++host_.allocations; break;
        case RunnerRequest::release: ++host_.releases; break;
        case RunnerRequest::write:
            ++host_.writes;
            host_.written_bytes += payload_bytes;
            if (counters_) counters_->written_by_host(r.address, payload_bytes);
            break;
        case RunnerRequest::read:
            ++host_.reads;
            host_.read_bytes += r.bytes;
            if (counters_) counters_->read_by_host(r.address, r.bytes);
            break;
        case RunnerRequest::copy:
            if (counters_) counters_->copied(r.address, r.other, r.bytes);
            break;
        case RunnerRequest::fill:
            if (counters_) counters_->filled(r.address, r.bytes);
            break;
        default: break;
    }
}

}  // namespace cugrade::emulator
