#include "emulator/observe/locks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace cugrade::emulator {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Failures after which a lock that no thread has taken is no lock that is free soon. Chosen.
constexpr u64 long_wait = 64;
/// Words that are followed. Chosen: more than a course's programs have locks.
constexpr std::size_t most_locks = 1 << 20;
constexpr u64 in_shared = u64{1} << 63;

}  // namespace

Locks::Thread Locks::thread_of_lane(const Warp& w, u32 lane) {
    return w.block->number << 32 | (w.index * lanes + lane);
}

std::vector<u64> Locks::held_by(Thread thread) const {
    std::vector<u64> out;
    for (const auto& [lock, holder] : holders_)
        if (holder.thread == thread) out.push_back(lock);
    return out;
}

void Locks::launch_started(const Launch& launch) {
    launch_ = &launch;
    idioms_.launch_started(*launch.program);
    holders_.clear();
    waiting_.clear();
    ever_taken_.clear();
    dead_.reset();
}

void Locks::accessed(const Warp& w, const Ins* i, const Access& a) {
    const bool is_shared = a.space == ptx::Space::shared;
    if ((!is_shared && a.space != ptx::Space::global) || a.kind == Access::Kind::load) return;
    const LockTaking* taking =
        a.taking != Access::Taking::no ? idioms_.lock_taking(a.code) : nullptr;
    if (taking != nullptr && a.bytes <= 8) return take(w, i, a, *taking);
    if (holders_.empty()) return;
    for_lanes(a.mask, [&](u32 l) {
        holders_.erase(is_shared ? in_shared | w.block->number << 20 | a.address[l] : a.address[l]);
        return true;
    });
}

void Locks::take(const Warp& w, const Ins* i, const Access& a, const LockTaking& taking) {
    const bool is_shared = a.space == ptx::Space::shared;
    u32 takers = 0;  // lanes before this one, which memory does not show yet
    for_lanes(a.mask, [&](u32 l) {
        const u64 address = a.address[l];
        const bool inside = is_shared ? address + a.bytes <= launch_->shared_bytes
                                      : launch_->arena->find(address).holds(address, a.bytes);
        if (!inside) return true;
        const u64 lock = is_shared ? in_shared | w.block->number << 20 | address : address;
        u64 word = 0;
        std::memcpy(&word,
                    is_shared ? w.block->shared + address : launch_->arena->host(address), a.bytes);
        bool is_taken = false;
        for_lanes(takers, [&](u32 taker) {
            is_taken = a.address[taker] == address;
            return !is_taken;
        });
        if (is_taken || !taking.succeeds(word)) {
            failed(w, i, l, lock);
            return true;
        }
        takers |= 1U << l;
        waiting_.erase(thread_of_lane(w, l));
        if (holders_.size() < most_locks) {
            holders_[lock] = {
                .thread = thread_of_lane(w, l), .warp = &w, .lane = l, .taken = i};
            ever_taken_.insert(lock);
        }
        return true;
    });
}

void Locks::failed(const Warp& w, const Ins* i, u32 lane, u64 lock) {
    const Thread me = thread_of_lane(w, lane);
    Waiting& mine = waiting_[me];
    if (mine.lock != lock || mine.tried != i) mine = {.lock = lock, .tried = i, .lane = lane};
    ++mine.failures;
    if (dead_) return;
    const auto found = holders_.find(lock);
    if (found == holders_.end()) {
        if (mine.failures >= long_wait && !ever_taken_.contains(lock))
            dead_ = Dead{FindingKind::lock_not_initialised, me, i, nullptr, lock, 0};
        return;
    }
    const Holder& holder = found->second;
    const auto die = [&](FindingKind kind, const Ins* at, const Ins* other) {
        dead_ = Dead{kind, me, at, other, lock, holder.thread};
    };
    if (holder.thread == me) {
        die(holder.taken == i ? FindingKind::lock_not_released : FindingKind::lock_taken_twice, i,
            holder.taken);
        return;
    }
    if (mine.failures < long_wait) return;
    // Another block may run in the holder's place by now.
    const bool is_there = holder.warp->block != nullptr &&
                          holder.warp->block->number == holder.thread >> 32 &&
                          (holder.warp->alive >> holder.lane & 1) != 0;
    if (!is_there)
        die(FindingKind::lock_not_released, holder.taken, i);
    else if (holder.warp == &w && holder.meets != nullptr && (holder.members >> lane & 1) != 0)
        die(FindingKind::lock_per_lane, holder.meets, i);
}

void Locks::exchanged(const Warp& w, const Ins* i, u32 group, u32 members) {
    if (holders_.empty()) return;
    for (auto& [lock, holder] : holders_)
        if (holder.warp == &w && (group >> holder.lane & 1) != 0) {
            holder.meets = i;
            holder.members = members;
        }
}

/// Follows who waits for whom until a thread comes again.
bool Locks::find_circle(Dead& out) const {
    constexpr std::size_t most_tried = 1000;
    std::size_t tried = 0;
    for (const auto& [first, unused] : waiting_) {
        if (++tried > most_tried) return false;
        std::vector<Thread> way;
        for (Thread at = first;;) {
            const auto waits = waiting_.find(at);
            if (waits == waiting_.end()) break;
            const auto holder = holders_.find(waits->second.lock);
            if (holder == holders_.end() || way.size() > most_tried) break;
            way.push_back(at);
            at = holder->second.thread;
            if (std::ranges::find(way, at) == way.end()) continue;
            // The thread in the circle waits for one lock, and has taken another.
            const auto mine = waiting_.find(at);
            const Ins* taken = nullptr;
            for (const auto& [lock, other] : holders_)
                if (other.thread == at && lock != mine->second.lock &&
                    (taken == nullptr || other.taken < taken))
                    taken = other.taken;
            if (taken == nullptr) break;
            const auto whose = holders_.find(mine->second.lock);
            out = {FindingKind::lock_order, at,
                   mine->second.tried,      taken,
                   mine->second.lock,       whose->second.thread};
            return true;
        }
    }
    return false;
}

void Locks::launch_ended(const Launch& launch) {
    const bool is_stuck = launch.fault && (launch.fault->kind == FaultKind::deadlock ||
                                           launch.fault->kind == FaultKind::instruction_budget);
    if (is_stuck) {
        Dead circle;
        if (dead_)
            report(*dead_);
        else if (find_circle(circle))
            report(circle);
    }
    holders_.clear();
    waiting_.clear();
    launch_ = nullptr;
}

std::string Locks::told(Thread thread) const {
    return fmt::format("thread {} of block {}",
                       triple(thread_of(*launch_, thread & 0xFFFFFFFF)),
                       triple(block_of(*launch_, thread >> 32)));
}

void Locks::report(const Dead& dead) {
    const auto line = [&](const Ins* i) { return place_of(*launch_->program, i); };
    Finding f;
    f.kind = dead.kind;
    f.kernel = demangled(launch_->kernel->source->name);
    f.block = block_of(*launch_, dead.thread >> 32);
    f.thread = thread_of(*launch_, dead.thread & 0xFFFFFFFF);
    f.place = line(dead.at);
    f.callers = callers_of(*launch_->program, dead.at);
    const bool comes_back =
        dead.kind == FindingKind::lock_not_released && dead.holder == dead.thread;
    if (dead.other != nullptr && !comes_back) {
        f.second = line(dead.other);
        f.second_callers = callers_of(*launch_->program, dead.other);
    }
    f.buffer = (dead.lock & in_shared) != 0
                   ? describe_shared(*launch_, dead.lock & ((u64{1} << 20) - 1))
                   : launch_->arena->describe(dead.lock);
    const std::string me = told(dead.thread);
    switch (dead.kind) {
        case FindingKind::lock_taken_twice:
            f.message = fmt::format(
                "{} waits in {} for a lock that it holds itself since {}", me, f.place.text(),
                f.second->text());
            break;
        case FindingKind::lock_not_released:
            f.message = comes_back
                            ? fmt::format("{} comes back to {} and still holds the lock that it "
                                          "took there the last time",
                                          me, f.place.text())
                            : fmt::format("{} waits in {} for a lock that {} took in {} and has not "
                                          "given back before it ended",
                                          me, f.second->text(), told(dead.holder), f.place.text());
            break;
        case FindingKind::lock_per_lane:
            f.message = fmt::format(
                "{} waits in {} for a lock of a lane of its own warp, and that lane waits in {} for "
                "the whole warp",
                me, f.second->text(), f.place.text());
            break;
        case FindingKind::lock_not_initialised:
            f.message = fmt::format(
                "{} waits in {} for a lock that no thread has taken: its word was never set to free",
                me, f.place.text());
            break;
        default:
            f.message = fmt::format(
                "{} holds a lock that it took in {} and waits in {} for one that {} holds, which "
                "waits in turn for a lock of such a thread",
                me, f.second->text(), f.place.text(), told(dead.holder));
            break;
    }
    findings_.add(std::move(f));
}

}  // namespace cugrade::emulator
