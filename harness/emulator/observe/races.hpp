// Data races in shared and global memory, and lanes that rely on running in lockstep.
//
// Theory of operation. Two accesses of different threads to one place are a race if one of them
// writes, not both are strong (volatile, atomic), and no chain of synchronisation orders them. As
// in FastTrack (Flanagan and Freund 2009) each place remembers its last write and its last reads as
// epochs, a thread and a time, and an access is ordered behind an epoch if its thread knows the
// other one up to that time. What differs is what a GPU makes differ:
//
// Time is one counter for the launch that advances with each event that orders anything. A warp
// stamps its accesses with the time of its own last such event.
// Knowledge is kept where it arises: a barrier teaches a block all that its threads did before
// (one number a block), bar.warp.sync a warp (one number, or a matrix of lanes for partial masks),
// and a fence followed by a strong write teaches whoever reads it from that address. The last kind
// is a log for each such address, shared by all who read it: a thread remembers how much of the
// log it has seen. Acquiring needs no fence here, which hardware grants in all the usual patterns.
//
// Two volatile stores are as strong as atomics, but one of them is lost if nobody meant the other
// to come first: a finding of its own, unless both store the same. A thread that waits for a flag
// and then stores to it knows the store that it has waited for, though no fence comes after that
// one. So what strong loads read is remembered, too, and what they are good for is read off the
// code (see Idioms): a loop that waits is an answer to what ends it, the load of `*p = *p + 1` is
// none.
//
// Shadow memory is a line of 128 bytes at a time: while a line is touched by whole warps, lane
// after lane, it is one epoch. Other patterns give it an epoch per word, and accesses of less than
// a word an epoch per byte.
#pragma once

#include <memory>

#include "emulator/observe/finding.hpp"

namespace cugrade::emulator {

class Races final : public Observer {
public:
    explicit Races(Findings&);
    ~Races() override;

    void launch_started(const Launch&) override;
    void launch_ended(const Launch&) override;
    void block_started(const Block&) override;
    void block_ended(const Block&) override;
    void accessed(const Warp&, const Ins*, const Access&) override;
    void fenced(const Warp&, const Ins*, std::uint32_t mask, Scope) override;
    void arrived(const Warp&, const Ins*, std::uint32_t mask, std::uint32_t barrier) override;
    void released(const Block&, std::uint32_t barrier) override;
    void warp_synchronised(const Warp&, const Ins*, std::uint32_t mask) override;

private:
    class Detector;
    std::unique_ptr<Detector> detector_;
};

}  // namespace cugrade::emulator
