// Runs blocks on several host threads, which leave the same bytes as one thread would.
//
// Theory of operation. One can hardly prove from PTX that blocks do not see each other's effects,
// because an index may lead anywhere. So the emulator assumes it, watches the blocks, and drops
// their work where the assumption was wrong.
//
// The grid is cut into shares of successive blocks. Threads take shares in order. A thread that
// runs a share only reads device memory and writes to memory of its own. Then the threads write the
// effects of the shares to device memory ("commit"), one share after the other in the order of
// blocks. So at any time all blocks before a certain one have happened, and no others. If a share
// cannot be committed, it and all later ones are dropped as if they had never run, and one thread
// runs the remaining blocks in order.
//
// A share could notice that earlier shares were not committed when it ran only by reading memory
// that they write. When an instruction first touches an allocation, the interpreter has no range
// for it yet and asks here (Speculator::use). This gives the allocation its use in this launch:
// blocks read it, or store to it, or change it with atomics of one kind with unread results and an
// order that does not matter ("sums"). A second use of the same allocation, or any other atomic,
// ends the run. Stores go to windows, which are copies of parts of the allocation that nobody
// reads, with a bit for each byte written. Sums start from the identity of their operation in each
// share.
//
// A share is dropped as well after a fault or a deadlock, when the launch's budget comes near, or
// when a block takes so long that it may be waiting for another. One thread then runs these blocks
// again in order, so neither the number of threads nor their timing shows in any result, fault or
// count (but for LaunchStats::shared_blocks). Registers and local memory that a block reads before
// it writes them are zero, whichever block used them before.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "emulator/ops/lane_loops.hpp"
#include "emulator/run/workers.hpp"

namespace cugrade::emulator {

/// Judges by the kernel's code; never `unknown`.
[[nodiscard]] BlockOrder block_order(const Program&, const DecodedFunction&);

/// Anonymous pages, zero at first.
class Pages {
public:
    explicit Pages(u64 bytes);
    ~Pages();
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    [[nodiscard]] std::byte* data() const { return p_; }

private:
    std::byte* p_;
    u64 bytes_;
};

/// A copy of a part of an allocation. Blocks write to it; no load reads it.
class Window {
public:
    explicit Window(u64 most_bytes);
    /// Says which part of device memory this is a copy of.
    void place(u64 lo, u64 bytes) { lo_ = lo, bytes_ = bytes; }
    [[nodiscard]] Range range() const;
    [[nodiscard]] std::byte* data() const { return pages_.data(); }
    [[nodiscard]] u64 lo() const { return lo_; }
    [[nodiscard]] u64 bytes() const { return bytes_; }
    [[nodiscard]] u64* written() const { return written_; }

    /// Calls f(offset, bytes) for each piece that was touched, then marks it as untouched.
    template <class F>
    void take_touched(F&& f);

private:
    Pages pages_;
    u64* written_;
    u64 lo_ = 0, bytes_ = 0;
};

class Speculation;

/// The shares that one host thread runs.
class Speculator {
public:
    Speculator(Speculation& all, Launch& own) : all_(all), own_(own) {}
    /// The part of the allocation around the address that an instruction of this use may touch; an
    /// empty range if it may touch none.
    [[nodiscard]] Range use(const Range& allocation, u64 address, Use);
    /// Keeps the share from being committed.
    void give_up() { given_up_ = true; }

private:
    friend class Speculation;
    struct Allocation {
        Use use = Use::nothing;
        std::unique_ptr<Window> whole;
        std::map<u64, std::unique_ptr<Window>> strips;  ///< instead of `whole`, by number
    };
    [[nodiscard]] Range window(Allocation&, const Range&, u64 address);
    void commit();

    Speculation& all_;
    Launch& own_;
    std::map<u64, Allocation> allocations_;        ///< by address
    std::vector<std::unique_ptr<Window>> unused_;  ///< strips
    std::size_t strips_ = 0;
    bool given_up_ = false;
};

class Speculation {
public:
    Speculation(Launch& launch, Workers& workers) : launch_(launch), workers_(workers) {}

    /// Runs one block to its end; false if it did not end well.
    using RunBlock = std::function<bool(u64 block)>;
    /// Runs the blocks [from, to), `share` at a time. Each thread calls make_runner once, with its
    /// own copy of the launch. Returns the first block that has not been committed.
    [[nodiscard]] u64 run(u64 from, u64 to, u64 share,
                          const std::function<RunBlock(Launch&)>& make_runner);

private:
    friend class Speculator;
    void run_thread(const std::function<RunBlock(Launch&)>& make_runner);
    [[nodiscard]] bool run_share(u64 first, Launch& own, Speculator&, const RunBlock&);
    [[nodiscard]] bool claim(u64 allocation, Use);
    [[nodiscard]] bool claim_static_loads();

    Launch& launch_;
    Workers& workers_;
    u64 to_ = 0, share_ = 1;
    std::atomic<u64> next_ = 0;              ///< block of the next share
    std::atomic<u64> stop_at_ = UINT64_MAX;  ///< a block of a dropped share
    std::mutex mutex_;                       ///< guards the members below
    std::condition_variable turn_;
    u64 committed_ = 0;        ///< blocks before this one have happened
    std::map<u64, Use> uses_;  ///< by the allocation's address
};

}  // namespace cugrade::emulator
