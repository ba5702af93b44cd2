#include "emulator/observe/race_advice.hpp"

#include <fmt/format.h>

namespace cugrade::emulator {

std::string advice_for(FindingKind kind, RaceCause cause, bool same_block,
                       std::string_view atomic) {
    switch (cause) {
        case RaceCause::narrow_scope:
            return "one of the two has the scope of the block (`_block`, `.cta`), so it is no "
                   "atomic "
                   "to other blocks: give both the scope of the device, as atomicAdd() has it";
        case RaceCause::no_fence:
            return "the thread has seen the lock or flag that tells of it, but no fence lies "
                   "between, "
                   "so it may get what was there before: put __threadfence() behind the loop that "
                   "waits (__threadfence_block() orders nothing between blocks), or acquire";
        case RaceCause::unfenced_lock:
            return "that thread has taken the lock without a fence behind it, so where it comes "
                   "second "
                   "it may get what was there before: put __threadfence() behind the loop that "
                   "takes "
                   "the lock";
        case RaceCause::unfenced_flag:
            return "that thread set the flag or counter which tells of it without a fence in "
                   "front, "
                   "so the flag may be seen before the data, volatile or not: put __threadfence() "
                   "between the two";
        case RaceCause::no_atomic:
            return fmt::format(
                "reading, changing and writing the word are three steps, and what another thread "
                "writes between them is lost: use {}, or give each thread a place of its own and "
                "combine those",
                atomic);
        case RaceCause::lock_in_vain:
            return "the lock that the thread holds does not order the two: all who touch this must "
                   "take the same lock, put __threadfence() behind the loop that takes it, and "
                   "another one before it is given back";
        case RaceCause::equal_by_luck:
            return "both store the same value this time, but it comes from data, so with others "
                   "one "
                   "of the two is lost: let one thread store, or use an atomic, or give each "
                   "thread a "
                   "place of its own";
        case RaceCause::equal_always:
            return "both store the same value, whatever the data are, so no result changes; C++ "
                   "and "
                   "the PTX memory model call it a race all the same: one thread is enough, or an "
                   "atomic";
        case RaceCause::unordered: break;
    }
    if (kind == FindingKind::lost_update)
        return "volatile orders nothing and makes nothing atomic, so one of the two is lost: use "
               "an "
               "atomic, or hold a lock from the load to the store";
    if (kind == FindingKind::missing_syncwarp)
        return "both are lanes of one warp, which need not run in step: put __syncwarp() between";
    if (same_block) return "no __syncthreads() lies between, so either may come first";
    return "blocks run in any order: use an atomic, one place for each block, or a second kernel";
}

}  // namespace cugrade::emulator
