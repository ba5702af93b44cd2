#include "catch.hpp"
#include "core/utc.hpp"

using namespace cugrade;

TEST_CASE("times have a zone, and are seconds since 1970") {
    CHECK(unix_time("1970-01-01T00:00:00Z") == 0);
    CHECK(unix_time("2026-11-30T23:59:00+01:00") == 1796079540);
    CHECK(unix_time("2026-11-30 22:59Z") == 1796079540);
    CHECK(unix_time("2026-11-30T17:29:00.25 -0530") == 1796079540);
    CHECK(unix_time("2024-02-29T00:00:00Z") == 1709164800);
    CHECK(unix_time(utc_now()).has_value());
    for (const char* text :
         {"", "2026-11-30", "2026-11-30T23:59:00", "2026-11-31T00:00:00Z", "2026-13-01T00:00:00Z",
          "2026-11-30T24:00:00Z", "2026-11-30T23:60:00Z", "2026-11-30T23:59:00+25:00",
          "2026-11-30T23:59:00Zx", "30.11.2026 23:59", "-026-11-30T23:59:00Z", "2025-02-29T00:00Z"}) {
        INFO(text);
        CHECK_FALSE(unix_time(text));
    }
}
