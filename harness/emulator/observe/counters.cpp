#include "emulator/observe/counters.hpp"

#include <algorithm>
#include <bit>

#include "emulator/exec/lane_loops.hpp"
#include "emulator/exec/limits.hpp"

namespace cugrade::emulator {

using ptx::Space;

namespace {

constexpr u64 sector_bytes = 32;
constexpr u32 banks = 32;
constexpr u64 bank_bytes = 4;

/// How many different numbers there are; sorts only if they do not come in order.
u32 distinct(u64* begin, u64* end) {
    if (begin == end) return 0;
    if (!std::is_sorted(begin, end)) std::sort(begin, end);
    return static_cast<u32>(std::unique(begin, end) - begin);
}

}  // namespace

u32 sectors_of(const Access& a) {
    std::array<u64, 2 * lanes> sectors;
    u64* end = sectors.data();
    for_lanes(a.mask, [&](u32 l) {
        const u64 first = a.address[l] / sector_bytes;
        const u64 last = (a.address[l] + a.bytes - 1) / sector_bytes;
        *end++ = first;
        if (last != first) *end++ = last;
        return true;
    });
    return distinct(sectors.data(), end);
}

Wavefronts wavefronts_of(const Access& a) {
    const u32 words = std::max<u32>(1, static_cast<u32>((a.bytes + bank_bytes - 1) / bank_bytes));
    const u32 together = words >= 4 ? 8 : words == 2 ? 16 : 32;  // lanes served at once
    Wavefronts result;
    for (u32 first = 0; first < lanes; first += together) {
        const u32 group = a.mask & (together == 32 ? all_lanes : ((1u << together) - 1) << first);
        if (group == 0) continue;
        std::array<u64, 32 * 4> word;
        u64* end = word.data();
        for_lanes(group, [&](u32 l) {
            for (u32 n = 0; n < words; ++n) *end++ = a.address[l] / bank_bytes + n;
            return true;
        });
        // Atomics on one word take turns; other accesses share what is read or overwritten.
        if (a.kind != Access::Kind::atomic) end = word.data() + distinct(word.data(), end);
        std::array<u32, banks> in_bank{};
        u32 most = 0;
        for (const u64* w = word.data(); w != end; ++w)
            most = std::max(most, ++in_bank[*w % banks]);
        result.taken += most;
        result.ideal += (static_cast<u32>(end - word.data()) + banks - 1) / banks;
    }
    return result;
}

void Counters::launch_started(const Launch& launch) {
    program_ = launch.program;
    code_.assign(program_->code.size(), {});
    blocks_ = 0;
    global_atomics_.clear();
    shared_atomics_.clear();
    touched_.clear();
}

void Counters::block_started(const Block&) { ++blocks_; }

void Counters::executed(const Warp&, const Ins* i, InstructionClass c, u32 mask) {
    Counts& counts = at(i);
    ++counts.warp_instructions;
    counts.thread_instructions += static_cast<u64>(std::popcount(mask));
    ++counts.by_class[static_cast<std::size_t>(c)];
}

void Counters::branched(const Warp&, const Ins* i, u32 mask, u32 taken) {
    Counts& counts = at(i);
    ++counts.branches;
    if (taken != 0 && taken != mask) ++counts.divergent_branches;
}

void Counters::arrived(const Warp&, const Ins* i, u32, u32) { ++at(i).barriers; }

void Counters::count_atomics(const Access& a) {
    for_lanes(a.mask, [&](u32 l) { return ++global_atomics_[a.address[l]], true; });
}

void Counters::accessed(const Warp& w, const Ins* i, const Access& a) {
    Counts& counts = at(i);
    Traffic* traffic = nullptr;
    using Kind = Access::Kind;
    switch (a.space) {
        case Space::global:
            traffic = a.kind == Kind::load    ? &counts.global_load
                      : a.kind == Kind::store ? &counts.global_store
                                              : &counts.global_atomic;
            break;
        case Space::shared:
            traffic = a.kind == Kind::load    ? &counts.shared_load
                      : a.kind == Kind::store ? &counts.shared_store
                                              : &counts.shared_atomic;
            break;
        case Space::local:
            traffic = a.kind == Kind::load ? &counts.local_load : &counts.local_store;
            break;
        default: ++counts.constant_loads; return;
    }
    const auto active = static_cast<u64>(std::popcount(a.mask));
    ++traffic->requests;
    traffic->lanes += active;
    traffic->bytes += active * a.bytes;
    if (a.space == Space::shared) {
        const Wavefronts fronts = wavefronts_of(a);
        traffic->wavefronts += fronts.taken;
        traffic->ideal += fronts.ideal;
        if (a.kind == Kind::atomic)
            for_lanes(a.mask, [&](u32 l) {
                return ++shared_atomics_[w.block->number << 20 | a.address[l]], true;
            });
        return;
    }
    if (a.space == Space::local) {
        // Threads' local memory is interleaved word by word: lanes at one offset are neighbours.
        traffic->sectors += (active * a.bytes + sector_bytes - 1) / sector_bytes;
        return;
    }
    traffic->sectors += sectors_of(a);
    u64 page = ~u64{0};
    u64* bits = nullptr;
    for_lanes(a.mask, [&](u32 l) {
        const u64 sector = a.address[l] / sector_bytes;
        if (sector / 64 != page) {
            page = sector / 64;
            bits = &touched_[page];
        }
        *bits |= u64{1} << sector % 64;
        return true;
    });
    if (a.kind == Kind::atomic) count_atomics(a);
}

namespace {

Occupancy occupancy_of(const Launch& launch) {
    const MachineConfig& config = *launch.config;
    // Registers are not known before ptxas, so they limit nothing here.
    const u32 warps = (launch.threads_per_block + lanes - 1) / lanes;
    Occupancy result;
    result.max_warps = resident_threads(config.arch) / lanes;
    u64 blocks = config.resident_blocks;
    result.limit = "blocks";
    if (const u64 by_threads = result.max_warps / std::max(warps, 1u); by_threads < blocks) {
        blocks = by_threads;
        result.limit = "threads";
    }
    if (launch.shared_bytes != 0)
        if (const u64 by_shared = config.max_shared_per_block_optin / launch.shared_bytes;
            by_shared < blocks) {
            blocks = by_shared;
            result.limit = "shared memory";
        }
    const u64 in_grid = (launch.grid.count() + config.multiprocessors - 1) / config.multiprocessors;
    if (in_grid < blocks) {
        blocks = in_grid;
        result.limit = "the grid";
    }
    result.resident_warps = static_cast<u32>(blocks) * warps;
    return result;
}

}  // namespace

void Counters::launch_ended(const Launch& launch) {
    const std::string name = demangled(launch.kernel->source->name);
    auto found = std::find_if(kernels_.begin(), kernels_.end(),
                              [&](const KernelCounts& k) { return k.kernel == name; });
    if (found == kernels_.end()) {
        kernels_.emplace_back();
        found = kernels_.end() - 1;
        found->kernel = name;
    }
    KernelCounts& kernel = *found;
    ++kernel.launches;
    kernel.blocks += blocks_;
    kernel.threads += blocks_ * launch.threads_per_block;
    kernel.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
    kernel.block = {launch.block.x, launch.block.y, launch.block.z};
    kernel.shared_bytes = launch.shared_bytes;
    kernel.occupancy = occupancy_of(launch);
    for (const auto& [page, bits] : touched_)
        kernel.distinct_global_bytes += static_cast<u64>(std::popcount(bits)) * sector_bytes;
    for (const auto* atomics : {&global_atomics_, &shared_atomics_})
        for (const auto& [address, n] : *atomics)
            kernel.most_atomics_on_one_address = std::max(kernel.most_atomics_on_one_address, n);
    for (u32 n = 0; n < code_.size(); ++n) {
        if (code_[n] == Counts{}) continue;
        const Place place = place_of(*program_, program_->at(n));
        kernel.lines[{place.file, place.line}] += code_[n];
        kernel.total += code_[n];
    }
}

}  // namespace cugrade::emulator
