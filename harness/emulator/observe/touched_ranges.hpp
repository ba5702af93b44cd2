// Whether an access is to memory that is allocated. An observer sees an access before the emulator
// checks it, so its address may be anywhere.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/state/warp.hpp"

namespace cugrade::emulator {

/// Remembers by instruction which allocation it touched last: a kernel that goes through several
/// arrays in turn leaves each of them at each access, but its instructions stay.
class TouchedRanges {
public:
    void launch_started(const Launch& launch) {
        arena_ = launch.arena;
        last_.assign(launch.ranges.size() + 1, {});
    }
    /// Is all of this global memory in one live allocation?
    [[nodiscard]] bool hold(const Ins* i, std::uint64_t address, std::uint64_t bytes) {
        Range& last = last_[i->range < last_.size() ? i->range : 0];
        if (last.holds(address, bytes)) [[likely]]
            return true;
        last = arena_->find(address);
        return last.holds(address, bytes);
    }

private:
    const Arena* arena_ = nullptr;
    std::vector<Range> last_;
};

}  // namespace cugrade::emulator
