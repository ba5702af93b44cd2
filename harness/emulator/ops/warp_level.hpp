// How warp-level instructions wait for their members. An instruction runs for the lanes for which
// all members have arrived, usually the whole split. The other lanes wait in a split of their own,
// until lanes that come to the same instruction later take them along. Nobody waits for lanes that
// have ended.
#pragma once

#include <algorithm>

#include <fmt/format.h>

#include "emulator/ops/lane_loops.hpp"
#include "emulator/state/observer.hpp"

namespace cugrade::emulator {

/// The member mask: the only element at Ins::target; a destination predicate may follow it.
inline Row<u32> members(const Warp& w, const Ins* i) {
    const Operand& o = w.launch->program->lists[i->target];
    return {w.bases[o.base] + o.offset};
}

/// Joins the lanes that wait at this instruction in the same call to the current split.
inline void absorb(Warp& w, const Ins* i) {
    std::erase_if(w.others, [&](const Split& other) {
        if (other.pc != i || other.state != SplitState::at_sync || other.base != w.current.base ||
            other.frames != w.current.frames)
            return false;
        w.current.mask |= other.mask;
        return true;
    });
}

inline u32 ready_lanes(const Warp& w, const Ins* i) {
    const Row<u32> mask = members(w, i);
    u32 ready = 0;
    for_lanes(w.current.mask, [&](u32 l) {
        if ((mask.get(l) & w.alive & ~w.current.mask) == 0) ready |= 1u << l;
        return true;
    });
    return ready;
}

inline const Ins* wait_here(Warp& w, const Ins* i) {
    w.current.pc = i;
    w.current.state = SplitState::at_sync;
    w.current.members = members(w, i).get(w.first_lane());
    return stop;
}

/// Calls f(group, members) for each set of active lanes with the same member mask.
template <class F>
void for_groups(const Warp& w, const Ins* i, F&& f) {
    const Row<u32> mask = members(w, i);
    for (u32 left = w.current.mask; left != 0;) {
        const u32 value = mask.get(static_cast<u32>(std::countr_zero(left)));
        u32 group = 0;
        for_lanes(left, [&](u32 l) {
            if (mask.get(l) == value) group |= 1u << l;
            return true;
        });
        f(group, value);
        left &= ~group;
    }
}

inline void tell_exchange(const Warp& w, const Ins* i) {
    if (Observer* observer = w.launch->options->observer)
        for_groups(w, i, [&](u32 group, u32 named) { observer->exchanged(w, i, group, named); });
}

template <void (*body)(Warp&, const Ins*)>
const Ins* synchronised(Warp& w, const Ins* i) {
    if (w.current.mask == w.alive) [[likely]] {
        tell_exchange(w, i);
        body(w, i);
        return i + 1;
    }
    absorb(w, i);
    const u32 ready = ready_lanes(w, i);
    if (ready == 0) return wait_here(w, i);
    if (ready != w.current.mask) {
        Split rest = w.current;
        rest.pc = i;
        rest.mask &= ~ready;
        rest.state = SplitState::at_sync;
        rest.members = members(w, i).get(static_cast<u32>(std::countr_zero(rest.mask)));
        w.others.push_back(std::move(rest));
        w.current.mask = ready;
    }
    tell_exchange(w, i);
    body(w, i);
    w.current.pc = i + 1;
    return stop;
}

/// The same for an instruction in which all 32 threads of a warp take part; a fault if some have
/// ended. `what` names the instruction: "an mma".
template <void (*body)(Warp&, const Ins*)>
const Ins* of_whole_warp(Warp& w, const Ins* i, std::string_view what) {
    if (w.alive != all_lanes)
        return fail(w, i, FaultKind::barrier_divergence, w.first_lane(),
                    fmt::format("executes {}, in which all 32 threads of a warp take part, in a "
                                "warp with {} threads",
                                what, std::popcount(w.alive)));
    return synchronised<body>(w, i);
}

}  // namespace cugrade::emulator
