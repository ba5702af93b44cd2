// Finds locks that work only since Volta: lanes spin on a lock that a lane of their own warp holds.
//
// Theory of operation. Before Volta a lane that has left a loop waits behind it for the rest of its
// warp. If it is to give a lock back there, it never does, and the other lanes spin for ever.
// Since Volta lanes are scheduled independently, so the holder gets a turn. When the emulator's
// scheduler gives it one (`yielded`), this checker looks at the word that the spinning lanes try to
// take. If a lane of their own warp took it last, and that lane parted from them by branching
// straight to the place where lockstep would have it wait, the program hangs on older devices.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>

#include "emulator/observe/findings.hpp"

namespace cugrade::emulator {

class BeforeVolta final : public Observer {
public:
    explicit BeforeVolta(Findings& findings) : findings_(findings) {}

    void launch_started(const Launch&) override;
    void block_started(const Block&) override;
    void accessed(const Warp&, const Ins*, const Access&) override;
    void parted(const Warp&, const Ins*, std::uint32_t mask, std::uint32_t taken) override;
    void yielded(const Warp&, const Ins*, std::uint32_t mask) override;

private:
    struct WarpState {
        /// By lane: the word that it last tried to take, and the instruction; nullptr if none.
        std::array<std::uint64_t, lanes> tried{};
        std::array<const Ins*, lanes> where{};
        std::array<std::uint64_t, lanes> operand{};  ///< and with what
        /// How often in a row it has failed with that. A loop that computes with what it finds, and
        /// tries again with another value, waits for nobody.
        std::array<std::uint32_t, lanes> failures{};
        std::uint32_t left = 0;  ///< lanes that branched straight to where all are to meet again
    };
    struct Holder {
        const Warp* warp = nullptr;
        std::uint32_t lane = 0;
    };
    [[nodiscard]] std::uint64_t key(const Warp&, const Access&, std::uint32_t lane) const;

    Findings& findings_;
    const Launch* launch_ = nullptr;
    std::unordered_map<const Warp*, WarpState> warps_;
    std::unordered_map<std::uint64_t, Holder> holders_;
    std::unordered_map<const Ins*, std::size_t> reported_;
};

}  // namespace cugrade::emulator
