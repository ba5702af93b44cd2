// Remembers which branches parted the lanes of a warp, and where lanes have ended.
//
// Theory of operation. If a lane is missing at a barrier or a shuffle, a branch is the reason: the
// last one that sent it and the waiting lanes different ways. Branches that part lanes are frequent
// and questions are rare, so a warp's branches are only noted, in order, and searched from the end
// when a checker asks. When a list has doubled, it drops the branches that later ones hide: a
// branch stays if it is the last to part any two lanes, so at most 496 stay, one for each pair.
#pragma once

#include <unordered_map>
#include <vector>

#include "emulator/state/observer.hpp"

namespace cugrade::emulator {

class Partings {
public:
    void launch_started() { warps_.clear(); }
    void block_started(const Block&);
    void parted(const Warp&, const Ins*, std::uint32_t mask, std::uint32_t taken);
    void ended(const Warp&, const Ins*, std::uint32_t mask);

    /// The lanes that have left the kernel before others of their warp.
    [[nodiscard]] std::uint32_t ended(const Warp&) const;
    /// Where the lane `away` left the lanes of `stayed`: the last branch that parted it from the
    /// first of them. If no branch is known, where it ended; nullptr if it has not ended either.
    [[nodiscard]] const Ins* left_at(const Warp&, std::uint32_t away, std::uint32_t stayed) const;

private:
    /// Lanes of `taken` went one way at a branch, the others of `mask` another way.
    struct Parting {
        const Ins* branch = nullptr;
        std::uint32_t mask = 0, taken = 0;
        bool operator==(const Parting&) const = default;
    };
    struct End {
        const Ins* at = nullptr;
        std::uint32_t mask = 0;
    };
    struct State {
        std::vector<Parting> partings;
        std::vector<End> ends;
        std::uint32_t ended = 0;
        std::size_t limit = 0;  ///< size of `partings` at which hidden ones are dropped
    };
    static void drop_hidden(State&);
    [[nodiscard]] const State* find(const Warp&) const;

    std::unordered_map<const Warp*, State> warps_;
};

/// The lanes that the warp had when its block began: a block's last warp may have fewer than 32.
[[nodiscard]] std::uint32_t lanes_of(const Warp&);

}  // namespace cugrade::emulator
