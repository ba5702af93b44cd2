// Locks that only end since Volta: lanes spin on what a lane of their own warp holds.
//
// Theory of operation. Before Volta a lane that has left a loop waits behind it for the rest of its
// warp, so a lock that is given back there is never given back. The independent schedule gets out
// of it by giving the holder a turn; the scheduler says when it does. That is the moment to look:
// if the word that the spinning lanes try for was last taken by a lane of their warp, and that lane
// parted from them by going straight to the place where lockstep would have it wait, the program
// hangs on older devices.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emulator/observe/finding.hpp"

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
        /// By lane: what it tried to take last; the instruction is 0 if it has not.
        std::array<std::uint64_t, lanes> tried{};
        std::array<const Ins*, lanes> where{};
        std::uint32_t left = 0;  ///< lanes that went straight to where the others are to meet them
    };
    struct Holder {
        const Warp* warp = nullptr;
        std::uint32_t lane = 0;
    };
    /// How an atomic takes something: not at all, by cas, by exch.
    enum class Taking : std::uint8_t { unknown, no, cas, exch };
    Taking taking(const Ins*);
    [[nodiscard]] std::uint64_t key(const Warp&, const Access&, std::uint32_t lane) const;

    Findings& findings_;
    const Launch* launch_ = nullptr;
    std::vector<Taking> by_code_;
    std::unordered_map<const Warp*, WarpState> warps_;
    std::unordered_map<std::uint64_t, Holder> holders_;
    std::unordered_map<const Ins*, std::size_t> reported_;
};

}  // namespace cugrade::emulator
