#include "handin/archive_name.hpp"

#include <algorithm>
#include <array>

#include "core/ascii.hpp"

namespace cugrade::handin {
namespace {

/// Longer extensions come before those that they end with.
constexpr std::array<std::string_view, 6> opened{".tar.gz", ".tar.xz", ".zip",
                                                 ".tar",    ".tgz",    ".txz"};
constexpr std::array<std::string_view, 6> others{".7z", ".rar", ".gz", ".xz", ".bz2", ".zst"};

/// Of the extensions the one that the name has; empty if it has none of them.
template <std::size_t n>
std::string_view extension_of(std::string_view name, const std::array<std::string_view, n>& all) {
    const auto is_end = [&](std::string_view extension) {
        if (name.size() <= extension.size()) return false;
        return std::ranges::equal(name.substr(name.size() - extension.size()), extension, {},
                                  to_small);
    };
    const auto found = std::ranges::find_if(all, is_end);
    return found != all.end() ? *found : std::string_view();
}

}  // namespace

ArchiveName kind_of(std::string_view file_name) {
    if (!extension_of(file_name, opened).empty()) return ArchiveName::opened;
    return extension_of(file_name, others).empty() ? ArchiveName::none : ArchiveName::other;
}

std::string stem_of(std::string_view file_name) {
    return std::string(
        file_name.substr(0, file_name.size() - extension_of(file_name, opened).size()));
}

}  // namespace cugrade::handin
