#include "emulator/findings/finding.hpp"

#include <algorithm>
#include <iterator>

namespace cugrade::emulator {
namespace {

struct Row {
    FindingKind kind;
    std::string_view name;
    bool warning = false;
};

constexpr Row rows[] = {
    {FindingKind::shared_race, "shared_race"},
    {FindingKind::global_race, "global_race"},
    {FindingKind::missing_syncwarp, "missing_syncwarp"},
    {FindingKind::lost_update, "lost_update"},
    {FindingKind::missing_atomic, "missing_atomic"},
    {FindingKind::uninitialised_read, "uninitialised_read"},
    {FindingKind::out_of_bounds, "out_of_bounds"},
    {FindingKind::freed_memory, "freed_memory"},
    {FindingKind::misaligned, "misaligned"},
    {FindingKind::barrier_divergence, "barrier_divergence"},
    {FindingKind::mask_without_caller, "mask_without_caller"},
    {FindingKind::inactive_lane_read, "inactive_lane_read"},
    {FindingKind::lock_order, "lock_order"},
    {FindingKind::lock_taken_twice, "lock_taken_twice"},
    {FindingKind::lock_not_released, "lock_not_released"},
    {FindingKind::lock_per_lane, "lock_per_lane"},
    {FindingKind::lock_not_initialised, "lock_not_initialised"},
    {FindingKind::deadlock, "deadlock"},
    {FindingKind::livelock, "livelock"},
    {FindingKind::budget, "budget"},
    {FindingKind::trap, "trap"},
    {FindingKind::stack_overflow, "stack_overflow"},
    {FindingKind::unsupported, "unsupported"},
    {FindingKind::hangs_before_volta, "hangs_before_volta", true},
    {FindingKind::same_value_stores, "same_value_stores", true},
    {FindingKind::used_without_lock, "used_without_lock", true},
    {FindingKind::unread_stores, "unread_stores", true},
    {FindingKind::races_unwatched, "races_unwatched", true},
    {FindingKind::unwritten_copy, "unwritten_copy", true},
    {FindingKind::never_freed, "never_freed", true},
    {FindingKind::unchecked_error, "unchecked_error", true},
};
static_assert(std::size(rows) == static_cast<std::size_t>(FindingKind::count));
static_assert([] {
    for (std::size_t n = 0; n < std::size(rows); ++n)
        if (rows[n].kind != static_cast<FindingKind>(n)) return false;
    return true;
}());

const Row& row(FindingKind kind) { return rows[static_cast<std::size_t>(kind)]; }

}  // namespace

std::string_view name_of(FindingKind kind) { return row(kind).name; }

std::optional<FindingKind> finding_kind(std::string_view name) {
    const auto* it = std::ranges::find(rows, name, &Row::name);
    if (it == std::end(rows)) return std::nullopt;
    return it->kind;
}

std::string_view meaning_of_second(FindingKind kind) {
    return kind == FindingKind::barrier_divergence || kind == FindingKind::inactive_lane_read
               ? "the missing threads went another way here"
           : name_of(kind).starts_with("lock_")
               ? "the other place of the lock is here"
               : "the other access is here";
}

bool is_warning(FindingKind kind) { return row(kind).warning; }

bool Finding::same_as(const Finding& o) const {
    if (kind != o.kind || kernel != o.kernel || second.has_value() != o.second.has_value())
        return false;
    if (kernel.empty() && (buffer != o.buffer || message != o.message)) return false;  // the host's
    if (!second) return place.same_line(o.place);
    return (place.same_line(o.place) && second->same_line(*o.second)) ||
           (place.same_line(*o.second) && second->same_line(o.place));
}

}  // namespace cugrade::emulator
