#include "emulator/observe/races.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include "emulator/observe/idioms.hpp"
#include "emulator/observe/pages.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Space;
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Time = u32;

/// Who touched a place last, when, and with which instruction.
struct Epoch {
    u32 who = 0;    ///< thread number in the grid, warps padded to 32 lanes; see Epoch::many
    Time time = 0;  ///< up to Detector::floor_: nobody in this launch
    u32 what = 0;   ///< index in Program::code and the flags below
};
constexpr u32 code_mask = (1u << 24) - 1;
constexpr u32 is_strong = 1u << 24;
constexpr u32 is_atomic = 1u << 25;
/// Several lanes did it together.
constexpr u32 is_wide = 1u << 26;
// Reads of several threads that nothing orders: the epoch stands for all of the warp or block of
// `who`, or `who` is a list of such epochs of several blocks.
constexpr u32 level_mask = 3u << 27, of_warp = 1u << 27, of_block = 2u << 27, of_many = 3u << 27;
/// A line of a whole warp: how many words, as a power of two, each lane touched.
constexpr u32 shift_at = 29, shift_mask = 3u << shift_at;
/// Strong, but no atomic.
constexpr u32 is_volatile = 1u << 31;

constexpr u32 line_bytes = 128, line_words = 32;
constexpr std::size_t longest_list = 64;

/// Reads of neighbouring bytes by neighbouring lanes of one instruction, in one line.
struct Strip {
    Epoch epoch;  ///< of its first byte
    /// Its first byte, how many, and how many of them are one lane's: one number, because what is
    /// written byte by byte cannot be read back at once as more.
    u32 extent = 0;
    [[nodiscard]] u32 first() const { return extent & 0xFF; }
    [[nodiscard]] u32 count() const { return extent >> 8 & 0xFF; }
    [[nodiscard]] u32 lane_bytes() const { return extent >> 16; }
};
/// Those of a line, in the order in which they came; at least one. What does not fit in here came
/// before and is in `older`.
struct alignas(64) Strips {
    Strips* older = nullptr;
    u32 count = 0;  ///< here
    u32 total = 0;  ///< here and in the older ones
    std::array<Strip, 3> strip;
};
/// A stencil reads a line of its tile many times; shared lines are few.
constexpr std::size_t most_global_strips = 8, most_shared_strips = 64;

/// One plane (writes or reads) of 128 bytes of memory.
struct ShadowLine {
    Epoch all;                 ///< word k: thread `who` + (k >> shift)
    bool by_byte = false;      ///< `cells` has an epoch per byte, not per word
    Epoch* cells = nullptr;    ///< if there, `all` is void
    Strips* strips = nullptr;  ///< reads only, besides
};
struct alignas(64) Plane {
    ShadowLine write, read;
};

/// Objects that stay where they are, and are used again.
template <class T>
class Pool {
public:
    T* take() {
        if (!free_.empty()) {
            T* const object = free_.back();
            free_.pop_back();
            return object;
        }
        if (next_ == chunks_.size() * per_chunk)
            chunks_.push_back(std::make_unique<T[]>(per_chunk));
        T* const object = &chunks_[next_ / per_chunk][next_ % per_chunk];
        ++next_;
        return object;
    }
    void give(T* object) { free_.push_back(object); }
    void clear() {
        next_ = 0;
        free_.clear();
    }

private:
    static constexpr std::size_t per_chunk = 512;
    std::size_t next_ = 0;
    std::vector<T*> free_;
    std::vector<std::unique_ptr<T[]>> chunks_;
};
/// The epochs of a line, by word or by byte.
template <u32 count>
struct Cells {
    std::array<Epoch, count> epoch;
};

/// How much of an address's log a thread has seen.
struct Ref {
    u32 object = 0;
    u32 length = 0;
};

/// What was released at one address, by position in its log.
struct Log {
    u32 length = 0;
    std::unordered_map<u64, std::vector<std::pair<u32, Time>>> known;  ///< position, up to when
    /// By object: from which position on it is known up to which length; both only grow.
    std::unordered_map<u32, std::vector<std::pair<u32, u32>>> refs;
};

/// Of one launch. Threads that fight for few locks make long chains of who told whom, and to follow
/// them takes longer than all else; a launch in which that gets out of hand is not watched further.
constexpr u64 most_knowledge_steps = 10'000'000;

u64 thread_key(u32 who) { return who; }
u64 warp_key(u32 who) { return u64{1} << 40 | who >> 5; }
u64 block_key(u32 block) { return u64{2} << 40 | block; }

/// What a thread would release: everything it knew at its last fence.
struct Fence {
    Time time = 0, block = 0, warp = 0;
};

/// A store through volatile that a thread has read.
struct Seen {
    u32 who = 0;  ///< who stored, and when
    Time time = 0;
    Time since = 0;  ///< when it was first read
    /// By a loop that does nothing but wait for it.
    bool polled = false;
};

/// The last ones that a thread has read, by address; or all threads of a warp or block, behind a
/// barrier.
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
    /// There were more than can be kept: nobody knows what has been read.
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

void learn(std::vector<Ref>& refs, Ref ref) {
    for (Ref& known : refs)
        if (known.object == ref.object) {
            known.length = std::max(known.length, ref.length);
            return;
        }
    refs.push_back(ref);
}

struct LaneState {
    Fence fence[2];  ///< of any scope; of the device or wider
    std::vector<Ref> refs;
    SeenStores seen;
};

struct WarpState {
    u32 who = 0;     ///< of lane 0
    Time stamp = 0;  ///< of accesses, unless the block's is later
    Time base = 0;   ///< its lanes know each other up to here
    std::vector<Ref> refs;
    SeenStores seen;
    std::vector<LaneState> lane;  ///< made for the first fence or acquisition
    /// By lane and lane: known up to; made for the first partial bar.warp.sync.
    std::unique_ptr<std::array<std::array<Time, lanes>, lanes>> pairs;

    LaneState& state(u32 l) {
        if (lane.empty()) lane.resize(lanes);
        return lane[l];
    }
};

struct Arrival {
    u32 warp = 0, mask = 0;
};

struct BlockState {
    u32 number = 0;
    u32 first = 0, end = 0;  ///< its threads' numbers
    Time stamp = 0, base = 0;
    Time published = 0;  ///< every thread had fenced, for the device, up to here before a barrier
    std::vector<Ref> refs;
    SeenStores seen;
    std::vector<WarpState> warps;
    std::vector<Plane> lines;
    std::unordered_map<u64, u32> objects;  ///< logs of shared memory and of block scope
    std::array<std::vector<Arrival>, 16> partial;
};

}  // namespace

class Races::Detector {
public:
    explicit Detector(Findings& findings) : findings_(findings) {}

    void launch_started(const Launch& launch);
    void block_started(const Block& block);
    void block_ended(const Block& block);
    void accessed(const Warp& w, const Ins* i, const Access& a);
    void fenced(const Warp& w, u32 mask, Scope scope);
    void arrived(const Warp& w, u32 mask, u32 barrier);
    void released(const Block& block, u32 barrier);
    void warp_synchronised(const Warp& w, u32 mask);

private:
    /// The access at hand.
    struct Now {
        const Warp& w;
        const Ins* i;
        const Access& a;
        BlockState& block;
        WarpState& warp;
        Epoch mine;  ///< of lane 0
        bool writes = false;
        bool shared = false;
        u32 code = 0;
    };
    struct Page {
        std::array<Plane, Pages<Page>::page_bytes / line_bytes> lines;
        void reset() { lines.fill({}); }
    };

    BlockState& state_of(const Block* block) {
        if (block != last_block_) {
            last_block_ = block;
            auto& slot = blocks_[block];
            if (slot == nullptr) slot = std::make_unique<BlockState>();
            last_state_ = slot.get();
        }
        return *last_state_;
    }
    Plane& line_at(const Now& n, u64 address) {
        if (n.shared) return n.block.lines[address / line_bytes];
        return pages_.at(address).lines[address % Pages<Page>::page_bytes / line_bytes];
    }
    bool in_bounds(const Now&, u64 address, u32 bytes);
    bool whole_lines(Now&);
    bool line_allows(const Now&, const ShadowLine&, u32 who, u32 shift) const;
    void one_lane(Now&, u32 lane);
    Epoch* cells(ShadowLine&, bool by_byte);
    [[gnu::noinline]] void give(ShadowLine&);
    void touch(Now&, u32 lane, u64 address, Epoch& write, Epoch& read);
    void share(Epoch& read, const Epoch& mine);
    bool is_settled(const Now&, const Epoch&) const;
    [[gnu::noinline]] bool cells_settled(const Now&, const ShadowLine&);
    bool strips_settled(const Now&, const ShadowLine&);
    void drop_strips(ShadowLine&);
    [[gnu::noinline]] void spread_strips(Now&, ShadowLine&);
    bool add_strip(Now&, ShadowLine&, const Strip&);
    bool may_read(const Now&, const ShadowLine&, u32 offset, u32 count) const;
    bool in_strips(Now&);
    [[gnu::noinline]] u32 shared_atomics(Now&);
    bool ordered(const Now&, u32 lane, const Epoch& before);
    bool knows(const Now&, u32 lane, const Epoch& before);
    void give_up(const Ins*, std::string_view why);
    void check(Now&, u32 lane, u64 address, const Epoch& before, bool was_write);
    void check_volatile(Now&, u32 lane, u64 address, const Epoch& before);
    static bool is_together(const Now&, u32 lane, u64 address, const Epoch& before);
    Epoch last_write(const Now&, u64 address);
    [[gnu::noinline]] void observe(Now&);
    bool observed(const Now&, u32 lane, u64 address, const Epoch& before, bool is_update) const;
    bool same_value(const Now&, u32 lane, u64 address, u32 other, bool together) const;
    void report(const Now&, u32 lane, u64 address, const Epoch& before, bool was_write,
                FindingKind);

    Log* log_of(BlockState&, bool shared, bool narrow, u64 address, bool make, u32& index);
    [[gnu::noinline]] void acquire(Now&);
    [[gnu::noinline]] void release(Now&);
    void append(Log&, u32 self, BlockState&, WarpState&, u32 lane, const Fence&, Time published);
    void put(Log& log, u64 key, Time time, bool& changed) const;

    Findings& findings_;
    const Launch* launch_ = nullptr;
    bool enabled_ = false;
    u32 warps_per_block_ = 0;
    Time now_ = 1, floor_ = 0;
    bool has_releases_ = false;
    bool has_volatile_ = false;  ///< something was stored through volatile
    u64 knowledge_steps_ = 0;
    std::unordered_map<const Block*, std::unique_ptr<BlockState>> blocks_;
    const Block* last_block_ = nullptr;
    BlockState* last_state_ = nullptr;
    Pages<Page> pages_;
    Pool<Cells<line_words>> words_;
    Pool<Cells<line_bytes>> bytes_;
    Pool<Strips> strips_;
    std::vector<std::vector<Epoch>> lists_;
    std::vector<Range> ranges_;
    std::deque<Log> logs_;
    std::unordered_map<u64, u32> objects_;
    Idioms idioms_;
    std::unordered_map<u64, std::size_t> reported_;
};

// --- launches, blocks, synchronisation ----------------------------------------------------------

void Races::Detector::launch_started(const Launch& launch) {
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
    knowledge_steps_ = 0;
    idioms_.launch_started(*launch.program);
    blocks_.clear();
    last_block_ = nullptr;
    words_.clear();
    bytes_.clear();
    strips_.clear();
    lists_.clear();
    logs_.clear();
    objects_.clear();
    reported_.clear();
    ranges_.assign(launch.ranges.size(), {});
}

void Races::Detector::block_started(const Block& block) {
    BlockState& b = state_of(&block);
    b.number = static_cast<u32>(block.number);
    b.first = b.number * warps_per_block_ * lanes;
    b.end = b.first + warps_per_block_ * lanes;
    b.stamp = now_;
    b.base = floor_;
    b.published = 0;
    b.refs.clear();
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
        ws.seen.clear();
        ws.lane.clear();
        ws.pairs.reset();
    }
}

void Races::Detector::block_ended(const Block& block) {
    for (Plane& plane : state_of(&block).lines) {
        give(plane.write);
        give(plane.read);
        drop_strips(plane.read);
    }
}

void Races::Detector::fenced(const Warp& w, u32 mask, Scope scope) {
    BlockState& b = state_of(w.block);
    WarpState& ws = b.warps[w.index];
    const Fence fence{now_++, b.base, ws.base};
    ws.stamp = now_;
    has_releases_ = true;
    for_lanes(mask, [&](u32 l) {
        LaneState& lane = ws.state(l);
        lane.fence[0] = fence;
        if (scope != Scope::block) lane.fence[1] = fence;
        return true;
    });
}

void Races::Detector::arrived(const Warp& w, u32 mask, u32 barrier) {
    const u32 expected = w.block->barriers[barrier].expected;
    BlockState& b = state_of(w.block);
    if (expected != 0 && expected < w.block->alive_threads)
        b.partial[barrier].push_back({w.index, mask});
}

void Races::Detector::released(const Block& block, u32 barrier) {
    BlockState& b = state_of(&block);
    if (!b.partial[barrier].empty()) {
        // Each of those who have met releases to a log of this meeting, and then sees all of it.
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
                learn(ws.state(l).refs, {index, log.length});
                ws.state(l).seen.move_to(b.seen);
                return true;
            });
        has_releases_ = true;
        return;
    }
    if (has_releases_) {
        Time fenced = now_;
        for (const Warp& w : block.warps) {
            WarpState& ws = b.warps[w.index];
            for_lanes(w.alive, [&](u32 l) {
                fenced = ws.lane.empty() ? 0 : std::min(fenced, ws.lane[l].fence[1].time);
                return fenced != 0;
            });
            for (const Ref& ref : ws.refs) learn(b.refs, ref);
            ws.refs.clear();
            for (LaneState& lane : ws.lane) {
                for (const Ref& ref : lane.refs) learn(b.refs, ref);
                lane.refs.clear();
            }
        }
        if (fenced != now_) b.published = std::max(b.published, fenced);
    }
    if (has_volatile_)
        for (WarpState& ws : b.warps) {
            ws.seen.move_to(b.seen);
            for (LaneState& lane : ws.lane) lane.seen.move_to(b.seen);
        }
    b.base = now_++;
    b.stamp = now_;
}

void Races::Detector::warp_synchronised(const Warp& w, u32 mask) {
    WarpState& ws = state_of(w.block).warps[w.index];
    const Time time = now_++;
    ws.stamp = now_;
    if (!ws.lane.empty())
        for_lanes(mask, [&](u32 l) { return ws.lane[l].seen.move_to(ws.seen), true; });
    if ((mask & w.alive) == w.alive) {
        ws.base = time;
        for (LaneState& lane : ws.lane) {
            for (const Ref& ref : lane.refs) learn(ws.refs, ref);
            lane.refs.clear();
        }
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

// --- release and acquire ------------------------------------------------------------------------

Log* Races::Detector::log_of(BlockState& b, bool shared, bool narrow, u64 address, bool make,
                             u32& index) {
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

void Races::Detector::acquire(Now& n) {
    for_lanes(n.a.mask, [&](u32 l) {
        for (const bool narrow : {false, true}) {
            u32 index = 0;
            if (const Log* log = log_of(n.block, n.shared, narrow, n.a.address[l], false, index))
                learn(n.warp.state(l).refs, {index, log->length});
            if (n.shared) break;
        }
        return true;
    });
}

void Races::Detector::put(Log& log, u64 key, Time time, bool& changed) const {
    if (time <= floor_) return;
    auto& entries = log.known[key];
    if (!entries.empty() && entries.back().second >= time) return;
    entries.emplace_back(log.length, time);
    changed = true;
}

void Races::Detector::append(Log& log, u32 self, BlockState& b, WarpState& ws, u32 lane,
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

/// A strong write passes on what its thread knew at its last fence, or now if it releases itself.
void Races::Detector::release(Now& n) {
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
        const auto to = [&](bool narrow, const Fence& fence, Time published) {
            if (fence.time <= floor_ && published <= floor_) return;
            u32 index = 0;
            Log* log = log_of(n.block, n.shared, narrow, n.a.address[l], true, index);
            append(*log, index, n.block, n.warp, l, fence, published);
        };
        if (n.shared) {
            to(false, any, n.block.base);
        } else {
            to(false, wide, n.block.published);
            if (any.time > wide.time) to(true, any, 0);
        }
        return true;
    });
}

Epoch Races::Detector::last_write(const Now& n, u64 address) {
    const ShadowLine& line = line_at(n, address).write;
    const u32 offset = address & (line_bytes - 1);
    if (line.cells != nullptr) return line.cells[line.by_byte ? offset : offset / 4];
    Epoch e = line.all;
    e.who += offset / 4 >> ((e.what & shift_mask) >> shift_at);
    return e;
}

/// Remembers whose stores through volatile a strong load reads.
void Races::Detector::observe(Now& n) {
    const u32 step = n.a.bytes < 4 ? 1 : 4;
    const bool polls = idioms_.polls(n.a.code);
    for_lanes(n.a.mask, [&](u32 l) {
        const u64 address = n.a.address[l];
        if (!in_bounds(n, address, n.a.bytes)) return true;
        for (u64 at = address; at < address + n.a.bytes; at += step) {
            const Epoch e = last_write(n, at);
            if (e.time > floor_ && (e.what & is_volatile) != 0 && e.who != n.mine.who + l)
                n.warp.state(l).seen.note(at, {e.who, e.time, n.mine.time, polls});
        }
        return true;
    });
}

/// True if the thread stores in answer to the store before. It is if it has waited for that one in
/// a loop; or if it has read it, and a fence or a barrier lies between, unless that is but the load
/// of `*p = *p + 1`: a fence in the middle makes that no single step.
bool Races::Detector::observed(const Now& n, u32 lane, u64 address, const Epoch& before,
                               bool is_update) const {
    const auto answers = [&](const SeenStores& stores, Time fenced) {
        if (stores.full()) return true;
        // What was read as a word may be written byte by byte.
        for (const u64 at : {address, address & ~u64{3}})
            if (const Seen* s = stores.find(at); s != nullptr && s->who == before.who &&
                                                 s->time == before.time &&
                                                 (s->polled || (fenced >= s->since && !is_update)))
                return true;
        return false;
    };
    constexpr Time by_barrier = ~Time{0};
    if (answers(n.block.seen, by_barrier) || answers(n.warp.seen, by_barrier)) return true;
    if (n.warp.lane.empty()) return false;
    const LaneState& state = n.warp.lane[lane];
    return answers(state.seen, state.fence[n.shared ? 0 : 1].time);
}

/// True if the thread has been told, through an address, of what `before` stands for.
bool Races::Detector::knows(const Now& n, u32 lane, const Epoch& before) {
    const u64 keys[] = {thread_key(before.who), warp_key(before.who),
                        block_key(before.who / (warps_per_block_ * lanes))};
    std::vector<Ref> open;
    std::size_t next = 0;
    std::unordered_map<u32, u32> seen;
    const auto tells = [&](const Ref& ref) {
        u32& length = seen[ref.object];
        if (length >= ref.length) return false;
        length = ref.length;
        open.push_back(ref);
        ++knowledge_steps_;
        const Log& log = logs_[ref.object];
        return std::ranges::any_of(keys, [&](u64 key) {
            const auto it = log.known.find(key);
            if (it == log.known.end()) return false;
            const auto entry =
                std::partition_point(it->second.begin(), it->second.end(),
                                     [&](const auto& e) { return e.second < before.time; });
            return entry != it->second.end() && entry->first < ref.length;
        });
    };
    const auto any_tells = [&](const std::vector<Ref>& refs) {
        return std::any_of(refs.rbegin(), refs.rend(), tells);
    };
    // Who held a lock before has told so itself, most of the time: near logs come before far ones.
    if (!n.warp.lane.empty() && any_tells(n.warp.lane[lane].refs)) return true;
    if (any_tells(n.warp.refs) || any_tells(n.block.refs)) return true;
    while (next != open.size()) {
        const Ref ref = open[next++];
        if (seen[ref.object] > ref.length) continue;
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
            return true;  // nobody is accused of what was not looked at
        }
    }
    return false;
}

/// The launch is not watched any more; without an instruction, from its start.
void Races::Detector::give_up(const Ins* i, std::string_view why) {
    enabled_ = false;
    Finding f;
    f.kind = FindingKind::races_unwatched;
    f.kernel = demangled(launch_->kernel->source->name);
    if (i != nullptr) f.place = place_of(*launch_->program, i);
    f.message =
        fmt::format("{}: what races {} is not found", why, i != nullptr ? "from here on" : "in it");
    findings_.add(std::move(f));
}

// --- shadow memory ------------------------------------------------------------------------------

/// The access is watched before it is checked, so it may be anywhere.
bool Races::Detector::in_bounds(const Now& n, u64 address, u32 bytes) {
    if (n.shared)
        return address < launch_->shared_bytes && launch_->shared_bytes - address >= bytes;
    Range& range = ranges_[n.i->range < ranges_.size() ? n.i->range : 0];
    if (range.holds(address, bytes)) return true;
    range = launch_->arena->find(address);
    return range.holds(address, bytes);
}

/// The epochs of a line's words or bytes; what was one epoch is taken apart first.
Epoch* Races::Detector::cells(ShadowLine& line, bool by_byte) {
    if (line.cells == nullptr) {
        const u32 shift = (line.all.what & shift_mask) >> shift_at;
        const bool empty = line.all.time <= floor_;
        const auto of_word = [&](u32 k) {
            Epoch e;
            if (empty) return e;
            e = line.all;
            e.what &= ~shift_mask;
            if ((e.what & level_mask) != of_many) e.who += k >> shift;
            return e;
        };
        line.by_byte = by_byte;
        if (by_byte) {
            line.cells = bytes_.take()->epoch.data();
            for (u32 k = 0; k < line_bytes; ++k) line.cells[k] = of_word(k / 4);
        } else {
            line.cells = words_.take()->epoch.data();
            for (u32 k = 0; k < line_words; ++k) line.cells[k] = of_word(k);
        }
        return line.cells;
    }
    if (line.by_byte || !by_byte) return line.cells;
    const Epoch* from = line.cells;
    Epoch* to = bytes_.take()->epoch.data();
    for (u32 k = 0; k < line_bytes; ++k) to[k] = from[k / 4];
    give(line);
    line.by_byte = true;
    line.cells = to;
    return to;
}

/// Forgets what is known of the words or bytes.
void Races::Detector::give(ShadowLine& line) {
    if (line.cells == nullptr) return;
    // The epochs are all that their Cells have.
    if (line.by_byte)
        bytes_.give(reinterpret_cast<Cells<line_bytes>*>(line.cells));
    else
        words_.give(reinterpret_cast<Cells<line_words>*>(line.cells));
    line.by_byte = false;
    line.cells = nullptr;
    line.all.time = 0;
}

// --- accesses -----------------------------------------------------------------------------------

void Races::Detector::accessed(const Warp& w, const Ins* i, const Access& a) {
    if (!enabled_ || (a.space != Space::global && a.space != Space::shared) || a.bytes == 0) return;
    BlockState& b = state_of(w.block);
    WarpState& ws = b.warps[w.index];
    Now n{w, i, a, b, ws, {}, a.kind != Access::Kind::load, a.space == Space::shared, 0};
    if (a.strong && has_releases_ && a.kind != Access::Kind::store) acquire(n);
    n.code = a.code;
    n.mine.who = ws.who;
    n.mine.time = std::max(ws.stamp, b.stamp);
    n.mine.what = n.code | (a.strong ? is_strong : 0) |
                  (a.kind == Access::Kind::atomic ? is_atomic : 0) |
                  ((a.mask & (a.mask - 1)) != 0 ? is_wide : 0) | (a.is_volatile ? is_volatile : 0);
    if (a.strong && has_volatile_ && !n.writes) observe(n);
    if (!whole_lines(n) && (n.writes || !in_strips(n)))
        for_lanes(shared_atomics(n), [&](u32 l) { return one_lane(n, l), true; });
    has_volatile_ |= n.writes && a.is_volatile;
    if (a.strong && n.writes && (has_releases_ || a.releases)) release(n);
}

/// What a whole line holds is ordered before the same words of the warp at hand.
bool Races::Detector::line_allows(const Now& n, const ShadowLine& line, u32 who, u32 shift) const {
    const Epoch& e = line.all;
    if (e.time <= floor_) return true;
    const u32 level = e.what & level_mask;
    if (level == of_many) return false;
    if (level == 0 && e.who == who && (e.what & shift_mask) >> shift_at == shift) return true;
    if (e.who < n.block.first || e.who >= n.block.end) return false;
    if (e.time <= n.block.base) return true;
    return level != of_block && (e.who ^ n.mine.who) < lanes && e.time <= n.warp.base;
}

/// The common case: 32 lanes one after the other on whole lines. False: nothing has been done.
bool Races::Detector::whole_lines(Now& n) {
    const Access& a = n.a;
    if (a.mask != all_lanes || a.pattern != Pattern::consecutive) return false;
    if (a.bytes != 4 && a.bytes != 8 && a.bytes != 16) return false;
    if ((a.address[0] & (line_bytes - 1)) != 0) return false;
    // Volatile shared memory is where lockstep is relied on; that is told lane by lane.
    if (n.shared && a.strong) return false;
    if (!in_bounds(n, a.address[0], lanes * a.bytes)) return false;
    const u32 shift = static_cast<u32>(std::countr_zero(a.bytes)) - 2, count = a.bytes / 4;
    std::array<Plane*, 4> planes{};
    for (u32 k = 0; k < count; ++k) {
        const u64 at = a.address[0] + k * line_bytes;
        Plane& p = line_at(n, at);
        planes[k] = &p;
        const u32 who = n.mine.who + k * (lanes >> shift);
        if (p.write.cells != nullptr) {
            if (!cells_settled(n, p.write)) return false;
            if (n.writes) give(p.write);
        }
        if (p.read.cells != nullptr) {
            if (!cells_settled(n, p.read)) return false;
            // Of another block they still mean something to third ones.
            if (!n.writes && !n.shared) return false;
            give(p.read);
        }
        if (n.writes && p.read.strips != nullptr) {
            if (!strips_settled(n, p.read)) return false;
            drop_strips(p.read);
        }
        if (p.write.cells != nullptr) continue;
        const u32 what = p.write.all.what;
        const bool both_strong = a.strong && (what & is_strong) != 0 &&
                                 !(n.writes && ((what | n.mine.what) & is_volatile) != 0);
        if (!both_strong && !line_allows(n, p.write, who, shift)) return false;
        if (n.writes && !line_allows(n, p.read, who, shift)) return false;
    }
    for (u32 k = 0; k < count; ++k) {
        Epoch mine = n.mine;
        mine.who += k * (lanes >> shift);
        mine.what |= shift << shift_at;
        Plane& p = *planes[k];
        if (n.writes) {
            p.write.all = mine;
            p.read.all.time = 0;
        } else if (line_allows(n, p.read, mine.who, shift)) {
            p.read.all = mine;
        } else {
            share(p.read.all, mine);
        }
    }
    return true;
}

/// Before everything that the block at hand may still do.
bool Races::Detector::is_settled(const Now& n, const Epoch& e) const {
    if (e.time <= floor_) return true;
    const u32 level = e.what & level_mask;
    if (level == of_many || e.who < n.block.first || e.who >= n.block.end) return false;
    return e.time <= n.block.base;
}

bool Races::Detector::cells_settled(const Now& n, const ShadowLine& line) {
    const auto settled = [&](const Epoch& e) { return is_settled(n, e); };
    return std::all_of(line.cells, line.cells + (line.by_byte ? line_bytes : line_words), settled);
}

bool Races::Detector::strips_settled(const Now& n, const ShadowLine& line) {
    for (const Strips* s = line.strips; s != nullptr; s = s->older)
        for (u32 k = 0; k < s->count; ++k)
            if (!is_settled(n, s->strip[k].epoch)) return false;
    return true;
}

void Races::Detector::drop_strips(ShadowLine& line) {
    while (line.strips != nullptr) strips_.give(std::exchange(line.strips, line.strips->older));
}

/// Writes down what the strips say word by word, or byte by byte.
void Races::Detector::spread_strips(Now& n, ShadowLine& line) {
    std::vector<Strip> all;
    for (const Strips* s = line.strips; s != nullptr; s = s->older)
        all.insert(all.begin(), s->strip.begin(), s->strip.begin() + s->count);
    drop_strips(line);
    for (const Strip& strip : all) {
        // In shared memory everyone who comes later is behind the barrier, too.
        if (n.shared && is_settled(n, strip.epoch)) continue;
        const bool by_byte = line.by_byte || strip.lane_bytes() < 4 || (strip.first() & 3) != 0;
        Epoch* to = cells(line, by_byte);
        const u32 size = by_byte ? 1 : 4;
        for (u32 at = strip.first(); at < strip.first() + strip.count(); at += size) {
            Epoch e = strip.epoch;
            e.who += (at - strip.first()) / strip.lane_bytes();
            Epoch& cell = to[at / size];
            const bool replaces = is_settled(n, cell) ||
                                  (cell.who == e.who && ((cell.what | e.what) & level_mask) == 0);
            if (replaces)
                cell = e;
            else
                share(cell, e);
        }
    }
}

/// Adds what is not the last strip again. False: there is no room, and the reads are to be written
/// down one by one.
bool Races::Detector::add_strip(Now& n, ShadowLine& line, const Strip& strip) {
    Strips* s = line.strips;
    if (s != nullptr && n.shared && is_settled(n, s->strip[s->count - 1].epoch)) {
        drop_strips(line);
        s = nullptr;
    }
    u32 total = 0;
    if (s != nullptr) {
        total = s->total;
        if (total >= (n.shared ? most_shared_strips : most_global_strips)) [[unlikely]] {
            const Strips* oldest = s;
            while (oldest->older != nullptr) oldest = oldest->older;
            const u32 who = oldest->strip[0].epoch.who;
            // Data that many blocks read: the first readers stand for all.
            if (!n.shared && (who < n.block.first || who >= n.block.end)) return true;
            spread_strips(n, line);
            return false;
        }
    }
    if (s == nullptr || s->count == s->strip.size()) {
        line.strips = strips_.take();
        line.strips->older = s;
        line.strips->count = 0;
        s = line.strips;
    }
    s->total = total + 1;
    s->strip[s->count++] = strip;
    return true;
}

/// May lanes read these bytes of a line whatever was written there?
bool Races::Detector::may_read(const Now& n, const ShadowLine& written, u32 offset,
                               u32 count) const {
    const auto allowed = [&](const Epoch& e) {
        return is_settled(n, e) || (n.a.strong && (e.what & is_strong) != 0);
    };
    if (written.cells == nullptr) return allowed(written.all);
    const u32 size = written.by_byte ? 1 : 4;
    for (u32 k = offset / size; k <= (offset + count - 1) / size; ++k)
        if (!allowed(written.cells[k])) return false;
    return true;
}

/// A read of neighbouring bytes by neighbouring lanes, or of one place by all of them.
bool Races::Detector::in_strips(Now& n) {
    const Access& a = n.a;
    if (a.pattern == Pattern::scattered) return false;
    if (!std::has_single_bit(a.bytes) || a.bytes > 16 || (n.shared && a.strong)) return false;
    const u32 first = a.first_lane();
    const u64 start = a.address[first];
    if ((start & (a.bytes - 1)) != 0) return false;
    Strip strip;
    strip.epoch = n.mine;
    strip.epoch.who += first;
    u32 left = a.bytes;
    if (a.pattern == Pattern::uniform) {
        const u32 run = a.mask >> first;
        if ((run & (run + 1)) != 0) return false;  // lanes are missing in between
        strip.epoch.what |= of_warp;
    } else {
        left *= a.active();
    }
    if (!in_bounds(n, start, left)) return false;
    const u32 shift = static_cast<u32>(std::countr_zero(a.bytes));
    for (u64 at = start; left != 0;) {
        const u32 offset = at & (line_bytes - 1), here = std::min(line_bytes - offset, left);
        Plane& p = line_at(n, at);
        if (!may_read(n, p.write, offset, here)) return false;
        if (p.read.cells != nullptr) [[unlikely]] {
            if (!n.shared || !cells_settled(n, p.read)) return false;
            give(p.read);
        }
        strip.extent = offset | here << 8 | a.bytes << 16;
        Strip* const last =
            p.read.strips == nullptr ? nullptr : &p.read.strips->strip[p.read.strips->count - 1];
        if (last != nullptr && last->extent == strip.extent && last->epoch.who == strip.epoch.who &&
            ((last->epoch.what ^ strip.epoch.what) & (is_strong | level_mask)) == 0)
            last->epoch = strip.epoch;
        else if (!add_strip(n, p.read, strip))
            return false;
        at += here;
        left -= here;
        if (left != 0) strip.epoch.who += here >> shift;
    }
    return true;
}

/// The common case of atomics in shared memory: words that only atomics have touched since the last
/// barrier. Returns the lanes for which nothing has been done.
u32 Races::Detector::shared_atomics(Now& n) {
    if (!n.shared || n.a.kind != Access::Kind::atomic || n.a.bytes != 4) return n.a.mask;
    const u64 size = launch_->shared_bytes < 4 ? 0 : launch_->shared_bytes - 3;
    Plane* const lines = n.block.lines.data();
    const Epoch mine = n.mine;
    const Time settled = std::max(n.block.base, floor_);
    const u32 first = n.block.first, threads = n.block.end - n.block.first;
    u32 rest = 0;
    const auto is_done = [&](u32 l) {
        const u64 address = n.a.address[l];
        if (address >= size || (address & 3) != 0) return false;
        const Plane& p = lines[address / line_bytes];
        if (p.write.cells == nullptr || p.write.by_byte || p.read.cells != nullptr ||
            p.read.strips != nullptr || p.read.all.time > floor_)
            return false;
        Epoch& e = p.write.cells[address % line_bytes / 4];
        if ((e.what & is_atomic) == 0 && e.time > floor_ &&
            (e.time > settled || e.who - first >= threads))
            return false;
        e = {mine.who + l, mine.time, mine.what};
        return true;
    };
    for_lanes(n.a.mask, [&](u32 l) { return rest |= is_done(l) ? 0u : 1u << l, true; });
    return rest;
}

void Races::Detector::one_lane(Now& n, u32 lane) {
    const u64 address = n.a.address[lane];
    const u32 bytes = n.a.bytes;
    if (!in_bounds(n, address, bytes)) return;
    const u32 step = bytes < 4 || (address & 3) != 0 ? 1 : 4;
    for (u64 at = address; at < address + bytes; at += step) {
        Plane& p = line_at(n, at);
        if (n.writes && p.read.strips != nullptr) spread_strips(n, p.read);
        const bool by_byte = step == 1 || p.write.by_byte || p.read.by_byte;
        // What says nothing is not taken apart.
        const auto cells_of = [&](ShadowLine& line, bool needed) {
            return needed || line.cells != nullptr || line.all.time > floor_ ? cells(line, by_byte)
                                                                             : nullptr;
        };
        Epoch* write = cells_of(p.write, n.writes);
        Epoch* read = cells_of(p.read, !n.writes);
        const u32 offset = at & (line_bytes - 1);
        const u32 first = by_byte ? offset : offset / 4, end = by_byte ? offset + step : first + 1;
        for (u32 k = first; k < end; ++k) {
            Epoch none;
            touch(n, lane, at + (k - first), write != nullptr ? write[k] : none,
                  read != nullptr ? read[k] : none);
        }
    }
}

void Races::Detector::touch(Now& n, u32 lane, u64 address, Epoch& write, Epoch& read) {
    Epoch mine = n.mine;
    mine.who += lane;
    if (write.time > floor_ && write.who != mine.who) check(n, lane, address, write, true);
    if (!n.writes) {
        if (read.time <= floor_ || (read.who == mine.who && (read.what & level_mask) == 0) ||
            ordered(n, lane, read))
            read = mine;
        else
            share(read, mine);
        return;
    }
    if (read.time > floor_) {
        if ((read.what & level_mask) == of_many) {
            for (std::size_t k = 0; k < lists_[read.who].size(); ++k) {
                const Epoch e = lists_[read.who][k];
                check(n, lane, address, e, false);
            }
        } else {
            check(n, lane, address, read, false);
        }
        read.time = 0;
    }
    write = mine;
}

/// Two reads that nothing orders: the epoch comes to stand for both.
void Races::Detector::share(Epoch& read, const Epoch& mine) {
    const u32 per_block = warps_per_block_ * lanes;
    const auto same_block = [&](const Epoch& e) {
        return e.who / per_block == mine.who / per_block;
    };
    const auto both = [&](const Epoch& e) {
        const bool one_warp = (e.who ^ mine.who) < lanes && (e.what & level_mask) != of_block &&
                              (mine.what & level_mask) != of_block;
        Epoch result = mine;
        result.time = std::max(e.time, mine.time);
        result.what &= ~(is_strong | level_mask);
        result.what |= (e.what & mine.what & is_strong) | (one_warp ? of_warp : of_block);
        return result;
    };
    if ((read.what & level_mask) == of_many) {
        auto& list = lists_[read.who];
        read.time = std::max(read.time, mine.time);
        if (same_block(list.back())) {
            list.back() = both(list.back());
            list.back().what &= ~shift_mask;
        } else if (list.size() < longest_list) {
            list.push_back(mine);
            list.back().what &= ~shift_mask;
        }
        return;
    }
    if (same_block(read)) {
        // Nothing is new most of the time.
        if ((read.what & level_mask) == of_block && read.time >= mine.time &&
            (mine.what & is_strong) == (read.what & is_strong))
            return;
        read = both(read);
        return;
    }
    const auto index = static_cast<u32>(lists_.size());
    lists_.push_back({read, mine});
    for (Epoch& e : lists_.back()) e.what &= ~shift_mask;
    const u32 strong = read.what & mine.what & is_strong;
    read = {index, std::max(read.time, mine.time), of_many | strong};
}

bool Races::Detector::ordered(const Now& n, u32 lane, const Epoch& before) {
    if (before.time <= floor_) return true;
    const u32 level = before.what & level_mask;
    if (level == of_many) return false;
    const u32 self = n.warp.who + lane;
    if (level == 0 && before.who == self) return true;
    if (before.who >= n.block.first && before.who < n.block.end) {
        if (before.time <= n.block.base) return true;
        if ((before.who ^ self) < lanes && level != of_block) {
            if (before.time <= n.warp.base) return true;
            if (n.warp.pairs != nullptr && before.time <= (*n.warp.pairs)[lane][before.who % lanes])
                return true;
        }
    }
    return has_releases_ && knows(n, lane, before);
}

/// The lane would store what is there already, or what lane `other` stores there.
bool Races::Detector::same_value(const Now& n, u32 lane, u64 address, u32 other,
                                 bool together) const {
    if (n.a.kind != Access::Kind::store || n.i->touch == Touch::async) return false;
    const auto value = [&](u32 l, std::array<std::byte, 64>& bytes) {
        const u32 element = n.i->bytes, stride = element == 8 ? 8 : 4;
        const u32 count = std::max<u32>(n.i->aux, 1);
        if (element * count > bytes.size()) return false;
        for (u32 k = 0; k < count; ++k) {
            const std::byte* row = n.w.bases[n.i->kb] + n.i->b;
            if (count > 1) {
                const Operand& o = launch_->program->lists[n.i->target + k];
                row = n.w.bases[o.base] + o.offset;
            }
            std::memcpy(bytes.data() + k * element, row + std::size_t{l} * stride, element);
        }
        return true;
    };
    const u32 bytes = n.a.bytes < 4 ? 1 : 4;
    std::array<std::byte, 64> mine{}, theirs{};
    if (!value(lane, mine)) return false;
    const u64 at = address - n.a.address[lane];
    if (!together) {
        const std::byte* there =
            n.shared ? n.w.block->shared + address : launch_->arena->host(address);
        return std::memcmp(mine.data() + at, there, bytes) == 0;
    }
    const u64 from = address - n.a.address[other];
    return value(other, theirs) && from + bytes <= n.a.bytes &&
           std::memcmp(mine.data() + at, theirs.data() + from, bytes) == 0;
}

void Races::Detector::check(Now& n, u32 lane, u64 address, const Epoch& before, bool was_write) {
    const u32 self = n.warp.who + lane;
    if (before.who == self && (before.what & level_mask) == 0) return;
    const bool one_warp = (before.who ^ self) < lanes && (before.what & level_mask) != of_block;
    const u32 other = before.who % lanes;
    if ((before.what & is_strong) != 0 && n.a.strong) {
        // No race; but lanes that do both instructions together rely on the order of the two.
        const bool lockstep = n.shared && one_warp && (n.mine.what & is_wide) != 0 &&
                              (before.what & is_wide) != 0 && (n.a.mask >> other & 1) != 0 &&
                              ((n.mine.what | before.what) & is_atomic) == 0 &&
                              (before.what & code_mask) != n.code;
        if (lockstep) {
            if (!ordered(n, lane, before))
                report(n, lane, address, before, was_write, FindingKind::missing_syncwarp);
        } else if (was_write && n.writes && ((before.what | n.mine.what) & is_volatile) != 0) {
            check_volatile(n, lane, address, before);
        }
        return;
    }
    // A loop around atomicCAS starts with a plain read, which the loop then checks.
    if (!n.writes && (before.what & is_atomic) != 0 && idioms_.is_for_cas(n.code)) return;
    if (!was_write && n.a.kind == Access::Kind::atomic &&
        idioms_.is_for_cas(before.what & code_mask))
        return;
    if (ordered(n, lane, before)) return;
    const bool together = was_write && n.writes && is_together(n, lane, address, before);
    if (was_write && n.writes && same_value(n, lane, address, other, together)) return;
    report(n, lane, address, before, was_write,
           one_warp && !together ? FindingKind::missing_syncwarp
           : n.shared            ? FindingKind::shared_race
                                 : FindingKind::global_race);
}

/// Stores of one instruction: no order of the lanes could make it right.
bool Races::Detector::is_together(const Now& n, u32 lane, u64 address, const Epoch& before) {
    const u32 other = before.who % lanes;
    return (before.who ^ (n.warp.who + lane)) < lanes && (before.what & level_mask) == 0 &&
           (before.what & code_mask) == n.code && before.time == n.mine.time &&
           (n.a.mask >> other & 1) != 0 && address - n.a.address[other] < n.a.bytes;
}

/// Two strong writes, at least one of them through volatile. That makes neither of them part of a
/// step that nobody comes between: of two stores that nothing orders one is lost, and so is what
/// somebody else writes between the load and the store of `*p = *p + 1`, an atomic's change too.
void Races::Detector::check_volatile(Now& n, u32 lane, u64 address, const Epoch& before) {
    const auto update_of = [&](u32 what) {
        return (what & is_volatile) != 0 ? idioms_.update_of(what & code_mask) : Update::none;
    };
    const Update mine = update_of(n.mine.what), theirs = update_of(before.what);
    // A store beside atomics is a lock that is given back, or a counter that is set to zero.
    const bool both_volatile = (before.what & n.mine.what & is_volatile) != 0;
    if (!both_volatile && mine == Update::none && theirs == Update::none) return;
    if (ordered(n, lane, before)) return;
    if (observed(n, lane, address, before, mine != Update::none)) return;
    if (both_volatile && mine != Update::changing &&
        same_value(n, lane, address, before.who % lanes, is_together(n, lane, address, before)))
        return;
    report(n, lane, address, before, true, FindingKind::lost_update);
}

void Races::Detector::report(const Now& n, u32 lane, u64 address, const Epoch& before,
                             bool was_write, FindingKind kind) {
    const u32 other_code = before.what & code_mask;
    const u64 key = u64{static_cast<u8>(kind)} << 56 | u64{n.code} << 24 | other_code;
    if (const auto known = reported_.find(key); known != reported_.end())
        return findings_.again(known->second);
    const Program& program = *launch_->program;
    const u32 per_block = warps_per_block_ * lanes;
    Finding f;
    f.kind = kind;
    f.kernel = demangled(launch_->kernel->source->name);
    f.block = n.w.block->index;
    f.thread = thread_of(*launch_, n.w.index * lanes + lane);
    f.place = place_of(program, n.i);
    f.second = place_of(program, program.at(other_code));
    f.buffer = n.shared ? describe_shared(*launch_, address) : launch_->arena->located(address);
    // Of several readers any but the writer will do.
    const u32 who = before.who == n.warp.who + lane ? before.who ^ 1 : before.who;
    const auto other_block = block_of(*launch_, who / per_block);
    const auto other_thread = thread_of(*launch_, who % per_block);
    const bool same_block = who / per_block == n.block.number;
    const char* does = n.a.kind == Access::Kind::atomic ? "changes" : n.writes ? "writes" : "reads";
    const char* did = (before.what & is_atomic) != 0 ? "changed" : was_write ? "written" : "read";
    std::string advice;
    if (kind == FindingKind::lost_update) {
        advice =
            "volatile orders nothing and makes nothing atomic, so one of the two is lost: use an "
            "atomic, or hold a lock from the load to the store";
    } else if (kind == FindingKind::missing_syncwarp) {
        advice = "both are lanes of one warp, which need not run in step: put __syncwarp() between";
    } else if (same_block) {
        advice = "no __syncthreads() lies between, so either may come first";
    } else {
        advice =
            "blocks run in any order: use an atomic, one place for each block, or a second kernel";
    }
    f.message = fmt::format("thread {} of block {} {} {}, which is {} in {} by thread {} of {}; {}",
                            triple(f.thread), triple(f.block), does, f.buffer, did,
                            f.second->text(), triple(other_thread),
                            same_block ? "the same block" : "block " + triple(other_block), advice);
    reported_.emplace(key, findings_.add(std::move(f)));
}

// --- the observer -------------------------------------------------------------------------------

Races::Races(Findings& findings) : detector_(std::make_unique<Detector>(findings)) {}
Races::~Races() = default;
void Races::launch_started(const Launch& l) { detector_->launch_started(l); }
void Races::launch_ended(const Launch&) {}
void Races::block_started(const Block& b) { detector_->block_started(b); }
void Races::block_ended(const Block& b) { detector_->block_ended(b); }
void Races::accessed(const Warp& w, const Ins* i, const Access& a) { detector_->accessed(w, i, a); }
void Races::fenced(const Warp& w, const Ins*, std::uint32_t mask, Scope s) {
    detector_->fenced(w, mask, s);
}
void Races::arrived(const Warp& w, const Ins*, std::uint32_t mask, std::uint32_t barrier) {
    detector_->arrived(w, mask, barrier);
}
void Races::released(const Block& b, std::uint32_t barrier) { detector_->released(b, barrier); }
void Races::warp_synchronised(const Warp& w, const Ins*, std::uint32_t mask) {
    detector_->warp_synchronised(w, mask);
}

}  // namespace cugrade::emulator
