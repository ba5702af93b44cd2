// What can be watched while a kernel runs: the one interface of all checkers and counters.
//
// Theory of operation. A launch with an observer runs a copy of the decoded code in which every
// instruction is wrapped: the wrapper says what is about to happen and then runs the instruction
// itself. A launch without one runs the plain code, so nobody pays for observers that are not
// there. Observers see the launch in the order in which the interpreter runs it, on one thread, and
// change nothing.
//
// What is only ever counted (how often an instruction ran, for how many lanes) is no event: the
// wrapper adds it up in a Tally, which observers read when the launch has ended. Of an access the
// wrapper finds out once, for all observers, whether its lanes lie one behind the other.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "emulator/counts/counts.hpp"
#include "emulator/exec/warp.hpp"

namespace cugrade::emulator {

enum class Scope : std::uint8_t { block, device, system };

/// How the addresses of an access lie.
enum class Pattern : std::uint8_t {
    scattered,    ///< anyhow; also if nobody has looked
    consecutive,  ///< the lanes are neighbours, and each one's bytes follow those of the one before
    uniform,      ///< several lanes, all at one address
};

/// One warp instruction that touches memory, before it does; a vector is one access. Lanes of a
/// generic access that lie in different spaces are told one space after the other.
struct Access {
    enum class Kind : std::uint8_t { load, store, atomic };
    Kind kind = Kind::load;
    Pattern pattern = Pattern::scattered;
    ptx::Space space = ptx::Space::global;  ///< global, shared, local, constant, param
    std::uint32_t mask = 0;                 ///< the lanes that do it
    std::uint32_t bytes = 0;                ///< of one lane, all elements of a vector together
    std::uint32_t elements = 1;             ///< of a vector of atomics, each of bytes / elements
    std::uint32_t code = 0;                 ///< of the instruction: its index in Program::code
    /// Weak accesses of two threads to one place are a race unless something orders them.
    bool strong = false;       ///< volatile, relaxed, acquire, release: not weak
    bool is_volatile = false;  ///< strong, though what C++ calls volatile is no atomic
    bool acquires = false;     ///< ld.acquire, atom.acquire, atom.acq_rel
    bool releases = false;     ///< st.release, atom.release, atom.acq_rel
    Scope scope = Scope::device;
    /// By lane: a device address for global and constant; an offset in the block's shared memory,
    /// or in the thread's local memory, for those.
    std::array<std::uint64_t, lanes> address{};

    [[nodiscard]] std::uint32_t first_lane() const {
        return static_cast<std::uint32_t>(std::countr_zero(mask));
    }
    [[nodiscard]] std::uint32_t active() const {
        return static_cast<std::uint32_t>(std::popcount(mask));
    }
    /// Where a consecutive access begins, and how many bytes it has.
    [[nodiscard]] std::uint64_t start() const { return address[first_lane()]; }
    [[nodiscard]] std::uint64_t length() const { return std::uint64_t{active()} * bytes; }
};

/// What the wrapper says of an access.
[[nodiscard]] Pattern pattern_of(const Access&);

class Observer {
public:
    Observer() = default;
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    virtual ~Observer() = default;

    virtual void launch_started(const Launch&) {}
    /// Also after a fault; Launch::fault says which.
    virtual void launch_ended(const Launch&) {}
    virtual void block_started(const Block&) {}
    virtual void block_ended(const Block&) {}
    /// Memory is about to be touched; constant memory is told only of generic addresses.
    virtual void accessed(const Warp&, const Ins*, const Access&) {}
    /// A branch parts the lanes in `mask`: it takes `taken` of them, some but not all.
    virtual void parted(const Warp&, const Ins*, std::uint32_t /*mask*/, std::uint32_t /*taken*/) {}
    virtual void fenced(const Warp&, const Ins*, std::uint32_t /*mask*/, Scope) {}
    /// The lanes in `mask` wait at a barrier of their block; `warp` holds them.
    virtual void arrived(const Warp&, const Ins*, std::uint32_t /*mask*/,
                         std::uint32_t /*barrier*/) {}
    /// Everyone who has arrived at the barrier goes on.
    virtual void released(const Block&, std::uint32_t /*barrier*/) {}
    /// The lanes in `mask` only spin, at or near the instruction; others of their warp get a turn.
    virtual void yielded(const Warp&, const Ins*, std::uint32_t /*mask*/) {}
    /// bar.warp.sync: the lanes in `mask` have met.
    virtual void warp_synchronised(const Warp&, const Ins*, std::uint32_t /*mask*/) {}
};

/// Tells several observers, in order.
class Observers final : public Observer {
public:
    void add(Observer& o) { all_.push_back(&o); }
    void clear() { all_.clear(); }
    [[nodiscard]] bool empty() const { return all_.empty(); }

    void launch_started(const Launch& l) override;
    void launch_ended(const Launch& l) override;
    void block_started(const Block& b) override;
    void block_ended(const Block& b) override;
    void accessed(const Warp& w, const Ins* i, const Access& a) override;
    void parted(const Warp& w, const Ins* i, std::uint32_t mask, std::uint32_t taken) override;
    void fenced(const Warp& w, const Ins* i, std::uint32_t mask, Scope s) override;
    void arrived(const Warp& w, const Ins* i, std::uint32_t mask, std::uint32_t barrier) override;
    void released(const Block& b, std::uint32_t barrier) override;
    void yielded(const Warp& w, const Ins* i, std::uint32_t mask) override;
    void warp_synchronised(const Warp& w, const Ins* i, std::uint32_t mask) override;

private:
    std::vector<Observer*> all_;
};

/// What a launch did with one instruction.
struct Tally {
    std::uint64_t warps = 0;  ///< times that it ran, also for no lane that its guard lets through
    std::uint64_t lanes = 0;  ///< lanes that it ran for, summed
    /// Of a conditional branch: times that it ran; of constant memory: for at least one lane.
    std::uint64_t events = 0;
};

/// What the wrapper has to know of one decoded instruction.
struct Watched {
    enum class What : std::uint8_t { nothing, memory, constant, branch, fence };
    Handler fast = nullptr, slow = nullptr;  ///< of the instruction itself
    Tally tally;               ///< warps and lanes of the PTX instruction: only if `head`
    Access* access = nullptr;  ///< of What::memory: all but lanes and addresses, which change
    std::uint64_t fixed_address = 0;  ///< Touch::fixed: of all lanes
    What what = What::nothing;
    InstructionClass kind = InstructionClass::other;
    bool head = false;  ///< the first of its PTX instruction
    Scope scope = Scope::device;
};

/// The code of a program, wrapped: `code` takes the place of Program::code, index by index.
struct WatchedCode {
    std::vector<Ins> code;
    std::vector<Watched> watched;
    std::deque<Access> accesses;
};
[[nodiscard]] WatchedCode watch(const Program&, const Arena&);

/// A built-in function is about to write to a generic address; tells the launch's observer, if any.
void tell_store(const Warp&, const Ins*, std::uint32_t lane, std::uint64_t address,
                std::uint32_t bytes);

}  // namespace cugrade::emulator
