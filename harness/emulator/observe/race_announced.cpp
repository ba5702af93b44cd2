// Finds loads that may come too early, because a flag was set without a fence.
//
// A thread stores data through volatile, and then sets a flag or takes a ticket; another one reads
// the flag, and then the data through volatile. All four accesses are strong, so there is no race.
// But nothing orders the two stores: the flag may be seen before the data. That is the
// message-passing litmus test of memory models, without its fence.
//
// So each address that is written strongly has a second log, which tells what its writers had done
// by then, fence or no fence: the announcements. A thread hears those of an address where it waits
// for it in a loop, or changes it by an atomic; the threads that meet it at a barrier hear of them,
// too. What else it reads may be no more than a look at how far others have come. A volatile load
// of what another block's volatile store has left, of which the thread was told and which nothing
// orders before it, is reported. Not so if the load is a loop's that waits for just this store, or
// if all that is missing is a fence behind the reading of the flag: hardware does not let volatile
// loads overtake each other.
#include "emulator/observe/race_detector.hpp"

namespace cugrade::emulator::races {

void Detector::announce(Now& n) {
    for_lanes(n.a.mask, [&](u32 l) {
        const auto [known, is_new] =
            announced_.try_emplace(n.a.address[l], static_cast<u32>(logs_.size()));
        Log& log = is_new ? logs_.emplace_back() : logs_[known->second];
        bool changed = false;
        put(log, thread_key(n.mine.who + l), n.mine.time, changed);
        put(log, warp_key(n.mine.who), n.warp.base, changed);
        put(log, block_key(n.block.number), n.block.base, changed);
        if (changed) ++log.length;
        return true;
    });
    ++now_;  // what comes next is not announced
    n.warp.stamp = now_;
}

void Detector::hear(Now& n) {
    if (n.a.kind == Access::Kind::load && !idioms_.polls(n.a.code)) return;
    for_lanes(n.a.mask, [&](u32 l) {
        const auto known = announced_.find(n.a.address[l]);
        if (known != announced_.end())
            learn(n.warp.state(l).told, {known->second, logs_[known->second].length});
        return true;
    });
}

/// Has another address told the thread of the store?
bool Detector::was_told(const Now& n, u32 lane, const Epoch& before) const {
    const auto keys = keys_of(before);
    const auto own = announced_.find(n.a.address[lane]);
    const auto any_tells = [&](const std::vector<Ref>& told) {
        return std::ranges::any_of(told, [&](const Ref& ref) {
            return (own == announced_.end() || ref.object != own->second) &&
                   logs_[ref.object].tells(keys, before.time, ref.length);
        });
    };
    return (!n.warp.lane.empty() && any_tells(n.warp.lane[lane].told)) || any_tells(n.warp.told) ||
           any_tells(n.block.told);
}

void Detector::check_told(Now& n, u32 lane, u64 address, const Epoch& before) {
    const bool other_block = before.who < n.block.first || before.who >= n.block.end;
    if (n.shared || !other_block || before.time <= floor_ || idioms_.polls(n.code)) return;
    if (was_told(n, lane, before) && !ordered(n, lane, before, true))
        report(n, lane, address, before, true, FindingKind::global_race, RaceCause::unfenced_flag);
}

}  // namespace cugrade::emulator::races
