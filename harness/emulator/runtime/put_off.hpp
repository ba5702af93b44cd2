// Work that streams hold, in the order in which it may be done. The theory is in stream.hpp.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "emulator/runtime/stream.hpp"

namespace cugrade::cudart {

/// Counts all work that is put off, from 1: what comes later has a larger ticket.
using Ticket = std::uint64_t;

/// The caller holds Runtime::mutex.
class PutOff {
public:
    /// Is work put off under the current seed? Asks the emulator for the seed only while nothing is
    /// put off, so a new seed counts from the next work on.
    [[nodiscard]] bool defers(Runtime&);
    /// `after`: work that has to be done first, beside the work that the stream holds.
    Ticket add(Runtime&, cudaStream_t, bool waits_for_default, Action, std::size_t held_bytes,
               std::vector<Ticket> after = {});
    /// The ticket of the stream's last work; 0: all of it is done.
    [[nodiscard]] Ticket last_of(cudaStream_t) const;
    [[nodiscard]] bool is_done(Ticket t) const { return !stream_of_.contains(t); }

    /// Does the work with this ticket, after the work before it in its stream.
    void finish(Runtime&, Ticket);
    void finish(Runtime& r, cudaStream_t stream) { finish(r, last_of(stream)); }
    /// Does the work of all streams, or only of those that the default stream waits for.
    void finish_all(Runtime&, bool only_those_before_default);
    /// Does some work now, if the seed says so.
    void maybe_do_some(Runtime&);

private:
    enum class When { late, at_once, drawn };
    struct Work {
        Ticket ticket = 0;
        std::vector<Ticket> after;
        Action action;
        std::size_t held_bytes = 0;
    };
    struct Queue {
        bool waits_for_default = false;
        std::deque<Work> works;
    };
    void do_first(Runtime&, cudaStream_t);
    void drop_all();
    void start_helper(Runtime&);
    [[nodiscard]] std::uint64_t draw(std::uint64_t below);

    std::map<cudaStream_t, Queue> queues_;  ///< none is empty
    std::map<Ticket, cudaStream_t> stream_of_;
    Ticket last_ticket_ = 0;
    std::size_t held_bytes_ = 0;
    When when_ = When::at_once;
    std::uint64_t seed_ = 0, random_ = 0;
    bool does_at_exit_ = false, has_helper_ = false;
};

}  // namespace cugrade::cudart
