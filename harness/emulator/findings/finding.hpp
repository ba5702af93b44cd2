// What a checker has to say, as plain values: what the emulator finds and the grader judges and
// shows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/exec/place.hpp"

namespace cugrade::emulator {

enum class FindingKind : std::uint8_t {
    shared_race,         ///< two threads of a block, shared memory, nothing orders them
    global_race,         ///< two threads of the grid, global memory
    missing_syncwarp,    ///< two lanes of one warp, ordered only by running in lockstep
    lost_update,         ///< two threads store through volatile, and neither sees the other's
    uninitialised_read,  ///< nobody ever wrote what is read
    out_of_bounds,
    freed_memory,
    misaligned,
    barrier_divergence,
    deadlock,
    livelock,  ///< the budget ran out while no memory changed
    budget,    ///< the budget ran out
    trap,
    stack_overflow,
    unsupported,
    hangs_before_volta,  ///< a warning: lanes wait for lanes of their own warp
    races_unwatched,     ///< a warning: the launch was watched for races only up to here
    // Of the host, all of them warnings:
    unwritten_copy,   ///< copied to the host, though neither kernel nor host has written it
    never_freed,      ///< device memory that the program still has at its end
    unchecked_error,  ///< a call failed and nobody asked for the error
    count,
};
[[nodiscard]] std::string_view name_of(FindingKind);
[[nodiscard]] std::optional<FindingKind> finding_kind(std::string_view name);
/// What may be meant so, or harms only elsewhere: no finding that makes a result wrong.
[[nodiscard]] bool is_warning(FindingKind);

struct Finding {
    FindingKind kind = FindingKind::shared_race;
    std::string message;  ///< a full sentence for a student
    std::string kernel;   ///< demangled
    std::array<std::uint32_t, 3> block{};
    std::array<std::uint32_t, 3> thread{};
    Place place;
    std::optional<Place> second;  ///< of a race: where the other thread was
    std::string buffer;           ///< what was touched, and where in it; empty: no memory
    std::uint64_t count = 1;      ///< how often the same was seen

    /// Same kind, same kernel, same lines: the student has one thing to repair.
    [[nodiscard]] bool same_as(const Finding&) const;
};

}  // namespace cugrade::emulator
