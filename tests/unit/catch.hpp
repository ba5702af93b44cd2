// Catch2 2.13 (Debian 12) and 3.4 (Ubuntu 24.04) behind one include.
#pragma once

#if CUGRADE_CATCH2_MAJOR >= 3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
namespace Catch::Matchers {
inline auto ContainsSubstring(const std::string& text) { return Contains(text); }
}  // namespace Catch::Matchers
#endif
