#include "emulator/observe/race_clocks.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "emulator/observe/race_detector.hpp"

namespace cugrade::emulator::races {

void Detector::launch_started(const Launch& launch) {
    launch_ = &launch;
    if (now_ > 0xF0000000) now_ = 1;
    pages_.launch_started();
    floor_ = now_++;
    warps_per_block_ = (launch.threads_per_block + lanes - 1) / lanes;
    enabled_ = true;
    if (launch.grid.count() * warps_per_block_ * lanes >= u64{1} << 32 ||
        launch.program->code.size() >= code_mask)
        give_up(nullptr, "the launch has too many threads, or the program too much code, to watch");
    has_releases_ = false;
    has_volatile_ = false;
    has_locks_ = false;
    unguarded_.clear();
    knowledge_steps_ = 0;
    idioms_.launch_started(*launch.program);
    hoisted_.launch_started(*launch.program);
    blocks_.clear();
    words_.clear();
    bytes_.clear();
    strips_.clear();
    lists_.clear();
    logs_.clear();
    objects_.clear();
    announced_.clear();
    reported_.clear();
    ranges_.launch_started(launch);
}

void Detector::block_started(const Block& block) {
    BlockState& b = blocks_[&block];
    b.number = static_cast<u32>(block.number);
    b.first = b.number * warps_per_block_ * lanes;
    b.end = b.first + warps_per_block_ * lanes;
    b.stamp = now_;
    b.base = floor_;
    b.published = 0;
    b.fenced.clear();
    b.refs.clear();
    b.told.clear();
    b.seen.clear();
    b.objects.clear();
    for (auto& list : b.partial) list.clear();
    b.lines.assign((launch_->shared_bytes + line_bytes - 1) / line_bytes, {});
    b.warps.resize(warps_per_block_);
    for (u32 n = 0; n < warps_per_block_; ++n) {
        WarpState& ws = b.warps[n];
        ws.who = b.first + n * lanes;
        ws.stamp = now_;
        ws.base = floor_;
        ws.refs.clear();
        ws.told.clear();
        ws.seen.clear();
        ws.lane.clear();
        ws.pairs.reset();
    }
}

void Detector::block_ended(const Block& block) {
    for (Plane& plane : blocks_[&block].lines) {
        give(plane.write);
        give(plane.read);
        drop_strips(plane.read);
    }
}

void Detector::fenced(const Warp& w, u32 mask, Scope scope) {
    BlockState& b = blocks_[w.block];
    WarpState& ws = b.warps[w.index];
    const Fence fence{now_++, b.base, ws.base};
    ws.stamp = now_;
    has_releases_ = true;
    for_lanes(mask, [&](u32 l) {
        LaneState& lane = ws.state(l);
        lane.fence[0] = fence;
        if (scope == Scope::block) return true;
        lane.fence[1] = fence;
        lane.take_in_unfenced();
        return true;
    });
}

void Detector::arrived(const Warp& w, u32 mask, u32 barrier) {
    const u32 expected = w.block->barriers[barrier].expected;
    BlockState& b = blocks_[w.block];
    if (barrier == meeting_barrier || (expected != 0 && expected < w.block->alive_threads))
        b.partial[barrier].push_back({w.index, mask});
}

void Detector::released(const Block& block, u32 barrier) {
    BlockState& b = blocks_[&block];
    u32 threads = 0;
    for (const Arrival& a : b.partial[barrier]) threads += static_cast<u32>(std::popcount(a.mask));
    if (threads == block.alive_threads) b.partial[barrier].clear();  // a barrier like any other
    if (!b.partial[barrier].empty()) {
        // Each lane that has arrived releases to a log of this meeting, and then sees all of it.
        std::vector<Arrival> met;
        met.swap(b.partial[barrier]);
        const u32 index = static_cast<u32>(logs_.size());
        Log& log = logs_.emplace_back();
        const Time time = now_++;
        for (const Arrival& a : met)
            for_lanes(a.mask, [&](u32 l) {
                WarpState& ws = b.warps[a.warp];
                append(log, index, b, ws, l, {time, b.base, ws.base}, 0);
                return true;
            });
        for (const Arrival& a : met)
            for_lanes(a.mask, [&](u32 l) {
                WarpState& ws = b.warps[a.warp];
                ws.stamp = now_;
                LaneState& lane = ws.state(l);
                lane.take_in_unfenced();
                learn(lane.refs, {index, log.length});
                lane.seen.move_to(b.seen);
                hand_on(lane.told, b.told);
                return true;
            });
        has_releases_ = true;
        // The lanes of a warp may have come in parts.
        std::map<u32, u32> masks;
        for (const Arrival& a : met) masks[a.warp] |= a.mask;
        for (const auto& [warp, mask] : masks) warp_synchronised(block.warps[warp], mask);
        return;
    }
    if (has_locks_)
        for (WarpState& ws : b.warps) ws.take_in_unfenced();
    if (has_releases_) {
        Time fenced = now_;
        for (const Warp& w : block.warps) {
            WarpState& ws = b.warps[w.index];
            for_lanes(w.alive, [&](u32 l) {
                fenced = ws.lane.empty() ? 0 : std::min(fenced, ws.lane[l].fence[1].time);
                return fenced != 0;
            });
            hand_on(ws.refs, b.refs);
            ws.take_in_unfenced();
            for (LaneState& lane : ws.lane) {
                hand_on(lane.refs, b.refs);
                lane.of_own_block.clear();
            }
        }
        if (fenced == 0)
            note_fenced(b);
        else if (fenced != now_)
            b.published = std::max(b.published, fenced);
    }
    if (has_volatile_)
        for (WarpState& ws : b.warps) {
            ws.seen.move_to(b.seen);
            hand_on(ws.told, b.told);
            for (LaneState& lane : ws.lane) {
                lane.seen.move_to(b.seen);
                hand_on(lane.told, b.told);
            }
        }
    b.base = now_++;
    b.stamp = now_;
}

/// Who has written something fences, and then the block meets: a thread that releases behind that,
/// without a fence of its own, publishes what the writers did before their fences.
void Detector::note_fenced(BlockState& b) {
    std::erase_if(b.fenced, [&](const auto& one) { return one.second <= b.published; });
    for (const WarpState& ws : b.warps)
        for (u32 l = 0; l < ws.lane.size(); ++l)
            if (const Time time = ws.lane[l].fence[1].time; time > b.base)
                b.fenced[ws.who + l] = time;
}

void Detector::warp_synchronised(const Warp& w, u32 mask) {
    WarpState& ws = blocks_[w.block].warps[w.index];
    const Time time = now_++;
    ws.stamp = now_;
    if (!ws.lane.empty())
        for_lanes(mask, [&](u32 l) {
            ws.lane[l].take_in_unfenced();
            ws.lane[l].seen.move_to(ws.seen);
            hand_on(ws.lane[l].told, ws.told);
            return true;
        });
    if ((mask & w.alive) == w.alive) {
        ws.base = time;
        for (LaneState& lane : ws.lane) hand_on(lane.refs, ws.refs);
        return;
    }
    if (ws.pairs == nullptr) {
        ws.pairs = std::make_unique<std::array<std::array<Time, lanes>, lanes>>();
        for (auto& row : *ws.pairs) row.fill(floor_);
    }
    std::array<Time, lanes> joint{};
    std::vector<Ref> refs;
    for_lanes(mask, [&](u32 l) {
        for (u32 m = 0; m < lanes; ++m) joint[m] = std::max(joint[m], (*ws.pairs)[l][m]);
        if (!ws.lane.empty())
            for (const Ref& ref : ws.lane[l].refs) learn(refs, ref);
        return true;
    });
    for_lanes(mask, [&](u32 l) { return joint[l] = time, true; });
    for_lanes(mask, [&](u32 l) {
        (*ws.pairs)[l] = joint;
        if (!refs.empty()) ws.state(l).refs = refs;
        return true;
    });
}

Log* Detector::log_of(BlockState& b, bool shared, bool narrow, u64 address, bool make, u32& index) {
    auto& objects = shared || narrow ? b.objects : objects_;
    const auto it = objects.find(address);
    if (it != objects.end()) {
        index = it->second;
        return &logs_[index];
    }
    if (!make) return nullptr;
    index = static_cast<u32>(logs_.size());
    objects.emplace(address, index);
    return &logs_.emplace_back();
}

/// A strong read finds the logs of its address. The thread knows at once what its own block
/// released there. It knows what other blocks released behind a fence for the device, or at once if
/// the read itself acquires for the device.
void Detector::acquire(Now& n) {
    for_lanes(n.a.mask, [&](u32 l) {
        const auto find = [&](bool narrow, std::vector<Ref> LaneState::*into) {
            u32 index = 0;
            const Log* log = log_of(n.block, n.shared, narrow, n.a.address[l], false, index);
            if (log != nullptr) learn(n.warp.state(l).*into, {index, log->length});
        };
        find(true, &LaneState::refs);
        if (n.shared) return true;
        find(false, n.a.scope == Scope::block ? &LaneState::of_own_block
                    : n.a.acquires            ? &LaneState::refs
                                              : &LaneState::unfenced);
        return true;
    });
}

void Detector::put(Log& log, u64 key, Time time, bool& changed) const {
    if (time <= floor_) return;
    auto& entries = log.known[key];
    if (!entries.empty() && entries.back().second >= time) return;
    entries.emplace_back(log.length, time);
    changed = true;
}

void Detector::append(Log& log, u32 self, BlockState& b, WarpState& ws, u32 lane,
                      const Fence& fence, Time published) {
    bool changed = false;
    put(log, thread_key(ws.who + lane), fence.time, changed);
    put(log, warp_key(ws.who), fence.warp, changed);
    put(log, block_key(b.number), std::max(fence.block, published), changed);
    const auto pass_on = [&](const std::vector<Ref>& refs) {
        for (const Ref& ref : refs) {
            if (ref.object == self) continue;
            auto& known = log.refs[ref.object];
            if (!known.empty() && known.back().second >= ref.length) continue;
            known.emplace_back(log.length, ref.length);
            changed = true;
        }
    };
    if (fence.time > floor_ || published > floor_) {
        pass_on(b.refs);
        pass_on(ws.refs);
        if (!ws.lane.empty()) pass_on(ws.lane[lane].refs);
    }
    if (changed) ++log.length;
}

/// A strong write passes on what its thread knew at its last fence, or knows now if the write
/// itself releases.
void Detector::release(Now& n) {
    const bool is_store = n.a.kind == Access::Kind::store;
    if (n.a.releases) fenced(n.w, n.a.mask, n.a.scope);
    for_lanes(n.a.mask, [&](u32 l) {
        const Fence none;
        const bool has_lanes = !n.warp.lane.empty();
        const Fence& any = has_lanes ? n.warp.lane[l].fence[0] : none;
        const Fence& wide = has_lanes ? n.warp.lane[l].fence[1] : none;
        // A store ends what was released here before; an atomic adds to it.
        if (is_store) {
            if (n.shared) {
                n.block.objects.erase(n.a.address[l]);
            } else {
                n.block.objects.erase(n.a.address[l]);
                objects_.erase(n.a.address[l]);
            }
        }
        const bool has_fenced = !n.block.fenced.empty();
        const auto to = [&](bool narrow, const Fence& fence, Time published) {
            if (fence.time <= floor_ && published <= floor_ && (narrow || !has_fenced)) return;
            u32 index = 0;
            Log* log = log_of(n.block, n.shared, narrow, n.a.address[l], true, index);
            append(*log, index, n.block, n.warp, l, fence, published);
            if (!has_fenced || narrow) return;
            bool changed = false;
            for (const auto& [who, time] : n.block.fenced)
                put(*log, thread_key(who), time, changed);
            if (changed) ++log->length;
        };
        if (n.shared) {
            to(false, any, n.block.base);
        } else {
            const bool narrow = n.a.scope == Scope::block;
            if (!narrow) to(false, wide, n.block.published);
            if (narrow || any.time > wide.time) to(true, any, narrow ? n.block.published : 0);
        }
        return true;
    });
}

std::array<u64, 3> Detector::keys_of(const Epoch& e) const {
    return {thread_key(e.who), warp_key(e.who), block_key(e.who / (warps_per_block_ * lanes))};
}

/// True if the thread has learnt of the access `before` through an address. `without_fence`: a read
/// of the address counts even if no fence has followed it.
bool Detector::knows(const Now& n, u32 lane, const Epoch& before, bool without_fence) {
    const auto keys = keys_of(before);
    ++searches_;
    looked_.resize(logs_.size());
    open_.clear();
    std::size_t next = 0;
    const auto tells = [&](const Ref& ref) {
        if (ref.object == left_out_) return false;
        Looked& looked = looked_[ref.object];
        if (looked.search != searches_) looked = {searches_, 0};
        if (looked.length >= ref.length) return false;
        looked.length = ref.length;
        open_.push_back(ref);
        ++knowledge_steps_;
        return logs_[ref.object].tells(keys, before.time, ref.length);
    };
    const auto any_tells = [&](const std::vector<Ref>& refs) {
        return std::any_of(refs.rbegin(), refs.rend(), tells);
    };
    // Most of the time the last holder of a lock has told of itself directly, so near logs are
    // searched before far ones.
    if (!n.warp.lane.empty()) {
        const LaneState& state = n.warp.lane[lane];
        const bool own_block = before.who >= n.block.first && before.who < n.block.end;
        if (any_tells(state.refs)) return true;
        if ((without_fence || own_block) && any_tells(state.unfenced)) return true;
        if (own_block && any_tells(state.of_own_block)) return true;
    }
    if (any_tells(n.warp.refs) || any_tells(n.block.refs)) return true;
    while (next != open_.size()) {
        const Ref ref = open_[next++];
        if (looked_[ref.object].length > ref.length) continue;
        for (const auto& [object, lengths] : logs_[ref.object].refs) {
            const auto after =
                std::partition_point(lengths.begin(), lengths.end(),
                                     [&](const auto& l) { return l.first < ref.length; });
            if (after != lengths.begin() && tells({object, std::prev(after)->second})) return true;
            ++knowledge_steps_;
        }
        if (knowledge_steps_ > most_knowledge_steps) {
            give_up(n.i,
                    "the kernel's threads pass on so much through locks, flags and atomics that to "
                    "follow it further takes too long");
            return true;  // so that nothing unproved is reported
        }
    }
    return false;
}

}  // namespace cugrade::emulator::races
