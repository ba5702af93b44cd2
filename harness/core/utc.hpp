#pragma once

#include <ctime>
#include <string>

#include <fmt/chrono.h>

namespace cugrade {

/// Now, as ISO 8601: "2026-11-24T21:30:00Z".
[[nodiscard]] inline std::string utc_now() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace cugrade
