#include "core/utc.hpp"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include <fmt/chrono.h>

namespace cugrade {
namespace {

/// Takes a number of exactly so many digits, in [low, high], off the text.
std::optional<int> take(std::string_view& text, std::size_t digits, int low, int high) {
    int value = 0;
    if (text.size() < digits) return std::nullopt;
    const char* end = text.data() + digits;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || *text.data() == '-' || value < low || value > high)
        return std::nullopt;
    text.remove_prefix(digits);
    return value;
}

bool take(std::string_view& text, std::string_view one_of) {
    if (text.empty() || one_of.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
}

/// Seconds east of UTC.
std::optional<int> zone(std::string_view text) {
    if (text == "Z" || text == "z") return 0;
    const bool west = text.starts_with('-');
    if (!take(text, "+-")) return std::nullopt;
    const auto hours = take(text, 2, 0, 14);
    (void)take(text, ":");
    const auto minutes = take(text, 2, 0, 59);
    if (!hours || !minutes || !text.empty()) return std::nullopt;
    return (west ? -60 : 60) * (60 * *hours + *minutes);
}

}  // namespace

std::optional<std::int64_t> unix_time(const ClockTime& at, const std::string& zone) {
    const std::string clock =
        fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}", at.year, at.month, at.day, at.hour, at.minute);
    if (!unix_time(clock + "Z")) return std::nullopt;
    if (const auto fixed = unix_time(clock + zone)) return fixed;
    std::error_code error;
    if (zone.empty() || zone.find("..") != std::string::npos ||
        !std::filesystem::is_regular_file("/usr/share/zoneinfo/" + zone, error))
        return std::nullopt;
    const char* const before = std::getenv("TZ");
    const std::optional<std::string> kept =
        before != nullptr ? std::optional<std::string>(before) : std::nullopt;
    ::setenv("TZ", (":" + zone).c_str(), 1);
    ::tzset();
    std::tm local{};
    local.tm_year = at.year - 1900;
    local.tm_mon = at.month - 1;
    local.tm_mday = at.day;
    local.tm_hour = at.hour;
    local.tm_min = at.minute;
    local.tm_isdst = -1;  // the zone knows
    const std::time_t time = std::mktime(&local);
    if (kept)
        ::setenv("TZ", kept->c_str(), 1);
    else
        ::unsetenv("TZ");
    ::tzset();
    return time;
}

std::string utc_now() { return utc_text(std::time(nullptr)); }

std::string utc_text(std::int64_t unix_time) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(unix_time)));
}

std::optional<std::int64_t> unix_time(std::string_view text) {
    using namespace std::chrono;
    const auto year = take(text, 4, 1970, 9999);
    if (!year || !take(text, "-")) return std::nullopt;
    const auto month = take(text, 2, 1, 12);
    if (!month || !take(text, "-")) return std::nullopt;
    const auto day = take(text, 2, 1, 31);
    if (!day || !take(text, "Tt ")) return std::nullopt;
    const auto hour = take(text, 2, 0, 23);
    if (!hour || !take(text, ":")) return std::nullopt;
    const auto minute = take(text, 2, 0, 59);
    if (!minute) return std::nullopt;
    std::optional<int> second = 0;
    if (take(text, ":")) second = take(text, 2, 0, 60);
    if (!second) return std::nullopt;
    if (take(text, ".,"))
        while (take(text, "0123456789")) continue;
    (void)take(text, " ");
    const auto east = zone(text);
    const year_month_day date{std::chrono::year(*year), std::chrono::month(*month),
                              std::chrono::day(*day)};
    if (!east || !date.ok()) return std::nullopt;
    return sys_days(date).time_since_epoch().count() * std::int64_t{86400} + 3600 * *hour +
           60 * *minute + *second - *east;
}

}  // namespace cugrade
