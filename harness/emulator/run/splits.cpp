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
constexpr u64 longest_patience = 65'536;
constexpr u64 longest_quiet = 100'000;

bool is_lockstep(const Warp& w) { return w.launch->options->schedule == Schedule::lockstep; }

/// Lockstep: the split is at the place where it waits for the lanes that it parted from last.
bool has_arrived(const Split& s) {
    return !s.pending.empty() && s.state == SplitState::running && s.pc == s.pending.back().at &&
           s.frames.size() == s.pending.back().depth;
}

/// Lockstep: joins splits once all of them have come to their meeting place.
void reconverge(Warp& w) {
    if (w.current.mask == 0 && !w.others.empty()) {
        w.current = std::move(w.others.back());
        w.others.pop_back();
    }
    if (w.others.empty()) return w.current.pending.clear();
    const auto at = [&w](std::size_t n) -> Split& { return n == 0 ? w.current : w.others[n - 1]; };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t n = 0; n <= w.others.size() && !changed; ++n) {
            if (at(n).pending.empty()) continue;
            const u64 branch = at(n).pending.back().branch;
            bool all = true, alone = true;
            for (std::size_t k = 0; k <= w.others.size(); ++k) {
                const Split& other = at(k);
                if (std::none_of(other.pending.begin(), other.pending.end(),
                                 [&](const auto& r) { return r.branch == branch; }))
                    continue;
                alone &= k == n;
                all &= other.pending.back().branch == branch && has_arrived(other);
            }
            // A split is alone if all lanes that it parted from have left the kernel.
            if (!all && !alone) continue;
            changed = true;
            Split& into = at(n);
            into.pending.pop_back();
            for (std::size_t k = w.others.size(); k > n; --k) {
                Split& other = w.others[k - 1];
                if (other.pending.empty() || other.pending.back().branch != branch) continue;
                into.mask |= other.mask;
                other = std::move(w.others.back());
                w.others.pop_back();
            }
        }
    }
}

bool may_merge(const Split& a, const Split& b) {
    return a.pc == b.pc && a.state != SplitState::at_barrier && b.state != SplitState::at_barrier &&
           a.base == b.base && a.frames == b.frames;
}

/// Lockstep: the lanes that parted last run first, and one side runs until it comes to the meeting
/// place.
bool select_lockstep(Warp& w) {
    reconverge(w);
    const auto before = [](const Split& a, const Split& b) {
        if (a.pending.size() != b.pending.size()) return a.pending.size() > b.pending.size();
        if (a.last_run != b.last_run) return a.last_run > b.last_run;
        return a.pc < b.pc;
    };
    Split* best = nullptr;
    const auto consider = [&](Split& s) {
        if (s.mask == 0 || s.state != SplitState::running || has_arrived(s)) return;
        if (best == nullptr || before(s, *best)) best = &s;
    };
    consider(w.current);
    for (Split& other : w.others) consider(other);
    if (best == nullptr) return false;
    if (best != &w.current) std::swap(w.current, *best);
    w.bases[in_frame] = w.current.base;
    return true;
}

/// Where the current split may meet another one: the nearest place ahead at its call depth.
std::uintptr_t meeting_place(const Warp& w) {
    if (is_lockstep(w)) {
        const Split& s = w.current;
        const bool here = !s.pending.empty() && s.pending.back().at != nullptr &&
                          s.pending.back().depth == s.frames.size();
        return reinterpret_cast<std::uintptr_t>(here ? s.pending.back().at : stop);
    }
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

/// Lockstep: ends a launch in which every warp that can run only spins and no memory changes.
void hangs_in_lockstep(Warp& w) {
    const Program& program = *w.launch->program;
    Warp* stuck = &w;
    const auto waits_behind = [](Warp& warp) {
        return std::any_of(warp.others.begin(), warp.others.end(), has_arrived);
    };
    for (Warp& other : w.block->warps)
        if (other.alive != 0 && other.current.mask != 0 && !waits_behind(*stuck) &&
            waits_behind(other))
            stuck = &other;
    const Ins* at = stuck->current.pc;
    std::string text =
        fmt::format("is in a loop near {} that nothing can end", place_of(program, at).text());
    for (const Split& s : stuck->others)
        if (has_arrived(s)) {
            text += fmt::format(
                ": {} lane{} of its warp left the loop and wait{} at {} until the others follow. "
                "Before Volta the lanes of a warp run in lockstep, so who holds a lock must give "
                "it back inside of the loop that takes it",
                std::popcount(s.mask), std::popcount(s.mask) == 1 ? "" : "s",
                std::popcount(s.mask) == 1 ? "s" : "", place_of(program, s.pc).text());
            break;
        }
    fail(*stuck, at, FaultKind::deadlock, stuck->first_lane(), text);
}

}  // namespace

bool can_run(Warp& w) {
    if (w.alive == 0) return false;
    if (is_lockstep(w)) {
        reconverge(w);
        const auto runs = [](const Split& s) {
            return s.mask != 0 && s.state == SplitState::running && !has_arrived(s);
        };
        return runs(w.current) || std::any_of(w.others.begin(), w.others.end(), runs);
    }
    if (w.current.mask != 0 && w.current.state == SplitState::running) return true;
    return std::any_of(w.others.begin(), w.others.end(),
                       [](const Split& s) { return s.state == SplitState::running; });
}

bool select_split(Warp& w) {
    if (is_lockstep(w)) return select_lockstep(w);
    if (w.current.mask == 0) {
        if (w.others.empty()) return false;
        w.current = std::move(w.others.back());
        w.others.pop_back();
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
        const bool spun = polls || (used == n && launch.sync_operations != sync_before &&
                                    launch.changes == changes_before);
        if (is_lockstep(w)) {
            w.silent = launch.sync_operations != sync_before ? 0 : w.silent + used;
            const bool still = used == n && launch.changes == changes_before;
            launch.quiet = still && w.silent < longest_silence ? launch.quiet + used : 0;
            if (launch.quiet > longest_quiet + u64{longest_silence} * launch.warps_resident) {
                hangs_in_lockstep(w);
                return Outcome::fault;
            }
        } else if (!converged) {
            w.patience += used;
            if (spun && launch.options->observer != nullptr)
                launch.options->observer->yielded(w, w.current.pc, w.current.mask);
            if (spun || w.patience > longest_patience) {
                w.rotate = true;
                w.patience = 0;
            }
        }
        if (launch.options->find_deadlocks && !is_lockstep(w))
            note_slice(w, used, launch.sync_operations != sync_before);
        if (polls && is_parked(w)) return Outcome::spins;
        idle_slices = spun ? idle_slices + 1 : 0;
        if (idle_slices > 2 * w.others.size()) return Outcome::spins;
    }
}

}  // namespace cugrade::emulator
