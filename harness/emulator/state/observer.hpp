// The events of a running kernel: the one interface of all checkers and counters.
//
// Theory of operation. A launch with an observer runs a copy of the decoded code in which every
// instruction is wrapped: the wrapper tells the observer what is about to happen and then runs the
// instruction itself. A launch without one runs the plain code, so nobody pays for observers that
// are not there. Observers see the launch in the order in which the interpreter runs it, on one
// thread, and change nothing.
//
// Plain counts (how often an instruction ran, for how many lanes) are no events: the wrapper adds
// them up in a Tally, which observers read when the launch has ended. The wrapper also finds out
// once, for all observers, whether the lanes of an access touch consecutive addresses.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "emulator/counts/counts.hpp"
#include "emulator/state/warp.hpp"

namespace cugrade::emulator {

enum class Scope : std::uint8_t { block, device, system };

/// How the lanes' addresses of an access lie to each other.
enum class Pattern : std::uint8_t {
    scattered,    ///< anything else, or not examined
    consecutive,  ///< neighbouring lanes, and each lane's bytes follow the previous lane's
    uniform,      ///< several lanes, all at one address
};

/// One warp instruction that is about to touch memory. A vector is one access. If the lanes of a
/// generic access lie in different spaces, each space is told as an access of its own.
struct Access {
    enum class Kind : std::uint8_t { load, store, atomic };
    Kind kind = Kind::load;
    /// How an atomic may take a lock: not at all, by compare-and-swap, by exchange.
    enum class Taking : std::uint8_t { no, cas, exch };
    Taking taking = Taking::no;
    Pattern pattern = Pattern::scattered;
    ptx::Space space = ptx::Space::global;  ///< global, shared, local, constant, param
    std::uint32_t mask = 0;                 ///< the lanes that touch memory
    std::uint32_t bytes = 0;                ///< of one lane, all elements of a vector together
    std::uint32_t elements = 1;             ///< atomics: a vector's, of bytes / elements each
    std::uint32_t code = 0;                 ///< the instruction's index in Program::code
    /// Weak accesses of two threads to one place are a race unless something orders them.
    bool strong = false;       ///< volatile, relaxed, acquire, release: not weak
    bool is_volatile = false;  ///< counts as strong, though in C++ volatile is not atomic
    bool acquires = false;     ///< ld.acquire, atom.acquire, atom.acq_rel
    bool releases = false;     ///< st.release, atom.release, atom.acq_rel
    Scope scope = Scope::device;
    /// By lane. Global and constant: a device address. Shared: an offset in the block's shared
    /// memory. Local: an offset in the thread's local memory.
    std::array<std::uint64_t, lanes> address{};

    [[nodiscard]] std::uint32_t first_lane() const {
        return static_cast<std::uint32_t>(std::countr_zero(mask));
    }
    [[nodiscard]] std::uint32_t active() const {
        return static_cast<std::uint32_t>(std::popcount(mask));
    }
    /// The first address and the number of bytes of a consecutive access.
    [[nodiscard]] std::uint64_t start() const { return address[first_lane()]; }
    [[nodiscard]] std::uint64_t length() const { return std::uint64_t{active()} * bytes; }
};

/// Examines the mask and the addresses.
[[nodiscard]] Pattern pattern_of(const Access&);

/// By lane: the lane that it reads. A lane that is out of the shuffle's range reads itself.
using ShuffleSources = std::array<std::uint8_t, lanes>;

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
    /// Memory is about to be touched. Reads of constant memory are told only if they use generic
    /// addresses.
    virtual void accessed(const Warp&, const Ins*, const Access&) {}
    /// A branch parts the lanes in `mask`: the lanes in `taken`, some but not all, take it.
    virtual void parted(const Warp&, const Ins*, std::uint32_t /*mask*/, std::uint32_t /*taken*/) {}
    virtual void fenced(const Warp&, const Ins*, std::uint32_t /*mask*/, Scope) {}
    /// The lanes in `mask` wait at a barrier of their block; `warp` holds them.
    virtual void arrived(const Warp&, const Ins*, std::uint32_t /*mask*/,
                         std::uint32_t /*barrier*/) {}
    /// All threads that have arrived at the barrier go on.
    virtual void released(const Block&, std::uint32_t /*barrier*/) {}
    /// The lanes in `mask` only spin, at or near the instruction; others of their warp get a turn.
    virtual void yielded(const Warp&, const Ins*, std::uint32_t /*mask*/) {}
    /// bar.warp.sync: the lanes in `mask` have met.
    virtual void warp_synchronised(const Warp&, const Ins*, std::uint32_t /*mask*/) {}
    /// The lanes in `mask` are about to leave the kernel, and others of their warp are not.
    virtual void ended(const Warp&, const Ins*, std::uint32_t /*mask*/) {}
    /// The lanes in `group` execute a shuffle, vote, match, redux, elect or mma together, or come
    /// to a bar.warp.sync, all with the same member mask.
    virtual void exchanged(const Warp&, const Ins*, std::uint32_t /*group*/,
                           std::uint32_t /*members*/) {}
    /// The lanes in `mask` of a shuffle read lanes that take no part, or that their member mask
    /// does not name, so the values that they are about to get are undefined.
    virtual void asked_in_vain(const Warp&, const Ins*, std::uint32_t /*mask*/,
                               const ShuffleSources&) {}

    // The next three are told only of warps that an observer follows (`follow`) to track the values
    // in their registers.
    /// A decoded instruction is about to run for the lanes in `mask`, before `accessed` and
    /// `exchanged` are told.
    virtual void executed(const Warp&, const Ins*, std::uint32_t /*mask*/) {}
    /// A parameter of a call, or a result, is about to be copied from one frame to another.
    virtual void passed(const Warp&, const std::byte* /*to*/, const Area& /*to_area*/,
                        const std::byte* /*from*/, const Area& /*from_area*/) {}
    /// Rows of a callee's frame are about to be cleared, for the current lanes.
    virtual void cleared(const Warp&, const std::byte* /*frame*/, const std::vector<Operand>&) {}

    /// A copy or a fill that a kernel has asked for, and no warp does, was done.
    virtual void copied(std::uint64_t /*to*/, std::uint64_t /*from*/, std::uint64_t /*bytes*/) {}
    virtual void filled(std::uint64_t /*to*/, std::uint64_t /*bytes*/) {}

    /// A built-in function is about to use the value at a generic address.
    virtual void consumed(const Warp&, const Ins*, std::uint32_t /*lane*/,
                          std::uint64_t /*address*/, std::uint32_t /*bytes*/) {}
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
    void ended(const Warp& w, const Ins* i, std::uint32_t mask) override;
    void exchanged(const Warp& w, const Ins* i, std::uint32_t group,
                   std::uint32_t members) override;
    void asked_in_vain(const Warp& w, const Ins* i, std::uint32_t mask,
                       const ShuffleSources& sources) override;
    void executed(const Warp& w, const Ins* i, std::uint32_t mask) override;
    void passed(const Warp& w, const std::byte* to, const Area& to_area, const std::byte* from,
                const Area& from_area) override;
    void cleared(const Warp& w, const std::byte* frame, const std::vector<Operand>& rows) override;
    void copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) override;
    void filled(std::uint64_t to, std::uint64_t bytes) override;
    void consumed(const Warp& w, const Ins* i, std::uint32_t lane, std::uint64_t address,
                  std::uint32_t bytes) override;

private:
    std::vector<Observer*> all_;
};

/// Counts of one instruction in a launch.
struct Tally {
    std::uint64_t warps = 0;  ///< times that it ran, also when its guard let no lane through
    std::uint64_t lanes = 0;  ///< lanes that it ran for, summed
    /// Conditional branches: times that they ran. Constant memory: times that at least one lane
    /// read.
    std::uint64_t events = 0;
};

/// The wrapper's data for one decoded instruction.
struct Watched {
    enum class What : std::uint8_t { nothing, memory, constant, branch, fence };
    Handler fast = nullptr, slow = nullptr;  ///< of the instruction itself
    Tally tally;               ///< warps and lanes of the PTX instruction: only if `head`
    Access* access = nullptr;  ///< What::memory: complete but for lanes and addresses, which change
    std::uint64_t fixed_address = 0;  ///< Touch::fixed: the address of all lanes
    What what = What::nothing;
    InstructionClass kind = InstructionClass::other;
    bool head = false;  ///< the first decoded instruction of its PTX instruction
    Scope scope = Scope::device;
};

/// The code of a program, wrapped: `code` takes the place of Program::code, index by index.
struct WatchedCode {
    std::vector<Ins> code;
    std::vector<Watched> watched;
    std::deque<Access> accesses;
    /// Set when a warp is first followed: from then on each instruction asks whether its warp is.
    bool follows = false;
};
[[nodiscard]] WatchedCode watch(const Program&, const Arena&);

/// Starts telling the launch's observer of each instruction of the warp, until the observer clears
/// Warp::followed. Few launches follow a warp, so the code asks for it only from the first call on.
/// Changing the code needs no lock, because observed launches run on one host thread.
void follow(const Warp&);

/// A built-in function is about to write to a generic address; tells the launch's observer, if any.
void tell_store(const Warp&, const Ins*, std::uint32_t lane, std::uint64_t address,
                std::uint32_t bytes);

}  // namespace cugrade::emulator
