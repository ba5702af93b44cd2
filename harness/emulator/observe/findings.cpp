#include "emulator/observe/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cugrade::emulator {
namespace {

FindingKind kind_of(const Fault& fault) {
    switch (fault.kind) {
        case FaultKind::misaligned: return FindingKind::misaligned;
        case FaultKind::barrier_divergence: return FindingKind::barrier_divergence;
        case FaultKind::deadlock: return FindingKind::deadlock;
        case FaultKind::instruction_budget:
            return fault.spinning ? FindingKind::livelock : FindingKind::budget;
        case FaultKind::stack_overflow: return FindingKind::stack_overflow;
        case FaultKind::unsupported: return FindingKind::unsupported;
        case FaultKind::trap: return FindingKind::trap;
        case FaultKind::none:
        case FaultKind::out_of_bounds: break;
    }
    // Arena::describe says this only of addresses in a freed allocation.
    return fault.message.find("has been freed") != std::string::npos ? FindingKind::freed_memory
                                                                     : FindingKind::out_of_bounds;
}

}  // namespace

std::size_t Findings::add(Finding finding) {
    const auto known = std::find_if(all_.begin(), all_.end(),
                                    [&](const Finding& f) { return f.same_as(finding); });
    if (known != all_.end()) {
        known->count += finding.count;
        return static_cast<std::size_t>(known - all_.begin());
    }
    if (all_.size() >= limit_) {
        ++dropped_;
        return no_finding;
    }
    all_.push_back(std::move(finding));
    return all_.size() - 1;
}

void Findings::drop_explained() {
    const auto explains = [](const Finding& race, const Finding& read) {
        return race.second && !is_warning(race.kind) && race.kernel == read.kernel &&
               (race.place.same_line(read.place) || race.second->same_line(read.place));
    };
    std::vector<Finding> kept;
    for (const Finding& f : all_)
        if (f.kind != FindingKind::uninitialised_read ||
            std::none_of(all_.begin(), all_.end(),
                         [&](const Finding& other) { return explains(other, f); }))
            kept.push_back(f);
    all_ = std::move(kept);
}

Finding finding_of(const Fault& fault) {
    Finding f;
    f.kind = kind_of(fault);
    f.message = fault.message;
    f.kernel = fault.kernel;
    f.block = fault.block;
    f.thread = fault.thread;
    f.place = {fault.file, fault.line, fault.column};
    if (fault.other_line > 0) f.second = Place{fault.file, fault.other_line, 0};
    for (const std::string_view where :
         {"past the end of the block's shared memory", "past the end of the thread's local memory"})
        if (fault.message.find(where) != std::string::npos)
            f.without_data = fmt::format("an access {}", where);
    return f;
}

std::string triple(const std::array<std::uint32_t, 3>& v) {
    return fmt::format("({},{},{})", v[0], v[1], v[2]);
}

std::array<std::uint32_t, 3> thread_of(const Launch& launch, std::uint64_t number) {
    const Dim3& d = launch.block;
    return {static_cast<std::uint32_t>(number % d.x),
            static_cast<std::uint32_t>(number / d.x % d.y),
            static_cast<std::uint32_t>(number / d.x / d.y)};
}

std::array<std::uint32_t, 3> block_of(const Launch& launch, std::uint64_t number) {
    const Dim3& d = launch.grid;
    return {static_cast<std::uint32_t>(number % d.x),
            static_cast<std::uint32_t>(number / d.x % d.y),
            static_cast<std::uint32_t>(number / d.x / d.y)};
}

std::string describe_shared(const Launch& launch, std::uint64_t offset) {
    // The decoder places the kernel's own variables in order behind the common ones.
    std::uint64_t end = launch.program->common_shared_bytes;
    for (const ptx::Variable& v : launch.kernel->source->variables) {
        if (v.space != ptx::Space::shared || v.is_extern) continue;
        const std::uint64_t align = std::max<std::uint32_t>(v.align, 1);
        const std::uint64_t start = (end + align - 1) / align * align;
        end = start + v.bytes;
        if (offset < start || offset >= end) continue;
        // The name of a function's variable begins with the function's name.
        std::string name = demangled(v.name);
        if (const auto colons = name.rfind("::"); colons != std::string::npos)
            name.erase(0, colons + 2);
        return fmt::format("`{}` in shared memory ({} bytes from its start)", name, offset - start);
    }
    return fmt::format("byte {} of the block's shared memory", offset);
}

}  // namespace cugrade::emulator
