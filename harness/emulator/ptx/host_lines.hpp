// The lines of an executable's host code, as its DWARF line tables have them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "core/error.hpp"

namespace cugrade::ptx {

struct HostLine {
    std::string file;
    int line = 0;
};

/// The lines of some places, which are distances from the start of the executable. A place without
/// a line is left out, and so is one in a file of the toolkit. Damaged tables have no lines; only a
/// file that cannot be read is an Error.
[[nodiscard]] Result<std::map<std::uint32_t, HostLine>> host_lines(
    const std::filesystem::path& executable, const std::set<std::uint32_t>& places);

}  // namespace cugrade::ptx
