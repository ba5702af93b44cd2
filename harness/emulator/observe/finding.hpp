// What a checker has to say: one finding, and the list that they all add to.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/exec/observer.hpp"

namespace cugrade::emulator {

enum class FindingKind : std::uint8_t {
    shared_race,         ///< two threads of a block, shared memory, nothing orders them
    global_race,         ///< two threads of the grid, global memory
    missing_syncwarp,    ///< two lanes of one warp, ordered only by running in lockstep
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
    count,
};
[[nodiscard]] std::string_view name_of(FindingKind);

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

/// Findings in the order in which they were first seen, each once.
class Findings {
public:
    explicit Findings(std::size_t limit = 100) : limit_(limit) {}
    /// The index of the finding, new or known; `no_finding` if the list is full.
    static constexpr std::size_t no_finding = SIZE_MAX;
    std::size_t add(Finding);
    void again(std::size_t index) {
        if (index != no_finding) ++all_[index].count;
    }
    /// Takes back reads of what nobody has written where a race says why: the writer came later.
    /// Indices that `add` gave are void afterwards.
    void drop_explained();
    [[nodiscard]] const std::vector<Finding>& all() const { return all_; }
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
    void clear() {
        all_.clear();
        dropped_ = 0;
    }

private:
    std::size_t limit_;
    std::uint64_t dropped_ = 0;
    std::vector<Finding> all_;
};

[[nodiscard]] Finding finding_of(const Fault&);

/// "(1,0,0)"
[[nodiscard]] std::string triple(const std::array<std::uint32_t, 3>&);
/// The index of a thread of a block by its number.
[[nodiscard]] std::array<std::uint32_t, 3> thread_of(const Launch&, std::uint64_t number);
[[nodiscard]] std::array<std::uint32_t, 3> block_of(const Launch&, std::uint64_t number);
/// "`tile`, byte 16 of 1024": the variable of shared memory at an offset.
[[nodiscard]] std::string describe_shared(const Launch&, std::uint64_t offset);

}  // namespace cugrade::emulator
