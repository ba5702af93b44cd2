// Which warps and blocks run when. splits.hpp does the same for the lanes of a warp.
//
// Warps and blocks. With seed 0 a block's warps run in order, each until it waits; a block that can
// only spin, or has used its quantum, makes way for the next of the resident blocks, as many as the
// device's multiprocessors hold. Other seeds draw block, warp and a short quantum at random, and
// some blocks and warps that come late: others run first, until they only wait. So a kernel that
// does not wait for what it reads shows it, though the threads that write are quick on a GPU. Both
// orders depend on nothing but the launch and the seed. Under every seed all blocks of a
// cooperative grid are resident, and its warps that poll one word get no turn until it changes:
// polling.hpp. If a kernel cannot see the order of its blocks, several host threads run the blocks
// that seed 0 would run in order: speculation.hpp.
#include "emulator/run/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "emulator/ops/lane_loops.hpp"
#include "emulator/run/device_runtime.hpp"
#include "emulator/run/random.hpp"
#include "emulator/run/speculation.hpp"
#include "emulator/run/splits.hpp"
#include "emulator/run/stuck.hpp"
#include "emulator/state/limits.hpp"
#include "emulator/state/observer.hpp"
#include "emulator/state/polling.hpp"

namespace cugrade::emulator {
namespace {

constexpr u64 warp_quantum = 20'000;

/// A random schedule keeps only a few blocks at work. After so many warp instructions without a
/// change of memory it starts all blocks that can be resident, because the few may wait for the
/// others, as at a barrier written by hand. Chosen: far more than pass while warps of a few blocks
/// spin for a lock that one of them holds.
constexpr u64 longest_spin_of_few = 4'000'000;

/// Of the blocks of a random schedule, one in so many comes late, and so many warp instructions
/// later at most, or after so many without a change of memory: the others may wait for it. Of the
/// warps of a block, one comes late. Chosen: a thread that gives up waiting after a thousand rounds
/// is found out.
constexpr u64 one_late_in = 4;
constexpr u64 longest_late = 1'000'000;
constexpr u64 longest_spin_for_late = 100'000;

/// Warp instructions that one thread runs before it shares a launch with other threads, and that
/// must then be left to do. One thread finishes a smaller launch sooner alone.
constexpr u64 least_before_sharing = 16'384;
constexpr u64 least_to_share = 65'536;
/// Warp instructions of the blocks that a thread takes at a time.
constexpr u64 instructions_in_share = 32'768;
/// Smaller budgets cut slices short, and parallel blocks would cut them at other places than blocks
/// in order.
constexpr u64 least_budget_for_sharing = 65'536;

class Grid {
public:
    explicit Grid(Launch& launch)
        : launch_(launch), random_(launch.options->seed), total_(launch.grid.count()) {
        const MachineConfig& config = *launch.config;
        const u64 on_one = protocol::resident_blocks(multiprocessor_of(config),
                                                     launch.threads_per_block, launch.shared_bytes)
                               .count;
        blocks_.resize(std::min<u64>(std::max<u64>(on_one, 1) * config.multiprocessors, total_));
        launch.track_changes |= launch.options->find_deadlocks;
        is_clean_ = launch.options->seed == 0 && launch.kernel->order == BlockOrder::hidden;
        launch.warps_resident = blocks_.size() * ((launch.threads_per_block + lanes - 1) / lanes);
        // Shared memory starts with garbage that differs between seeds, blocks and places.
        garbage_.resize((std::max<u64>(launch.shared_bytes, 1) + 4096) / 8 + 2);
        Random random(launch.options->seed ^ 0x5DEECE66D);
        if (!launch.options->zero_shared)
            for (u64& word : garbage_) word = random.next() | 0x8080808080808080;
    }

    /// Runs one block to its end when several threads share the blocks. False if the block does not
    /// end by itself.
    bool run_alone(u64 number);
    void run() {
        // A kernel that runs at its launch is another grid's turn within this one's.
        if (launch_.options->seed == 0 && launch_.options->children != Children::at_once)
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
    void draw_late(Block& block);
    bool end_lateness();
    Warp* draw_warp(Block& block, bool late_too);
    bool unpark();
    void run_children();
    [[nodiscard]] bool worth_sharing() const;
    void share();
    void deadlock();

    Launch& launch_;
    Random random_;
    u64 total_ = 0, next_ = 0, finished_ = 0;
    bool shared_ = false;    ///< sharing the blocks has been tried
    bool is_clean_ = false;  ///< local memory is cleared for every block
    std::vector<Block> blocks_;
    std::vector<u64> garbage_;
};

/// Allocates the storage of a block slot, once per launch.
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
    ++launch_.arrivals;
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
    if (block.waited_at != 0) block.barriers.fill({});
    block.waited_at = 0;
    std::memcpy(block.shared, garbage_.data() + block.number * 37 % 512, launch_.shared_bytes);
    for (Warp& w : block.warps) {
        const u32 threads = std::min(launch_.threads_per_block - w.index * lanes, lanes);
        w.alive = threads == lanes ? all_lanes : (1u << threads) - 1;
        w.others.clear();
        w.turns = w.patience = 0;
        w.rotate = false;
        w.followed = false;
        w.poll = {};
        w.current.pc = launch_.program->at(launch_.kernel->entry);
        w.current.mask = w.alive;
        w.current.state = SplitState::running;
        w.current.local = 0;
        w.current.frames.clear();
        w.current.base = w.bases[in_frame] = w.frame0;
        // Clear the values of earlier blocks: which block was here depends on the threads' timing.
        if (is_clean_) {
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
            if (!can_run(w) || is_parked(w)) continue;
            ran = true;
            const Outcome outcome = run_warp(w, warp_quantum);
            if (outcome == Outcome::fault) return outcome;
            progress |= outcome == Outcome::waits || outcome == Outcome::done;
        }
        if (block.live_warps == 0) return Outcome::done;
        if ((!ran || !progress) && end_meeting(block)) continue;
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
                if (is_stuck(launch_, blocks_))
                    return fail_as_stuck(launch_, blocks_, total_ - next_);
                if (outcome != Outcome::done) break;
                end(block);
                run_children();
                if (launch_.fault) return;
                if (worth_sharing()) share();
                if (next_ == total_) break;
                start(block);
            }
        }
        if (launch_.executed == executed_before && finished_ < total_ && !unpark())
            return deadlock();
    }
}

/// Lets all parked warps poll again when nothing else can run. They wait for ever, until the budget
/// ends the launch. False if no warp is parked.
bool Grid::unpark() {
    bool any = false;
    for (Block& block : blocks_) {
        if (!block.active) continue;
        for (Warp& w : block.warps) {
            any |= can_run(w) && is_parked(w);
            w.poll.word = nullptr;
        }
    }
    return any;
}

/// Runs the kernels that ended blocks have launched, before the other blocks of the grid.
void Grid::run_children() {
    if (launch_.work == nullptr || launch_.options->observer != nullptr || finished_ == total_)
        return;
    launch_.device_runtime->run_queue(launch_);
}

bool Grid::run_alone(u64 number) {
    next_ = number;
    Block& block = blocks_.front();
    start(block);
    for (;;) {
        const Outcome outcome = run_block(block);
        if (outcome == Outcome::spins) continue;  // until its budget ends, if nothing happens
        if (outcome == Outcome::done) end(block);
        return outcome == Outcome::done;
    }
}

/// True if there are several threads, no block is half done, and enough is left to do. The rest is
/// estimated from the instructions run so far, not from time, so that every run decides alike.
bool Grid::worth_sharing() const {
    const u64 budget = launch_.options->warp_instruction_budget;
    if (launch_.workers == nullptr || shared_ || finished_ != next_ || total_ - next_ < 2 ||
        (budget != 0 && budget < least_budget_for_sharing))
        return false;
    return launch_.executed >= least_before_sharing &&
           launch_.executed / finished_ * (total_ - next_) >= least_to_share;
}

/// Lets several threads run the blocks that are left, as far as the results stay the same.
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
    // Don't share the next launch of this kernel: it would stop for the same reason.
    Program& program = *launch_.program;
    program.functions[static_cast<std::size_t>(launch_.kernel - program.functions.data())]
        .is_shared_in_vain = true;
}

/// Draws whether a block that begins comes late, and which of its warps does.
void Grid::draw_late(Block& block) {
    block.late_until = random_.below(one_late_in) == 0 ? launch_.executed + longest_late : 0;
    block.late_warp = static_cast<u32>(random_.below(block.warps.size()));
    block.warp_late_until = launch_.executed + longest_late;
}

/// Lets all that is late go on. False if nothing was.
bool Grid::end_lateness() {
    bool any = false;
    for (Block& block : blocks_) {
        if (!block.active) continue;
        any |= std::max(block.late_until, block.warp_late_until) > launch_.executed;
        block.late_until = block.warp_late_until = 0;
    }
    return any;
}

/// One of the block's warps that can run; null if there is none.
Warp* Grid::draw_warp(Block& block, bool late_too) {
    const bool one_is_late = !late_too && block.warp_late_until > launch_.executed;
    const u64 first = random_.below(block.warps.size());
    for (u64 k = 0; k < block.warps.size(); ++k) {
        Warp& w = block.warps[(first + k) % block.warps.size()];
        if (can_run(w) && !is_parked(w) && !(one_is_late && w.index == block.late_warp)) return &w;
    }
    return nullptr;
}

void Grid::run_at_random() {
    // Enough blocks to interleave; more would only overflow the caches.
    u64 slots = blocks_.size();
    if (slots > 16 && !launch_.is_cooperative) slots = std::min(slots, 16 + random_.below(16));
    u64 changes = 0, changed_at = 0;
    while (finished_ < total_) {
        if (launch_.changes != changes) {
            changes = launch_.changes;
            changed_at = launch_.executed;
        } else {
            const u64 quiet = launch_.executed - changed_at;
            if (quiet > longest_spin_for_late) (void)end_lateness();
            if (quiet > longest_spin_of_few && slots < blocks_.size()) slots = blocks_.size();
        }
        for (u64 n = 0; n < slots; ++n)
            if (!blocks_[n].active && next_ < total_) {
                start(blocks_[n]);
                draw_late(blocks_[n]);
            }
        const u64 first = random_.below(slots);
        bool ran = false;
        for (u64 n = 0; n < slots && !ran; ++n) {
            Block& block = blocks_[(first + n) % slots];
            if (!block.active || block.late_until > launch_.executed) continue;
            for (u64 turns = 1 + random_.below(32); turns != 0; --turns) {
                Warp* chosen = draw_warp(block, false);
                // The others wait at a barrier, or have ended.
                if (chosen == nullptr) chosen = draw_warp(block, true);
                if (chosen == nullptr && end_meeting(block)) chosen = draw_warp(block, true);
                if (chosen == nullptr) break;
                ran = true;
                const Outcome outcome = run_warp(*chosen, 1 + random_.below(64));
                if (outcome == Outcome::fault) return;
                // It may have been the last that still did something.
                if (outcome == Outcome::waits || outcome == Outcome::done)
                    launch_.may_be_stuck = launch_.options->find_deadlocks;
                if (is_stuck(launch_, blocks_))
                    return fail_as_stuck(launch_, blocks_, total_ - next_);
            }
            if (block.live_warps == 0) end(block);
        }
        if (!ran && finished_ < total_ && !end_lateness() && !unpark()) return deadlock();
    }
}

/// Ends a launch in which nothing can run. The fault says, for the first block that is stuck, how
/// many threads wait, where and for what.
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
        if (std::ranges::any_of(groups,
                                [](const Group& g) { return g.state == SplitState::at_sync; }))
            text += "; a mask may name only threads that come to the same instruction";
        if (first->current.mask == 0) select_split(*first);
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
