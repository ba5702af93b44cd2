// All checkers as one observer: what `--check` turns on.
#pragma once

#include "emulator/observe/before_volta.hpp"
#include "emulator/observe/finding.hpp"
#include "emulator/observe/initialised.hpp"
#include "emulator/observe/races.hpp"

namespace cugrade::emulator {

class Checkers final : public Observer {
public:
    /// To be made before the memory is filled: see Initialised.
    explicit Checkers(Memory& memory)
        : memory_(memory),
          races_(findings_),
          initialised_(findings_, memory),
          before_volta_(findings_) {}

    [[nodiscard]] const Findings& findings() const { return findings_; }
    void clear() { findings_.clear(); }
    /// The program copies device memory to the host: a launch that covers only part of the output
    /// shows here at the latest.
    void copied_to_host(std::uint64_t address, std::uint64_t bytes);

    void launch_started(const Launch& l) override {
        races_.launch_started(l);
        initialised_.launch_started(l);
        before_volta_.launch_started(l);
    }
    void launch_ended(const Launch& l) override;
    void block_started(const Block& b) override {
        races_.block_started(b);
        initialised_.block_started(b);
        before_volta_.block_started(b);
    }
    void block_ended(const Block& b) override { races_.block_ended(b); }
    void accessed(const Warp& w, const Ins* i, const Access& a) override {
        races_.accessed(w, i, a);
        initialised_.accessed(w, i, a);
        if (a.kind == Access::Kind::atomic) before_volta_.accessed(w, i, a);
    }
    void parted(const Warp& w, const Ins* i, std::uint32_t mask, std::uint32_t taken) override {
        before_volta_.parted(w, i, mask, taken);
    }
    void yielded(const Warp& w, const Ins* i, std::uint32_t mask) override {
        before_volta_.yielded(w, i, mask);
    }
    void fenced(const Warp& w, const Ins* i, std::uint32_t mask, Scope s) override {
        races_.fenced(w, i, mask, s);
    }
    void arrived(const Warp& w, const Ins* i, std::uint32_t mask, std::uint32_t barrier) override {
        races_.arrived(w, i, mask, barrier);
    }
    void released(const Block& b, std::uint32_t barrier) override { races_.released(b, barrier); }
    void warp_synchronised(const Warp& w, const Ins* i, std::uint32_t mask) override {
        races_.warp_synchronised(w, i, mask);
    }

private:
    Memory& memory_;
    Findings findings_;
    Races races_;
    Initialised initialised_;
    BeforeVolta before_volta_;
};

}  // namespace cugrade::emulator
