// Times of day, in UTC.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cugrade {

/// Now, as ISO 8601: "2026-11-24T21:30:00Z".
[[nodiscard]] std::string utc_now();

/// The same of a time in seconds since 1970.
[[nodiscard]] std::string utc_text(std::int64_t unix_time);

/// Seconds since 1970 of "2026-11-30T23:59:00+01:00", "2026-11-30 23:59Z" or the like: a date, a
/// time with or without seconds, and a zone, without which nobody knows when it is. Nothing if the
/// text is none of these.
[[nodiscard]] std::optional<std::int64_t> unix_time(std::string_view);

}  // namespace cugrade
