// Findings of checkers as plain values. The emulator makes them; the grader judges and shows them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/state/place.hpp"

namespace cugrade::emulator {

enum class FindingKind : std::uint8_t {
    shared_race,         ///< two threads of a block, shared memory, nothing orders them
    global_race,         ///< two threads of the grid, global memory
    missing_syncwarp,    ///< two lanes of one warp, ordered only by running in lockstep
    lost_update,         ///< two threads store, one of them through volatile, and one store is lost
    missing_atomic,      ///< two threads read, change and write one word
    uninitialised_read,  ///< a thread uses memory that nobody has written
    out_of_bounds,
    freed_memory,
    misaligned,
    barrier_divergence,   ///< also when lanes of a warp leave out a barrier or a shuffle
    mask_without_caller,  ///< a lane makes a warp-level call with a mask that leaves it out
    inactive_lane_read,   ///< a shuffle asks a lane that takes no part, and the answer is used
    // Of locks, where a launch has made no progress:
    lock_order,            ///< threads wait for each other's locks in a circle
    lock_taken_twice,      ///< a thread waits for a lock that it holds
    lock_not_released,     ///< its holder has ended, or has come back to take it again
    lock_per_lane,         ///< its holder waits for the other lanes of its warp
    lock_not_initialised,  ///< nobody has taken it, and it is not free
    deadlock,
    livelock,  ///< the budget ran out while no memory changed
    budget,    ///< the budget ran out
    trap,
    stack_overflow,
    unsupported,
    hangs_before_volta,  ///< a warning: lanes wait for lanes of their own warp
    same_value_stores,   ///< a warning: two threads store one value, always the same
    used_without_lock,   ///< a warning: data of a lock are read outside of it, and others store then
    unread_stores,       ///< a warning: nobody reads most of what a line has stored in own memory
    races_unwatched,     ///< a warning: the launch was watched for races only up to here
    // Found on the host, all of them warnings:
    unwritten_copy,   ///< bytes copied to the host that neither kernel nor host has written
    never_freed,      ///< device memory that the program still has at its end
    unchecked_error,  ///< a call failed and nobody asked for the error
    count,
};
[[nodiscard]] std::string_view name_of(FindingKind);
[[nodiscard]] std::optional<FindingKind> finding_kind(std::string_view name);
/// What happened at Finding::second, for a note.
[[nodiscard]] std::string_view meaning_of_second(FindingKind);
/// A warning makes no result wrong: the student may have meant it, or it does harm only elsewhere.
[[nodiscard]] bool is_warning(FindingKind);

struct Finding {
    FindingKind kind = FindingKind::shared_race;
    std::string message;  ///< a full sentence for a student
    /// Of a race: the same without threads, names and numbers, which tell of the data.
    std::string without_data;
    std::string kernel;  ///< demangled
    std::array<std::uint32_t, 3> block{};
    std::array<std::uint32_t, 3> thread{};
    Place place;
    /// In a race, where the other thread was. If lanes are missing, where they went another way.
    std::optional<Place> second;
    /// Of a lock: the calls around the place, and around the second one, that the compiler has
    /// replaced by functions' bodies, the innermost first.
    std::vector<Place> callers, second_callers;
    std::string buffer;       ///< the memory that was touched, and where in it; empty if none was
    std::uint64_t count = 1;  ///< how often it was seen

    /// Same kind, same kernel, same lines: the student has one thing to repair.
    [[nodiscard]] bool same_as(const Finding&) const;
};

}  // namespace cugrade::emulator
