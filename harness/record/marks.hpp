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

/// A later deadline of one student.
struct Extension {
    std::optional<std::int64_t> until;  ///< seconds since 1970; nothing: the deadline holds
    std::string reason;
};

/// When something was handed in, and until when it could be.
struct HandedIn {
    std::optional<std::int64_t> at;  ///< seconds since 1970; nothing: not known
    Extension extension;
};

struct Mark {
    double points = 0;
    std::string why;  ///< why these are not the report's points, or were late; may be empty
};

/// Days that have begun since the deadline or the extension; 0: in time, or nobody knows when.
[[nodiscard]] int days_late(const HandedIn&, const HandInPolicy&);
/// Whether it came after all late days, so that it earns nothing.
[[nodiscard]] bool is_too_late(const HandedIn&, const HandInPolicy&);

/// The points of a report, less what lateness costs.
[[nodiscard]] Mark mark_of(const Score&, const HandedIn&, const HandInPolicy&);
/// What a person has decided counts as it is: lateness does not lower it. `earned`: the points of
/// the report; nothing: there is none.
[[nodiscard]] Mark mark_of(const Decision&, const std::optional<double>& earned);

}  // namespace cugrade::record
