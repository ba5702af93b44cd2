#include "emulator/findings/finding.hpp"

#include <algorithm>
#include <iterator>

namespace cugrade::emulator {
namespace {

constexpr std::string_view names[] = {"shared_race",
                                      "global_race",
                                      "missing_syncwarp",
                                      "lost_update",
                                      "uninitialised_read",
                                      "out_of_bounds",
                                      "freed_memory",
                                      "misaligned",
                                      "barrier_divergence",
                                      "deadlock",
                                      "livelock",
                                      "budget",
                                      "trap",
                                      "stack_overflow",
                                      "unsupported",
                                      "hangs_before_volta",
                                      "races_unwatched",
                                      "unwritten_copy",
                                      "never_freed",
                                      "unchecked_error"};
static_assert(std::size(names) == static_cast<std::size_t>(FindingKind::count));

}  // namespace

std::string_view name_of(FindingKind kind) { return names[static_cast<std::size_t>(kind)]; }

std::optional<FindingKind> finding_kind(std::string_view name) {
    const auto* it = std::find(std::begin(names), std::end(names), name);
    if (it == std::end(names)) return std::nullopt;
    return static_cast<FindingKind>(it - std::begin(names));
}

bool is_warning(FindingKind kind) { return kind >= FindingKind::hangs_before_volta; }

bool Finding::same_as(const Finding& o) const {
    if (kind != o.kind || kernel != o.kernel || second.has_value() != o.second.has_value())
        return false;
    if (kernel.empty() && (buffer != o.buffer || message != o.message)) return false;  // the host's
    if (!second) return place.same_line(o.place);
    return (place.same_line(o.place) && second->same_line(*o.second)) ||
           (place.same_line(*o.second) && second->same_line(o.place));
}

}  // namespace cugrade::emulator
