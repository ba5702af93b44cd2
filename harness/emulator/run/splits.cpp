#include "emulator/run/splits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/run/stuck.hpp"
#include "emulator/state/limits.hpp"
#include "emulator/state/observer.hpp"
#include "emulator/state/polling.hpp"

namespace cugrade::emulator {
namespace {

constexpr u64 converged_slice = 1024;
constexpr u64 diverged_slice = 256;
/// How long the other splits wait for the lowest one, in its instructions: for one that computes,
/// and for one that asks other threads. Who takes a lock and gives it back because a second one is
/// taken changes memory in each round, so that it is not seen to spin; and what it waits for may be
/// held by a lane of its own warp. Chosen: lanes that swap one word in turn seldom take as long.
constexpr u64 longest_patience = 65'536;
constexpr u64 longest_patience_asking = 1024;

bool may_merge(const Split& a, const Split& b) {
    return a.pc == b.pc && a.state != SplitState::at_barrier && b.state != SplitState::at_barrier &&
           a.base == b.base && a.frames == b.frames;
}

/// Where the current split may meet another one: the nearest place ahead at its call depth.
std::uintptr_t meeting_place(const Warp& w) {
    const Ins* nearest = stop;
    for (const Split& other : w.others)
        if (other.frames.size() == w.current.frames.size() && other.pc > w.current.pc &&
            other.pc < nearest)
            nearest = other.pc;
    return reinterpret_cast<std::uintptr_t>(nearest);
}

/// Runs at most n instructions; returns how many. On return current.pc is where to go on.
template <bool converged>
u64 run_slice(Warp& w, u64 n) {
    const Ins* pc = w.current.pc;
    u64 left = n;
    do {
        pc = converged ? pc->fast(w, pc) : pc->slow(w, pc);
        --left;
    } while (reinterpret_cast<std::uintptr_t>(pc) < w.stop_at && left != 0);
    if (pc != stop) w.current.pc = pc;
    return n - left;
}

void out_of_budget(Warp& w) {
    const Launch& launch = *w.launch;
    const bool spinning = launch.changes_by_half == launch.tracked_changes;
    const Ins* at = w.current.pc;
    const std::string where = place_of(*launch.program, at).text();
    fail(w, at, FaultKind::instruction_budget, w.current.mask != 0 ? w.first_lane() : 0,
         spinning ? fmt::format("is in a loop near {} that waits for something that never happens: "
                                "in the second half of {} warp instructions no memory changed",
                                where, launch.options->warp_instruction_budget)
                  : fmt::format("is near {} and has not finished after {} warp instructions of the "
                                "whole grid, though memory still changes: the kernel is too slow, "
                                "or a loop does not end",
                                where, launch.options->warp_instruction_budget));
    w.launch->fault->spinning = spinning;
}

}  // namespace

bool can_run(Warp& w) {
    if (w.alive == 0) return false;
    if (w.current.mask != 0 && w.current.state == SplitState::running) return true;
    return std::any_of(w.others.begin(), w.others.end(),
                       [](const Split& s) { return s.state == SplitState::running; });
}

bool select_split(Warp& w) {
    if (w.current.mask == 0) {
        if (w.others.empty()) return false;
        w.current = std::move(w.others.back());
        w.others.pop_back();
        // It may wait, and run without another choice once it does not: all others have ended.
        w.bases[in_frame] = w.current.base;
    }
    const auto join = [&w](Split& into, std::size_t from) {
        for (std::size_t n = from; n < w.others.size();) {
            if (may_merge(into, w.others[n])) {
                into.mask |= w.others[n].mask;
                into.state = SplitState::running;
                w.others[n] = std::move(w.others.back());
                w.others.pop_back();
            } else {
                ++n;
            }
        }
    };
    join(w.current, 0);
    for (std::size_t n = 0; n < w.others.size(); ++n) join(w.others[n], n + 1);

    const auto before = [&](const Split& a, const Split& b) {
        if (w.rotate && a.last_run != b.last_run) return a.last_run < b.last_run;
        if (a.frames.size() != b.frames.size()) return a.frames.size() > b.frames.size();
        return a.pc < b.pc;
    };
    Split* best = w.current.state == SplitState::running ? &w.current : nullptr;
    for (Split& other : w.others)
        if (other.state == SplitState::running && (best == nullptr || before(other, *best)))
            best = &other;
    if (best == nullptr) return false;
    w.rotate = false;
    if (best != &w.current) std::swap(w.current, *best);
    w.bases[in_frame] = w.current.base;
    return true;
}

Outcome run_warp(Warp& w, u64 quantum) {
    Launch& launch = *w.launch;
    const u64 budget = launch.options->warp_instruction_budget;
    u64 idle_slices = 0;  // slices in a row that only spun
    for (;;) {
        if (launch.fault) return Outcome::fault;
        if (w.alive == 0) return Outcome::done;
        // Return before `select_split`, which would use up the rotation with which the next quantum
        // is to start.
        if (quantum == 0 && can_run(w)) return Outcome::quantum;
        if ((!w.others.empty() || w.current.state != SplitState::running) && !select_split(w))
            return Outcome::waits;
        const bool converged = w.others.empty();
        u64 n = std::min(quantum, converged ? converged_slice : diverged_slice);
        if (budget != 0) {
            if (launch.executed >= budget) {
                out_of_budget(w);
                return Outcome::fault;
            }
            if (launch.executed >= budget / 2 && !launch.changes_by_half) {
                launch.track_changes = true;
                launch.changes_by_half = launch.tracked_changes;
            }
            n = std::min(n, budget - launch.executed);
        }
        const u64 sync_before = launch.sync_operations, changes_before = launch.changes;
        const u32 mask = w.current.mask;
        w.current.last_run = ++w.turns;
        w.poll.word = nullptr;
        w.stop_at = converged ? reinterpret_cast<std::uintptr_t>(stop) : meeting_place(w);
        const u64 used = converged ? run_slice<true>(w, n) : run_slice<false>(w, n);
        launch.executed += used;
        launch.thread_instructions += used * static_cast<u64>(std::popcount(mask));
        quantum -= used;
        const bool polls = w.poll.word != nullptr;
        const bool asked = launch.sync_operations != sync_before;
        const bool spun = polls || (used == n && asked && launch.changes == changes_before);
        if (converged) {
            w.patience = 0;
        } else {
            w.patience += asked ? used * (longest_patience / longest_patience_asking) : used;
            if (spun && launch.options->observer != nullptr)
                launch.options->observer->yielded(w, w.current.pc, w.current.mask);
            if (spun || w.patience > longest_patience) {
                w.rotate = true;
                w.patience = 0;
            }
        }
        if (launch.options->find_deadlocks) note_slice(w, used, asked);
        if (polls && is_parked(w)) return Outcome::spins;
        idle_slices = spun ? idle_slices + 1 : 0;
        if (idle_slices > 2 * w.others.size()) return Outcome::spins;
    }
}

}  // namespace cugrade::emulator
