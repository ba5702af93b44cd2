#include "emulator/observe/before_volta.hpp"

#include <fmt/format.h>

namespace cugrade::emulator {
namespace {
using u32 = std::uint32_t;
using u64 = std::uint64_t;
}  // namespace

void BeforeVolta::launch_started(const Launch& launch) {
    launch_ = &launch;
    warps_.clear();
    holders_.clear();
    reported_.clear();
}

void BeforeVolta::block_started(const Block& block) {
    // The block that ran in this slot before may have used the same Warp objects.
    if (!warps_.empty())
        for (const Warp& w : block.warps) warps_.erase(&w);
}

u64 BeforeVolta::key(const Warp& w, const Access& a, u32 lane) const {
    // Offsets in shared memory are far below device addresses.
    return a.space == ptx::Space::shared ? w.block->number << 20 | a.address[lane]
                                         : a.address[lane];
}

void BeforeVolta::accessed(const Warp& w, const Ins* i, const Access& a) {
    if (a.taking == Access::Taking::no || a.bytes > 8) return;
    const bool shared = a.space == ptx::Space::shared;
    if (!shared && a.space != ptx::Space::global) return;
    WarpState& state = warps_[&w];
    u32 takers = 0;  // lanes before this one, which memory does not show yet
    for_lanes(a.mask, [&](u32 l) {
        const u64 address = a.address[l];
        const bool inside = shared ? address + a.bytes <= launch_->shared_bytes
                                   : launch_->arena->find(address).holds(address, a.bytes);
        if (!inside) return true;
        const std::byte* there = shared ? w.block->shared + address : launch_->arena->host(address);
        const std::byte* row = w.bases[i->kb] + i->b + l * (a.bytes == 8 ? 8 : 4);
        const bool same = std::memcmp(there, row, a.bytes) == 0;
        const u64 word = key(w, a, l);
        u64 operand = 0;
        std::memcpy(&operand, row, a.bytes);
        if (state.tried[l] != word || state.where[l] != i || state.operand[l] != operand)
            state.failures[l] = 0;
        ++state.failures[l];
        state.tried[l] = word;
        state.where[l] = i;
        state.operand[l] = operand;
        if ((a.taking == Access::Taking::cas) != same) return true;
        bool is_taken = false;
        for_lanes(takers, [&](u32 taker) {
            is_taken = state.tried[taker] == state.tried[l];
            return !is_taken;
        });
        if (is_taken) return true;
        takers |= 1u << l;
        state.failures[l] = 0;
        holders_[state.tried[l]] = {&w, l};
        state.left &= ~takers;
        return true;
    });
}

void BeforeVolta::parted(const Warp& w, const Ins* i, u32 mask, u32 taken) {
    if (warps_.empty()) return;
    const auto state = warps_.find(&w);
    if (state == warps_.end()) return;
    const Program& program = *launch_->program;
    const u32 index = program.index_of(i);
    const u32 meeting = program.reconvergence[index];
    u32& left = state->second.left;
    left &= ~mask;
    if (i->target == meeting) left |= taken;
    if (index + 1 == meeting) left |= mask & ~taken;
}

void BeforeVolta::yielded(const Warp& w, const Ins*, u32 mask) {
    const auto found = warps_.find(&w);
    if (found == warps_.end()) return;
    const WarpState& state = found->second;
    for_lanes(mask, [&](u32 l) {
        if (state.where[l] == nullptr || state.failures[l] < 2) return true;
        const auto holder = holders_.find(state.tried[l]);
        if (holder == holders_.end() || holder->second.warp != &w) return true;
        const u32 other = holder->second.lane;
        if ((mask >> other & 1) != 0 || (w.alive >> other & 1) == 0 ||
            (state.left >> other & 1) == 0)
            return true;
        if (const auto known = reported_.find(state.where[l]); known != reported_.end()) {
            findings_.again(known->second);
            return false;
        }
        Finding f;
        f.kind = FindingKind::hangs_before_volta;
        f.kernel = demangled(launch_->kernel->source->name);
        f.block = w.block->index;
        f.thread = thread_of(*launch_, w.index * lanes + l);
        f.place = place_of(*launch_->program, state.where[l]);
        f.message = fmt::format(
            "thread {} of block {} spins in {} for what thread {} of its own warp has taken and "
            "gives back only behind the loop; this ends on devices since Volta and hangs on older "
            "ones, where lanes that have left a loop wait for the rest of their warp: give it back "
            "inside of the loop that takes it",
            triple(f.thread), triple(f.block), f.place.text(),
            triple(thread_of(*launch_, w.index * lanes + other)));
        reported_.emplace(state.where[l], findings_.add(std::move(f)));
        return false;
    });
}

}  // namespace cugrade::emulator
