#include "record/marks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "core/rounding.hpp"
#include "report/format.hpp"

namespace cugrade::record {
namespace {

constexpr std::int64_t day_s = 86400;

}  // namespace

int days_late(const HandedIn& handed_in, const HandInPolicy& policy) {
    if (!handed_in.at || !policy.deadline || !policy.late) return 0;
    // An extension that ends before the deadline is a mistake, and not the student's.
    const std::int64_t until =
        std::max(handed_in.extension.until.value_or(*policy.deadline), *policy.deadline);
    const std::int64_t late = *handed_in.at - until;
    if (late <= policy.late->grace_s) return 0;
    return static_cast<int>(std::min<std::int64_t>((late + day_s - 1) / day_s, 100000));
}

bool is_too_late(const HandedIn& handed_in, const HandInPolicy& policy) {
    const int days = days_late(handed_in, policy);
    return days > 0 && days > policy.late->days;
}

Mark mark_of(const Decision& decided, const std::optional<double>& earned) {
    const double points = decided.points.value_or(0);
    return {.points = points,
            .why = fmt::format("{} -> {} by {}, {}: {}",
                               earned ? report::points_text(*earned) : "no mark",
                               report::points_text(points), printable(decided.author),
                               decided.decided_at, printable(decided.reason))};
}

Mark mark_of(const Score& score, const HandedIn& handed_in, const HandInPolicy& policy) {
    Mark out{.points = score.earned, .why = {}};
    const int days = days_late(handed_in, policy);
    if (days == 0) {
        if (handed_in.at && handed_in.extension.until && policy.deadline &&
            *handed_in.at > *policy.deadline)
            out.why = "in time by an extension: " + printable(handed_in.extension.reason);
        return out;
    }
    const bool too_late = is_too_late(handed_in, policy);
    const double left = too_late ? 0 : std::max(1 - policy.late->per_day * days, 0.0);
    out.points = hundredths(score.earned * left);
    out.why = fmt::format("{} day{} late", days, days == 1 ? "" : "s");
    if (too_late)
        out.why += fmt::format(": no points after {}", policy.late->days);
    else if (out.points != score.earned)
        out.why += fmt::format(": {} -> {}", report::points_text(score.earned),
                               report::points_text(out.points));
    return out;
}

}  // namespace cugrade::record
