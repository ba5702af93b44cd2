#include "record/attempts.hpp"

#include <algorithm>

namespace cugrade::record {
namespace {

bool may_count(const Attempt& one) { return one.report != nullptr && !one.has_other_rules; }

/// Whether `later` takes the place of `earlier`.
bool takes_the_place(const Attempt& later, const Attempt& earlier, Attempts rule) {
    switch (rule) {
        case Attempts::best: return later.mark.points >= earlier.mark.points;
        case Attempts::last: return true;
        case Attempts::last_in_time: return !later.is_too_late || earlier.is_too_late;
    }
    return true;
}

}  // namespace

const Attempt* judge(std::vector<Attempt>& attempts, const Extension& extension,
                     const HandInPolicy& policy) {
    Attempt* chosen = nullptr;
    for (Attempt& one : attempts) {
        one.counts = false;
        const HandedIn handed_in{.at = one.handed_in_at, .extension = extension};
        one.is_too_late = is_too_late(handed_in, policy);
        if (one.report == nullptr) continue;
        one.mark = mark_of(one.report->score, handed_in, policy);
        if (!may_count(one)) continue;
        if (chosen == nullptr || takes_the_place(one, *chosen, policy.attempts)) chosen = &one;
    }
    if (chosen != nullptr) chosen->counts = true;
    return chosen;
}

std::string why_not(const Attempt& one, Attempts rule) {
    if (one.counts) return "";
    if (one.report == nullptr) return "not graded: " + one.problem;
    if (one.has_other_rules) return "graded by other rules than the class";
    switch (rule) {
        case Attempts::best: return "another has a higher mark, or the same and is newer";
        case Attempts::last: return "a newer one counts";
        case Attempts::last_in_time: return one.is_too_late ? "too late" : "a newer one counts";
    }
    return "";
}

const char* name(Attempts rule) {
    switch (rule) {
        case Attempts::best: return "best";
        case Attempts::last: return "last";
        case Attempts::last_in_time: return "final";
    }
    return "last";
}

}  // namespace cugrade::record
