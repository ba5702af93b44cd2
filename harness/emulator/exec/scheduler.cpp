// Which lanes, warps and blocks run when.
//
// Lanes. A warp is a set of splits: lanes at one place with one call stack. The split that is
// deepest in calls and, there, lowest in the code runs until it reaches the place of another one,
// so lanes that diverged meet again at the first instruction they have in common. That alone would
// starve the holder of a lock that others of its warp spin on, above it in the code; so a split
// that spins (it read volatile memory or tried atomics, and nothing changed) or has simply run long
// gives way to the split that has waited longest, for a slice.
//
// Warps and blocks. With seed 0 a block's warps run in order, each until it waits; a block that can
// only spin, or has used its quantum, makes way for the next of the resident blocks, as many as the
// device's multiprocessors hold. Other seeds draw block, warp and a short quantum at random. Both
// orders depend on nothing but the launch and the seed. Where the order of blocks cannot be seen,
// several host threads run what seed 0 would run in order: speculation.hpp.
#include "emulator/exec/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "emulator/exec/lane_loops.hpp"
#include "emulator/exec/limits.hpp"
#include "emulator/exec/observer.hpp"
#include "emulator/exec/random.hpp"
#include "emulator/exec/speculation.hpp"

namespace cugrade::emulator {
namespace {

constexpr u64 warp_quantum = 20'000;
constexpr u64 converged_slice = 1024;
constexpr u64 diverged_slice = 256;
constexpr u64 longest_patience = 65'536;
/// Lockstep: a warp that does nothing for so long that could wait for others computes something.
constexpr u64 longest_silence = 2048;
constexpr u64 longest_quiet = 100'000;

/// Warp instructions of a launch that one thread runs before others are called, and that must be
/// left to do then: less is done sooner than shared.
constexpr u64 least_before_sharing = 16'384;
constexpr u64 least_to_share = 65'536;
/// Of blocks that one thread takes at a time.
constexpr u64 instructions_in_share = 32'768;
/// Smaller budgets cut slices short, which a try would do elsewhere.
constexpr u64 least_budget_for_sharing = 65'536;

enum class Outcome { waits, spins, quantum, done, fault };

bool is_lockstep(const Warp& w) { return w.launch->options->schedule == Schedule::lockstep; }

/// Lockstep: has come to where it waits for those that it parted from last.
bool has_arrived(const Split& s) {
    return !s.pending.empty() && s.state == SplitState::running && s.pc == s.pending.back().at &&
           s.frames.size() == s.pending.back().depth;
}

/// Lockstep: makes one split of those who have all come to their meeting place.
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
            // Those that it parted from may all have left the kernel.
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

bool may_merge(const Split& a, const Split& b) {
    return a.pc == b.pc && a.state != SplitState::at_barrier && b.state != SplitState::at_barrier &&
           a.frames == b.frames;
}

/// Lockstep: those who parted last run first, one side until it comes to the meeting place.
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

/// Joins splits that are at one place, then makes the one that should run current. False if none
/// can run.
bool select(Warp& w) {
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

/// Where the current split may meet another: the nearest place ahead of it at its call depth.
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
    const bool spinning = launch.track_changes && launch.tracked_changes == 0;
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

/// Lockstep: every warp that can run only spins, and no memory changes.
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

Outcome run_warp(Warp& w, u64 quantum) {
    Launch& launch = *w.launch;
    const u64 budget = launch.options->warp_instruction_budget;
    u64 idle_slices = 0;  // in a row, that only spun
    for (;;) {
        if (launch.fault) return Outcome::fault;
        if (w.alive == 0) return Outcome::done;
        // Before `select`, which would use up a rotation that the next quantum is to start with.
        if (quantum == 0 && can_run(w)) return Outcome::quantum;
        if ((!w.others.empty() || w.current.state != SplitState::running) && !select(w))
            return Outcome::waits;
        const bool converged = w.others.empty();
        u64 n = std::min(quantum, converged ? converged_slice : diverged_slice);
        if (budget != 0) {
            if (launch.executed >= budget) {
                out_of_budget(w);
                return Outcome::fault;
            }
            if (launch.executed >= budget / 2) launch.track_changes = true;
            n = std::min(n, budget - launch.executed);
        }
        const u64 sync_before = launch.sync_operations, changes_before = launch.changes;
        const u32 mask = w.current.mask;
        w.current.last_run = ++w.turns;
        w.stop_at = converged ? reinterpret_cast<std::uintptr_t>(stop) : meeting_place(w);
        const u64 used = converged ? run_slice<true>(w, n) : run_slice<false>(w, n);
        launch.executed += used;
        launch.thread_instructions += used * static_cast<u64>(std::popcount(mask));
        quantum -= used;
        const bool spun =
            used == n && launch.sync_operations != sync_before && launch.changes == changes_before;
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
        idle_slices = spun ? idle_slices + 1 : 0;
        if (idle_slices > 2 * w.others.size()) return Outcome::spins;
    }
}

class Grid {
public:
    explicit Grid(Launch& launch)
        : launch_(launch), random_(launch.options->seed), total_(launch.grid.count()) {
        const MachineConfig& config = *launch.config;
        const u64 threads = std::max(launch.threads_per_block, 1u);
        const u64 threads_per_sm = resident_threads(config.arch);
        const u64 shared = std::max<u64>(launch.shared_bytes, 1);
        const u64 per_sm = std::clamp<u64>(
            std::min(threads_per_sm / threads, config.max_shared_per_block_optin / shared), 1,
            config.resident_blocks);
        blocks_.resize(std::min<u64>(per_sm * config.multiprocessors, total_));
        is_clean_ = launch.options->seed == 0 && launch.kernel->order == BlockOrder::hidden;
        launch.warps_resident = blocks_.size() * ((launch.threads_per_block + lanes - 1) / lanes);
        // Shared memory starts with garbage that differs between seeds, blocks and places.
        garbage_.resize((std::max<u64>(launch.shared_bytes, 1) + 4096) / 8 + 2);
        Random random(launch.options->seed ^ 0x5DEECE66D);
        for (u64& word : garbage_) word = random.next() | 0x8080808080808080;
    }

    /// For a try on several threads: one block to its end. False if it does not end by itself.
    bool run_alone(u64 number);
    void run() {
        if (launch_.options->seed == 0)
            run_in_order();
        else
            run_at_random();
    }

private:
    void prepare(Block& block);
    void start(Block& block);
    void end(Block& block);
    Outcome run_block(Block& block);
    void run_in_order();
    void run_at_random();
    [[nodiscard]] bool worth_sharing() const;
    void share();
    void deadlock();

    Launch& launch_;
    Random random_;
    u64 total_ = 0, next_ = 0, finished_ = 0;
    bool shared_ = false;    ///< has been tried
    bool is_clean_ = false;  ///< every block starts from the same
    std::vector<Block> blocks_;
    std::vector<u64> garbage_;
};

/// Storage of a block slot, once per launch.
void Grid::prepare(Block& block) {
    const u32 warps = (launch_.threads_per_block + lanes - 1) / lanes;
    const auto lines = [](u64 bytes) {
        return (bytes + sizeof(CacheLine) - 1) / sizeof(CacheLine);
    };
    const u64 rows = 4 * lanes * 4 / sizeof(CacheLine);
    const u64 frame = lines(launch_.kernel->frame_bytes);
    block.storage.resize(rows + warps * frame + lines(launch_.shared_bytes) + 1);
    block.rows = data_of(block.storage);
    block.shared = block.rows + (rows + warps * frame) * sizeof(CacheLine);
    block.warps.resize(warps);
    const Row<u32> sm{block.rows + 3 * lanes * 4};
    const auto slot = static_cast<u32>(&block - blocks_.data());
    for (u32 l = 0; l < lanes; ++l) sm.set(l, slot % launch_.config->multiprocessors);
    for (u32 n = 0; n < warps; ++n) {
        Warp& w = block.warps[n];
        w.index = n;
        w.block = &block;
        w.launch = &launch_;
        w.frame0 = block.rows + (rows + n * frame) * sizeof(CacheLine);
        w.bases[in_pool] = data_of(launch_.program->pool);
        w.bases[in_warp] = data_of(launch_.warp_rows) + n * rows * sizeof(CacheLine);
        w.bases[in_block] = block.rows;
    }
}

void Grid::end(Block& block) {
    if (Observer* observer = launch_.options->observer) observer->block_ended(block);
    block.active = false;
    ++finished_;
}

void Grid::start(Block& block) {
    if (block.storage.empty()) prepare(block);
    const Dim3& grid = launch_.grid;
    block.number = next_++;
    block.active = true;
    block.index = {static_cast<u32>(block.number % grid.x),
                   static_cast<u32>(block.number / grid.x % grid.y),
                   static_cast<u32>(block.number / grid.x / grid.y)};
    for (u32 d = 0; d < 3; ++d) {
        const Row<u32> row{block.rows + d * lanes * 4};
        for (u32 l = 0; l < lanes; ++l) row.set(l, block.index[d]);
    }
    block.alive_threads = launch_.threads_per_block;
    block.live_warps = static_cast<u32>(block.warps.size());
    block.barriers.fill({});
    std::memcpy(block.shared, garbage_.data() + block.number * 37 % 512, launch_.shared_bytes);
    for (Warp& w : block.warps) {
        const u32 threads = std::min(launch_.threads_per_block - w.index * lanes, lanes);
        w.alive = threads == lanes ? all_lanes : (1u << threads) - 1;
        w.others.clear();
        w.turns = w.patience = w.silent = 0;
        w.rotate = false;
        w.current.pc = launch_.program->at(launch_.kernel->entry);
        w.current.mask = w.alive;
        w.current.state = SplitState::running;
        w.current.local = 0;
        w.current.frames.clear();
        w.current.pending.clear();
        w.current.base = w.bases[in_frame] = w.frame0;
        // Not what an earlier block left: which one that was depends on who runs what.
        if (is_clean_) {
            if (launch_.kernel->shuffles) std::memset(w.frame0, 0, launch_.kernel->frame_bytes);
            if (w.local_memory != nullptr)
                std::memset(w.local_memory, 0, lanes * std::size_t{launch_.kernel->local_bytes});
        }
        for (const Operand& row : launch_.kernel->clear)
            std::memset(w.frame0 + row.offset, 0, row.bytes == 0 ? 4 : lanes * row.bytes);
    }
    if (Observer* observer = launch_.options->observer) observer->block_started(block);
}

/// Runs a block's warps in turn until it is done, waits, or only spins.
Outcome Grid::run_block(Block& block) {
    for (;;) {
        bool ran = false, progress = false;
        for (Warp& w : block.warps) {
            if (!can_run(w)) continue;
            ran = true;
            const Outcome outcome = run_warp(w, warp_quantum);
            if (outcome == Outcome::fault) return outcome;
            progress |= outcome == Outcome::waits || outcome == Outcome::done;
        }
        if (block.live_warps == 0) return Outcome::done;
        if (!ran) return Outcome::waits;
        if (!progress) return Outcome::spins;
    }
}

void Grid::run_in_order() {
    while (finished_ < total_) {
        const u64 executed_before = launch_.executed;
        for (Block& block : blocks_) {
            if (!block.active) {
                if (next_ == total_) continue;
                start(block);
            }
            for (;;) {
                const Outcome outcome = run_block(block);
                if (outcome == Outcome::fault) return;
                if (outcome != Outcome::done) break;
                end(block);
                if (worth_sharing()) share();
                if (next_ == total_) break;
                start(block);
            }
        }
        if (launch_.executed == executed_before && finished_ < total_) return deadlock();
    }
}

bool Grid::run_alone(u64 number) {
    next_ = number;
    Block& block = blocks_.front();
    start(block);
    for (;;) {
        const Outcome outcome = run_block(block);
        if (outcome == Outcome::spins) continue;  // to the end of its budget, if nothing happens
        if (outcome == Outcome::done) end(block);
        return outcome == Outcome::done;
    }
}

/// Are there several threads, nothing half done, and enough left to do? What is left is judged by
/// what was run, not by time, so that every run does the same.
bool Grid::worth_sharing() const {
    const u64 budget = launch_.options->warp_instruction_budget;
    if (launch_.workers == nullptr || shared_ || finished_ != next_ || total_ - next_ < 2 ||
        (budget != 0 && budget < least_budget_for_sharing))
        return false;
    return launch_.executed >= least_before_sharing &&
           launch_.executed / finished_ * (total_ - next_) >= least_to_share;
}

/// Has the blocks that are left run by several threads, as far as that does not show.
void Grid::share() {
    shared_ = true;
    const auto run_alone_on = [](Launch& own) -> Speculation::RunBlock {
        return [grid = std::make_shared<Grid>(own)](u64 number) { return grid->run_alone(number); };
    };
    const u64 each = std::max<u64>(launch_.executed / finished_, 1);
    const u64 share = std::max<u64>(instructions_in_share / each, 1);
    const u64 end = Speculation(launch_, *launch_.workers).run(next_, total_, share, run_alone_on);
    launch_.shared_blocks += end - next_;
    next_ = finished_ = end;
    if (finished_ == total_) return;
    // What has stopped it would do so again.
    Program& program = *launch_.program;
    program.functions[static_cast<std::size_t>(launch_.kernel - program.functions.data())]
        .is_shared_in_vain = true;
}

void Grid::run_at_random() {
    // Enough blocks to interleave; more would only leave the caches.
    if (blocks_.size() > 16) blocks_.resize(16 + random_.below(16));
    while (finished_ < total_) {
        for (Block& block : blocks_)
            if (!block.active && next_ < total_) start(block);
        const u64 first = random_.below(blocks_.size());
        bool ran = false;
        for (u64 n = 0; n < blocks_.size() && !ran; ++n) {
            Block& block = blocks_[(first + n) % blocks_.size()];
            if (!block.active) continue;
            for (u64 turns = 1 + random_.below(32); turns != 0; --turns) {
                const u64 first_warp = random_.below(block.warps.size());
                Warp* chosen = nullptr;
                for (u64 k = 0; k < block.warps.size() && chosen == nullptr; ++k) {
                    Warp& w = block.warps[(first_warp + k) % block.warps.size()];
                    if (can_run(w)) chosen = &w;
                }
                if (chosen == nullptr) break;
                ran = true;
                if (run_warp(*chosen, 1 + random_.below(64)) == Outcome::fault) return;
            }
            if (block.live_warps == 0) end(block);
        }
        if (!ran && finished_ < total_) return deadlock();
    }
}

/// Nothing can run: says, for the first block that is stuck, who waits where and for what.
void Grid::deadlock() {
    const Program& program = *launch_.program;
    for (Block& block : blocks_) {
        if (!block.active) continue;
        struct Group {
            const Ins* at;
            SplitState state;
            u32 threads, missing;
        };
        std::vector<Group> groups;
        Warp* first = nullptr;
        for (Warp& w : block.warps) {
            const auto add = [&](const Split& s) {
                if (s.mask == 0) return;
                if (first == nullptr) first = &w;
                const auto threads = static_cast<u32>(std::popcount(s.mask));
                const auto missing = static_cast<u32>(std::popcount(s.members & w.alive & ~s.mask));
                for (Group& g : groups)
                    if (g.at == s.pc) {
                        g.threads += threads;
                        g.missing += missing;
                        return;
                    }
                groups.push_back({s.pc, s.state, threads, missing});
            };
            if (w.alive == 0) continue;
            add(w.current);
            for (const Split& s : w.others) add(s);
        }
        if (groups.empty()) continue;
        std::string text;
        for (const Group& g : groups) {
            if (!text.empty()) text += "; ";
            const std::string where = place_of(program, g.at).text();
            if (g.state == SplitState::running) {
                text +=
                    fmt::format("{} threads wait in {} for others of their warp", g.threads, where);
            } else if (g.state == SplitState::at_barrier) {
                text += fmt::format("{} threads wait at the barrier in {}", g.threads, where);
            } else {
                text += fmt::format("{} threads wait at `{}` in {} for {} threads of their warp",
                                    g.threads, program.source_of(g.at).opcode, where, g.missing);
            }
        }
        if (first->current.mask == 0) select(*first);
        const Ins* at = groups.front().at;
        fail(*first, at, FaultKind::deadlock, first->current.mask != 0 ? first->first_lane() : 0,
             "");
        launch_.fault->message = fmt::format(
            "no thread of the grid can go on; in block ({},{},{}), where {} of {} "
            "threads have not finished, {}",
            block.index[0], block.index[1], block.index[2], block.alive_threads,
            launch_.threads_per_block, text);
        return;
    }
}

}  // namespace

void run_grid(Launch& launch) { Grid(launch).run(); }

}  // namespace cugrade::emulator
