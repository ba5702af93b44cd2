#include "emulator/run/stuck.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/decode/opcodes.hpp"
#include "emulator/ops/lane_loops.hpp"

namespace cugrade::emulator {
namespace {

// Chosen: how many instructions a look runs to find a known place again, and how many a warp runs
// between two looks. The first look is at Circling::next_look.
constexpr u64 longest_way_round = 1024;
constexpr u64 between_looks = 4096;
/// Chosen: instructions for which the running warps have to ask in vain, on average, if nothing is
/// proved: some million rounds of a loop. Beyond `most_waiting_warps` warps the total stays the
/// same.
constexpr u64 longest_wait = u64{1} << 26;
constexpr u64 most_waiting_warps = 8;

/// Changes whenever something happens that could let a waiting thread go on.
u64 version_of(const Launch& launch) { return launch.tracked_changes + launch.arrivals; }

bool runs(const Split& s) { return s.mask != 0 && s.state == SplitState::running; }

u64 running_splits(const Warp& w) {
    return static_cast<u64>(runs(w.current)) +
           static_cast<u64>(std::count_if(w.others.begin(), w.others.end(), runs));
}

/// Hashes all registers and where the lanes are.
u64 hash_of(const Warp& w) {
    u64 hash = 0xCBF29CE484222325;
    const auto add = [&hash](u64 value) {
        hash = (hash ^ value) * 0x9E3779B97F4A7C15;
        hash ^= hash >> 29;
    };
    const auto add_frame = [&](const std::byte* base, const Ins* pc) {
        const Program& program = *w.launch->program;
        const u64 bytes =
            program.functions[program.origins[program.index_of(pc)].function].frame_bytes;
        for (u64 n = 0; n + 8 <= bytes; n += 8) {
            u64 word = 0;
            std::memcpy(&word, base + n, 8);
            add(word);
        }
    };
    const auto add_split = [&](const Split& s) {
        if (s.mask == 0) return;
        add(reinterpret_cast<std::uintptr_t>(s.pc));
        add(s.mask | u64{static_cast<std::uint8_t>(s.state)} << 32);
        add_frame(s.base, s.pc);
        for (const Frame& frame : s.frames) {
            add(reinterpret_cast<std::uintptr_t>(frame.call));
            add_frame(frame.base, frame.call);
        }
    };
    add_split(w.current);
    for (const Split& other : w.others) add_split(other);
    return hash;
}

/// Runs the current split, the only one that can run, until it comes to `place`. False if it does
/// not come there soon.
bool go_on_to(Warp& w, const Ins* place) {
    Launch& launch = *w.launch;
    const u64 version = version_of(launch);
    w.stop_at = reinterpret_cast<std::uintptr_t>(stop);
    for (u64 n = 0; n < longest_way_round; ++n) {
        if (w.current.pc == place) return true;
        const Ins* const next = w.current.pc->slow(w, w.current.pc);
        ++launch.executed;
        launch.thread_instructions += static_cast<u64>(std::popcount(w.current.mask));
        if (next != stop) w.current.pc = next;
        if (launch.fault || version_of(launch) != version || !runs(w.current)) return false;
        if (running_splits(w) != 1) return false;
    }
    return w.current.pc == place;
}

}  // namespace

void note_slice(Warp& w, u64 used, bool asked) {
    Launch& launch = *w.launch;
    Circling& c = w.circling;
    const u64 version = version_of(launch);
    if (c.version != version || launch.fault) {
        c = {.version = version};
        return;
    }
    c.quiet += used;
    c.silent = asked ? 0 : c.silent + used;
    c.asked = c.silent <= longest_silence ? c.asked + used : 0;
    if (c.asked >= longest_wait) launch.may_be_stuck = true;
    if (c.proved || c.quiet < c.next_look || w.alive == 0 || !runs(w.current) ||
        running_splits(w) != 1)
        return;
    c.next_look = c.quiet + between_looks;
    if (c.place == nullptr || !go_on_to(w, c.place)) {
        if (w.alive == 0 || !runs(w.current) || c.version != version_of(launch)) return;
        // Look at the current place from now on: the old one may lie before the loop.
        c.place = w.current.pc;
        c.hash = hash_of(w);
        return;
    }
    const u64 hash = hash_of(w);
    if (hash == c.hash) {
        c.proved = launch.may_be_stuck = true;
        return;
    }
    // As in Brent's algorithm, the state to compare with is renewed ever more rarely.
    if (++c.looks < c.renew_after) return;
    c.looks = 0;
    c.renew_after *= 2;
    c.hash = hash;
}

bool is_stuck(Launch& launch, std::vector<Block>& blocks) {
    if (!launch.may_be_stuck) return false;
    launch.may_be_stuck = false;
    const u64 version = version_of(launch);
    bool proved = !launch.arena->shares_with_host();
    bool asked = true;
    u64 running = 0, wait = 0;
    for (const Block& block : blocks) {
        if (!block.active) continue;
        if (block.barriers[meeting_barrier].arrived != 0) return false;  // it ends by itself
        for (const Warp& w : block.warps) {
            if (w.alive == 0 || running_splits(w) == 0) continue;
            ++running;
            const Circling& c = w.circling;
            if (c.version != version) return false;
            proved &= c.proved;
            asked &= c.asked != 0;
            wait += c.asked;
            if (!proved && !asked) return false;
        }
    }
    if (running == 0) return false;
    return proved || (asked && wait >= longest_wait * std::min(running, most_waiting_warps));
}

namespace {

/// The memory that a waiting loop reads, as far as one round of it shows.
struct Asked {
    const Ins* at = nullptr;
    u64 address = 0;
    std::string what;
};

Asked asked_in_loop(Warp& w) {
    Asked found;
    bool is_sync = false;
    const u64 version = version_of(*w.launch);
    w.stop_at = reinterpret_cast<std::uintptr_t>(stop);
    for (u64 n = 0; n < longest_way_round && runs(w.current); ++n) {
        const Ins* const i = w.current.pc;
        const ptx::Instruction& source = w.launch->program->source_of(i);
        const MemoryUse memory = opcode_of(source).memory;
        const bool reads = memory == MemoryUse::loads || memory == MemoryUse::changes;
        if (reads && (found.at == nullptr || (i->sync != 0 && !is_sync))) {
            const u32 lane = w.first_lane();
            u64 address = 0;
            switch (i->touch) {
                case Touch::rows4:
                    address = w.a<u32>(i).get(lane) + static_cast<u32>(i->imm);
                    break;
                case Touch::rows8:
                    address = w.a<u64>(i).get(lane) + static_cast<u64>(i->imm);
                    break;
                case Touch::fixed:
                    address = static_cast<u64>(i->imm) - w.launch->arena->bias();
                    break;
                default: break;
            }
            const auto space = static_cast<ptx::Space>(i->space);
            const bool is_memory = space == ptx::Space::global || space == ptx::Space::generic ||
                                   space == ptx::Space::shared;
            if (i->touch != Touch::nothing && is_memory) {
                is_sync = i->sync != 0;
                const bool shared = space == ptx::Space::shared ||
                                    address - shared_window < local_window - shared_window;
                found.at = i;
                found.address = shared ? 0 : address;
                found.what = shared ? fmt::format("byte {} of the block's shared memory",
                                                  address % shared_window)
                                    : w.launch->arena->located(address);
            }
        }
        const Ins* const next = i->slow(w, i);
        if (next != stop) w.current.pc = next;
        if (w.launch->fault || version_of(*w.launch) != version) break;
    }
    return found;
}

void select_running(Warp& w) {
    if (runs(w.current)) return;
    const auto other = std::find_if(w.others.begin(), w.others.end(), runs);
    if (other == w.others.end()) return;
    std::swap(w.current, *other);
    w.bases[in_frame] = w.current.base;
}

/// Says how many threads of the block wait elsewhere, and where.
std::string others_of(const Block& block, const Warp& stuck) {
    const Program& program = *stuck.launch->program;
    std::vector<std::pair<std::string, u32>> groups;
    const auto add = [&](const Split& s) {
        if (s.mask == 0 || runs(s)) return;
        const char* what = s.state == SplitState::at_barrier ? "the barrier" : "a warp operation";
        const std::string text = fmt::format("{} in {}", what, place_of(program, s.pc).text());
        const auto known = std::ranges::find(groups, text, &std::pair<std::string, u32>::first);
        const auto threads = static_cast<u32>(std::popcount(s.mask));
        if (known == groups.end())
            groups.emplace_back(text, threads);
        else
            known->second += threads;
    };
    for (const Warp& w : block.warps) {
        if (w.alive == 0) continue;
        add(w.current);
        for (const Split& s : w.others) add(s);
    }
    std::string text;
    for (const auto& [where, threads] : groups)
        text += fmt::format("; {} thread{} of its block wait{} at {}", threads,
                            threads == 1 ? "" : "s", threads == 1 ? "s" : "", where);
    return text;
}

}  // namespace

void fail_as_stuck(Launch& launch, std::vector<Block>& blocks, u64 not_begun) {
    for (Block& block : blocks) {
        if (!block.active) continue;
        for (Warp& w : block.warps) {
            if (w.alive == 0 || running_splits(w) == 0) continue;
            select_running(w);
            const Asked asked = asked_in_loop(w);
            if (launch.fault) return;
            const Ins* at = asked.at != nullptr ? asked.at : w.current.pc;
            std::string text =
                asked.at != nullptr
                    ? fmt::format(
                          "waits for ever for a change of {}, which it reads again and again",
                          asked.what)
                    : std::string("is in a loop that never ends, and reads no memory in it");
            text += others_of(block, w);
            if (asked.at != nullptr)
                text +=
                    ". No thread that is left changes any memory: has who should write it ended, "
                    "does "
                    "it wait for this thread, or does it look at another place?";
            if (not_begun != 0)
                text += fmt::format(
                    " {} block{} of the grid {} not begun, and cannot before others end", not_begun,
                    not_begun == 1 ? "" : "s", not_begun == 1 ? "has" : "have");
            fail(w, at, FaultKind::deadlock, w.current.mask != 0 ? w.first_lane() : 0,
                 std::move(text), asked.address);
            return;
        }
    }
}

}  // namespace cugrade::emulator
