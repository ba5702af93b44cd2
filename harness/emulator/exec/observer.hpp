// What can be watched while a kernel runs: the one interface of all checkers and counters.
//
// Theory of operation. A launch with an observer runs a copy of the decoded code in which every
// instruction is wrapped: the wrapper says what is about to happen and then runs the instruction
// itself. A launch without one runs the plain code, so nobody pays for observers that are not
// there. Observers see the launch in the order in which the interpreter runs it, on one thread, and
// change nothing.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/counts/counts.hpp"
#include "emulator/exec/warp.hpp"

namespace cugrade::emulator {

enum class Scope : std::uint8_t { block, device, system };

/// One warp instruction that touches memory, before it does. Lanes of a generic access that lie in
/// different spaces are told one space after the other.
struct Access {
    enum class Kind : std::uint8_t { load, store, atomic };
    Kind kind = Kind::load;
    ptx::Space space = ptx::Space::global;  ///< global, shared, local, constant, param
    std::uint32_t mask = 0;                 ///< the lanes that do it
    std::uint32_t bytes = 0;                ///< of one lane, all elements of a vector together
    /// Weak accesses of two threads to one place are a race unless something orders them.
    bool strong = false;    ///< volatile, relaxed, acquire, release: not weak
    bool acquires = false;  ///< ld.acquire, atom.acquire, atom.acq_rel
    bool releases = false;  ///< st.release, atom.release, atom.acq_rel
    Scope scope = Scope::device;
    /// By lane: a device address for global and constant; an offset in the block's shared memory,
    /// or in the thread's local memory, for those.
    std::array<std::uint64_t, lanes> address{};
};

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
    /// A PTX instruction is about to run for the lanes in `mask`, which may be none of those that
    /// its guard lets through.
    virtual void executed(const Warp&, const Ins*, InstructionClass, std::uint32_t /*mask*/) {}
    virtual void accessed(const Warp&, const Ins*, const Access&) {}
    /// A branch took `taken` of the lanes in `mask`.
    virtual void branched(const Warp&, const Ins*, std::uint32_t /*mask*/,
                          std::uint32_t /*taken*/) {}
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
    void executed(const Warp& w, const Ins* i, InstructionClass c, std::uint32_t mask) override;
    void accessed(const Warp& w, const Ins* i, const Access& a) override;
    void branched(const Warp& w, const Ins* i, std::uint32_t mask, std::uint32_t taken) override;
    void fenced(const Warp& w, const Ins* i, std::uint32_t mask, Scope s) override;
    void arrived(const Warp& w, const Ins* i, std::uint32_t mask, std::uint32_t barrier) override;
    void released(const Block& b, std::uint32_t barrier) override;
    void yielded(const Warp& w, const Ins* i, std::uint32_t mask) override;
    void warp_synchronised(const Warp& w, const Ins* i, std::uint32_t mask) override;

private:
    std::vector<Observer*> all_;
};

/// What the wrapper has to know of one decoded instruction.
struct Watched {
    enum class What : std::uint8_t { nothing, memory, branch, fence };
    Ins plain;
    What what = What::nothing;
    InstructionClass kind = InstructionClass::other;
    bool head = false;  ///< the first of those that its PTX instruction was decoded to
    Access access;      ///< all of it but lanes and addresses
    std::uint64_t fixed_address = 0;  ///< Touch::fixed: of all lanes
    Scope scope = Scope::device;
};

/// The code of a program, wrapped: `code` takes the place of Program::code, index by index.
struct WatchedCode {
    std::vector<Ins> code;
    std::vector<Watched> watched;
};
[[nodiscard]] WatchedCode watch(const Program&, const Arena&);

}  // namespace cugrade::emulator
