// What a student gets in the end: the points of the report, less what lateness costs, or what a
// person has decided.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/policy.hpp"
#include "core/report.hpp"

namespace cugrade::record {

/// A person's word on a mark. It holds until the next one, whatever is graded anew.
struct Decision {
    std::string assignment;
    std::string student;
    std::optional<double> points;  ///< nothing: an earlier decision is withdrawn
    std::string reason;
    std::string author;
    std::string decided_at;  ///< UTC, ISO 8601
};

/// When something was handed in, and until when it could be.
struct HandedIn {
    std::optional<std::int64_t> at;     ///< seconds since 1970; nothing: not known
    std::optional<std::int64_t> until;  ///< an extension; nothing: the deadline holds
    std::string reason;                 ///< of the extension
};

struct Mark {
    double points = 0;
    std::string why;  ///< why these are not the report's points, or were late; may be empty
};

/// Days that have begun since the deadline or the extension; 0: in time, or nobody knows when.
[[nodiscard]] int days_late(const HandedIn&, const AssignmentPolicy&);

/// A decision counts as it is: lateness does not lower it.
[[nodiscard]] Mark mark_of(const Score&, const HandedIn&, const AssignmentPolicy&,
                           const Decision* decided);

}  // namespace cugrade::record
