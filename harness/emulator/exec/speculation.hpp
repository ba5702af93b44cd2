// Blocks on several host threads, with what one thread would have left, to the byte.
//
// Theory of operation. That blocks do not see each other's effects can hardly be proven from PTX:
// an index may lead anywhere. So it is assumed, watched, and undone where it was not so.
//
// The grid is cut into shares of successive blocks. Threads take shares in order and run each into
// memory of their own: device memory is only read. Then they make real what a share has done
// ("commit"), share after share in the order of blocks, so that at any time exactly the first so
// many blocks have happened. If a share cannot be committed, it and all later ones are dropped as
// if they had never run, and one thread goes on from there in order.
//
// What could tell a share that earlier ones have not been committed when it ran? Only reading what
// they write. An instruction's first access to an allocation comes here, as the interpreter has no
// range for it yet, and gives the allocation its use in this launch: it is read, or it is stored
// to, or it is added to by atomics of one kind whose result nobody reads and whose order does not
// matter. A second use of the same allocation, and any other atomic, ends the run. Stores go to
// windows, copies of parts of the allocation that nobody reads, with a bit for each byte written;
// sums start from nothing in each share.
//
// A share is dropped as well after a fault or a deadlock, when the launch's budget comes near,
// or a block takes so long that it may be waiting for another. All of that happens again in order,
// so that neither the number of threads nor their timing shows in any result, fault or count. What
// a block finds in registers and local memory that it has not written is zero, whichever block was
// there before it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "emulator/exec/lane_loops.hpp"
#include "emulator/exec/workers.hpp"

namespace cugrade::emulator {

/// From the kernel's code; never `unknown`.
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

/// A copy of a part of an allocation, to be written and never read before it is committed.
class Window {
public:
    explicit Window(u64 most_bytes);
    /// Which part it is of.
    void place(u64 lo, u64 bytes) { lo_ = lo, bytes_ = bytes; }
    [[nodiscard]] Range range() const;
    [[nodiscard]] std::byte* data() const { return pages_.data(); }
    [[nodiscard]] u64 lo() const { return lo_; }
    [[nodiscard]] u64 bytes() const { return bytes_; }
    [[nodiscard]] u64* written() const { return written_; }

    /// Calls f(offset, bytes) for the pieces that were touched and forgets that they were.
    template <class F>
    void take_touched(F&& f);

private:
    Pages pages_;
    u64* written_;
    u64 lo_ = 0, bytes_ = 0;
};

class Speculation;

/// One host thread's part.
class Speculator {
public:
    Speculator(Speculation& all, Launch& own) : all_(all), own_(own) {}
    /// The part of the allocation around the address as an instruction of this use may touch it;
    /// an empty range if it may not.
    [[nodiscard]] Range use(const Range& allocation, u64 address, Use);
    /// The share must not be committed.
    void give_up() { given_up_ = true; }

private:
    friend class Speculation;
    struct Allocation {
        Use use = Use::nothing;
        std::unique_ptr<Window> whole;
        std::map<u64, std::unique_ptr<Window>> strips;  ///< instead; by number
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
    /// Runs blocks from `from` on, below `to`, `share` at a time; make_runner is asked once per
    /// thread, for a launch of the thread's own. Returns the first block that has not happened.
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
    std::atomic<u64> stop_at_ = UINT64_MAX;  ///< a block whose share is dropped
    std::mutex mutex_;                       ///< of what follows
    std::condition_variable turn_;
    u64 committed_ = 0;        ///< blocks before this one have happened
    std::map<u64, Use> uses_;  ///< by the allocation's address
};

}  // namespace cugrade::emulator
