// Follows locks that atomicCAS and atomicExch take: who holds which, and what is done under them.
//
// Two threads of different blocks take the same lock one after the other. Each of them needs a
// fence behind taking it, to see what the other did when that one came first. If the first thread
// had none, the launch was right only because it happened to come first.
#include <algorithm>
#include <cstring>

#include "emulator/observe/race_detector.hpp"

namespace cugrade::emulator::races {

/// Notes which locks the lanes take and give back.
void Detector::follow_locks(const Now& n) {
    const LockTaking* taking =
        n.a.taking != Access::Taking::no ? idioms_.lock_taking(n.code) : nullptr;
    if (taking == nullptr && !has_locks_) return;
    for_lanes(n.a.mask, [&](u32 l) {
        const u64 address = n.a.address[l];
        const u64 key = n.shared ? address | u64{1} << 63 : address;
        if (has_locks_ && !n.warp.lane.empty())
            std::erase_if(n.warp.lane[l].locks,
                          [&](const Held& lock) { return lock.address == key; });
        if (taking == nullptr || n.a.bytes > 8 || !in_bounds(n, address, n.a.bytes)) return true;
        // If several lanes ask for one lock, the first of them gets it.
        for (u32 m = 0; m < l; ++m)
            if ((n.a.mask >> m & 1) != 0 && n.a.address[m] == address) return true;
        u64 word = 0;
        std::memcpy(&word, n.shared ? n.w.block->shared + address : launch_->arena->host(address),
                    n.a.bytes);
        if (!taking->succeeds(word)) return true;
        const bool fenced = n.a.acquires && n.a.scope != Scope::block;
        n.warp.state(l).locks.push_back({key, fenced});
        has_locks_ = true;
        return true;
    });
}

void Detector::note_unguarded(const Now& n, u32 lane, Epoch& mine) {
    if (n.warp.lane.empty()) return;
    const LaneState& state = n.warp.lane[lane];
    constexpr std::size_t most = 1'000'000;
    if (!state.is_unguarded() || unguarded_.size() >= most) return;
    unguarded_[u64{mine.who} << 32 | mine.time] = state.locks;
    mine.what |= is_unguarded;
}

/// Two threads of different blocks have held the same lock. The second one has a fence, so it knows
/// what the first one did under the lock. The first one has none, and unless something else orders
/// the two, chance decides who comes first. In the other order the thread without a fence might not
/// see what the other one wrote.
void Detector::check_lock(const Now& n, u32 lane, u64 address, const Epoch& before,
                          bool was_write) {
    if (before.who >= n.block.first && before.who < n.block.end) return;
    if (n.warp.lane.empty()) return;
    const auto theirs = unguarded_.find(u64{before.who} << 32 | before.time);
    if (theirs == unguarded_.end()) return;
    const Held* both = nullptr;
    for (const Held& mine : n.warp.lane[lane].locks)
        for (const Held& other : theirs->second) {
            if (mine.address != other.address) continue;
            if (other.fenced) return;
            both = &other;
        }
    if (both == nullptr) return;
    const auto log = objects_.find(both->address);
    left_out_ = log == objects_.end() ? no_object : log->second;
    const bool otherwise = ordered(n, lane, before);
    left_out_ = no_object;
    if (!otherwise)
        report(n, lane, address, before, was_write, FindingKind::global_race,
               RaceCause::unfenced_lock);
}

}  // namespace cugrade::emulator::races
