// The name of an archive's entry, which somebody else chose, as a path that can only lead
// downwards.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace cugrade::handin {

struct EntryPath {
    std::vector<std::string> parts;  ///< none is empty, `.` or `..`, or holds `/` or `\`
    /// What systems put into archives and no person hands in: __MACOSX, ._x, .DS_Store, .git.
    bool is_skipped = false;
};

/// `\` separates like `/`, because archives made by Windows have it. Errors, of kind submission:
/// the path is absolute or leads upwards, a name has a control character or is too long, there are
/// more than `max_depth` parts.
[[nodiscard]] Result<EntryPath> entry_path(std::string_view name, std::size_t max_depth);

/// A text of the archive's for a message: on one line, and not too long.
[[nodiscard]] std::string shown(std::string_view);

/// The Error of an archive that is refused, for who packed it: "<what>, `<name>`".
[[nodiscard]] Error refusal(std::string_view what, std::string_view name, std::string remedy);

}  // namespace cugrade::handin
