// Finds out why threads wait for locks for ever: who holds which lock, and who waits for it.
//
// Theory of operation. An atomic of the form that takes a lock (Idioms::lock_taking) either takes it
// or fails. Whoever takes it holds it until any thread writes its word. Where a launch ends because
// nobody makes progress, the last failures show the reason: a thread fails because of a lock that it
// holds itself, or that a thread holds which has ended, or that a lane of its warp holds which waits
// for it at a warp operation, or that nobody has ever taken; or threads wait for each other in a
// circle. Of launches that end well nothing is said: there waiting is what locks are for.
#pragma once

#include <array>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emulator/observe/findings.hpp"
#include "emulator/observe/idioms.hpp"

namespace cugrade::emulator {

class Locks final : public Observer {
public:
    using Thread = std::uint64_t;  ///< number of the block and of the thread in it

    explicit Locks(Findings& findings) : findings_(findings) {}

    void launch_started(const Launch&) override;
    void launch_ended(const Launch&) override;
    void accessed(const Warp&, const Ins*, const Access&) override;
    void exchanged(const Warp&, const Ins*, std::uint32_t group, std::uint32_t members) override;

    [[nodiscard]] static Thread thread_of_lane(const Warp&, std::uint32_t lane);
    [[nodiscard]] bool nobody_holds_any() const { return holders_.empty(); }
    /// In no order.
    [[nodiscard]] std::vector<std::uint64_t> held_by(Thread) const;

private:
    struct Holder {
        Thread thread = 0;
        const Warp* warp = nullptr;
        std::uint32_t lane = 0;
        const Ins* taken = nullptr;
        const Ins* meets = nullptr;     ///< a warp operation that it has come to since
        std::uint32_t members = 0;      ///< of that
    };
    struct Waiting {
        std::uint64_t lock = 0;
        const Ins* tried = nullptr;
        std::uint32_t lane = 0;
        std::uint64_t failures = 0;
    };
    /// The first thread seen that can never get what it waits for.
    struct Dead {
        FindingKind kind{};
        Thread thread = 0;
        const Ins* at = nullptr;
        const Ins* other = nullptr;
        std::uint64_t lock = 0;
        Thread holder = 0;
    };

    void take(const Warp&, const Ins*, const Access&, const LockTaking&);
    void failed(const Warp&, const Ins*, std::uint32_t lane, std::uint64_t lock);
    [[nodiscard]] bool find_circle(Dead&) const;
    void report(const Dead&);
    [[nodiscard]] std::string told(Thread) const;

    Findings& findings_;
    Idioms idioms_;
    const Launch* launch_ = nullptr;
    std::unordered_map<std::uint64_t, Holder> holders_;  ///< by lock
    std::unordered_map<Thread, Waiting> waiting_;
    std::unordered_set<std::uint64_t> ever_taken_;
    std::optional<Dead> dead_;
};

}  // namespace cugrade::emulator
