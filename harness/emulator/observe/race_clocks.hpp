// Keeps what threads, warps and blocks know of each other.
//
// Theory of operation. Time is one counter for the launch. It advances with each event that orders
// anything, and a warp stamps its accesses with the time of its own last such event. Knowledge is
// kept where it arises. Behind a barrier each thread of a block knows all that the others did
// before it: one number a block. Behind bar.warp.sync each lane of a warp knows as much of the
// other lanes: one number, or a matrix of lanes for partial masks. If a thread writes strongly
// behind a fence, each thread that reads the written address learns what the writer knew at its
// fence. For this the address has a log, shared by all readers, and a thread remembers how much of
// the log it has seen.
//
// Between blocks the PTX memory model requires a fence for the device on both sides: one before the
// write, and one behind the read. A fence or an atomic of the block's scope tells only its own
// block, which has a log of its own for each address. The detector grants two things that the model
// does not promise. Within a block reading is enough, because one multiprocessor has one L1 cache.
// And a barrier is as good as the reader's fence, because the last block of threadFenceReduction,
// and of every textbook after it, takes its ticket, meets at __syncthreads() and reads the others'
// sums.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/observe/race_shadow.hpp"
#include "emulator/state/warp.hpp"

namespace cugrade::emulator::races {

/// How much of an address's log a thread has seen.
struct Ref {
    u32 object = 0;
    u32 length = 0;
};

/// The releases at one address, by position in its log.
struct Log {
    u32 length = 0;
    std::unordered_map<u64, std::vector<std::pair<u32, Time>>> known;  ///< position, up to when
    /// By another log: from which position on this log knows that one, and up to which length. Both
    /// only grow.
    std::unordered_map<u32, std::vector<std::pair<u32, u32>>> refs;

    /// Does one of its first `seen` entries tell of this time, or a later one, by one of the keys?
    template <std::size_t N>
    [[nodiscard]] bool tells(const std::array<u64, N>& keys, Time time, u32 seen) const {
        return std::ranges::any_of(keys, [&](u64 key) {
            const auto it = known.find(key);
            if (it == known.end()) return false;
            const auto entry = std::partition_point(it->second.begin(), it->second.end(),
                                                    [&](const auto& e) { return e.second < time; });
            return entry != it->second.end() && entry->first < seen;
        });
    }
};

/// Most steps in one launch. Threads that fight for few locks make long chains of logs in logs,
/// and following these takes longer than all other checks. A launch that exceeds the limit is not
/// watched further.
constexpr u64 most_knowledge_steps = 10'000'000;

inline u64 thread_key(u32 who) { return who; }
inline u64 warp_key(u32 who) { return u64{1} << 40 | who >> 5; }
inline u64 block_key(u32 block) { return u64{2} << 40 | block; }

/// What a thread would release: everything it knew at its last fence.
struct Fence {
    Time time = 0, block = 0, warp = 0;
};

/// A store through volatile that a thread has read.
struct Seen {
    u32 who = 0;     ///< the thread that stored
    Time time = 0;   ///< when it stored
    Time since = 0;  ///< when it was first read
    /// A loop that does nothing but wait for it has read it.
    bool polled = false;
};

/// For each address, the last volatile store that a thread has read there or, behind a barrier,
/// that any thread of its warp or block has read.
class SeenStores {
public:
    void note(u64 address, const Seen& seen) {
        if (by_address_.size() >= most) return clear_as_full();
        const auto [known, is_new] = by_address_.try_emplace(address, seen);
        if (is_new) return;
        Seen& s = known->second;
        if (s.who == seen.who && s.time == seen.time)
            s.polled |= seen.polled;
        else if (s.time <= seen.time)
            s = seen;
    }
    void move_to(SeenStores& all) {
        if (by_address_.empty() && !full_) return;
        if (full_) all.clear_as_full();
        for (const auto& [address, seen] : by_address_) all.note(address, seen);
        clear();
    }
    void clear() {
        by_address_.clear();
        full_ = false;
    }
    [[nodiscard]] const Seen* find(u64 address) const {
        const auto it = by_address_.find(address);
        return it == by_address_.end() ? nullptr : &it->second;
    }
    /// There were more stores than can be kept, so any store may have been read.
    [[nodiscard]] bool full() const { return full_; }

private:
    static constexpr std::size_t most = 4096;
    void clear_as_full() {
        by_address_.clear();
        full_ = true;
    }
    std::unordered_map<u64, Seen> by_address_;
    bool full_ = false;
};

inline void learn(std::vector<Ref>& refs, Ref ref) {
    for (Ref& known : refs)
        if (known.object == ref.object) {
            known.length = std::max(known.length, ref.length);
            return;
        }
    refs.push_back(ref);
}

/// What some know is known to all who have met.
inline void hand_on(std::vector<Ref>& some, std::vector<Ref>& all) {
    for (const Ref& ref : some) learn(all, ref);
    some.clear();
}

/// A lock that a thread holds.
struct Held {
    u64 address = 0;
    bool fenced = false;  ///< a fence, or a barrier, has come since
};

struct LaneState {
    Fence fence[2];  ///< of any scope; of the device or wider
    std::vector<Ref> refs;
    /// Logs that strong reads have found and no fence has made known yet: see Detector::acquire.
    std::vector<Ref> unfenced;
    /// Logs of writes of a wider scope that reads of the block's scope have found. They tell only
    /// of the own block.
    std::vector<Ref> of_own_block;
    std::vector<Ref> told;  ///< announcements that it has read: race_announced.cpp
    SeenStores seen;
    std::vector<Held> locks;

    void take_in_unfenced() {
        for (const Ref& ref : unfenced) learn(refs, ref);
        unfenced.clear();
        for (Held& lock : locks) lock.fenced = true;
    }
    [[nodiscard]] bool is_unguarded() const {
        return std::ranges::any_of(locks, [](const Held& lock) { return !lock.fenced; });
    }
};

struct WarpState {
    u32 who = 0;     ///< of lane 0
    Time stamp = 0;  ///< of accesses, unless the block's is later
    Time base = 0;   ///< its lanes know each other up to here
    std::vector<Ref> refs;
    std::vector<Ref> told;  ///< to any of its lanes, before they met
    SeenStores seen;
    std::vector<LaneState> lane;  ///< made for the first fence or acquisition
    /// By lane and other lane: the time up to which the one knows the other; made for the first
    /// partial bar.warp.sync.
    std::unique_ptr<std::array<std::array<Time, lanes>, lanes>> pairs;

    LaneState& state(u32 l) {
        if (lane.empty()) lane.resize(lanes);
        return lane[l];
    }
    void take_in_unfenced() {
        for (LaneState& l : lane) l.take_in_unfenced();
    }
};

struct Arrival {
    u32 warp = 0, mask = 0;
};

struct BlockState {
    u32 number = 0;
    u32 first = 0, end = 0;  ///< its threads' numbers
    Time stamp = 0, base = 0;
    /// Every thread fenced for the device, at this time or later, before a barrier.
    Time published = 0;
    /// Threads that fenced for the device before a barrier at which not all others had, and when
    /// last.
    std::map<u32, Time> fenced;
    std::vector<Ref> refs;
    std::vector<Ref> told;  ///< to any of its threads, before they met
    SeenStores seen;
    std::vector<WarpState> warps;
    std::vector<Plane> lines;
    std::unordered_map<u64, u32> objects;  ///< logs of shared memory and of block scope
    std::array<std::vector<Arrival>, hardware_barriers + 1> partial;
};

}  // namespace cugrade::emulator::races
