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

/// A time as a clock on the wall shows it.
struct ClockTime {
    int year = 0, month = 0, day = 0;  ///< from 1
    int hour = 0, minute = 0;
};

/// Seconds since 1970 of a clock in a zone: "+01:00", or a name of the system's time zones, such as
/// "Europe/Berlin", with its summer time. Nothing: no such time or zone. Not while other threads
/// use local times: it sets TZ for a moment.
[[nodiscard]] std::optional<std::int64_t> unix_time(const ClockTime&, const std::string& zone);

}  // namespace cugrade
