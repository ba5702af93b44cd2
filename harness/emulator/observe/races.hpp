// Finds data races in shared and global memory, and lanes that rely on running in lockstep.
//
// Theory of operation. Two accesses of different threads to one place are a race if one of them
// writes, not both are strong (volatile, atomic), and no chain of synchronisation orders them. As
// in FastTrack (Flanagan and Freund 2009) each place remembers its last write and its last reads as
// epochs, a thread and a time (race_shadow.hpp), and an access is ordered behind an epoch if its
// thread knows the other one up to that time (race_clocks.hpp). Warps, blocks and scopes make it
// differ from FastTrack. race_detector.hpp says which file does what.
#pragma once

#include <memory>

#include "emulator/observe/findings.hpp"

namespace cugrade::emulator {
namespace races {
class Detector;
}

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
    std::unique_ptr<races::Detector> detector_;
};

}  // namespace cugrade::emulator
