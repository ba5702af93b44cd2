// A folder of hand-ins from outside: what has changed in it, and when.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "process/descriptor.hpp"

namespace cugrade::cli {

struct Stamp {
    std::string text;  ///< another one when any file below has changed, has come or has gone
    /// Seconds since 1970, by the kernel that wrote it last: the latest ctime of its files and
    /// folders. An archive or a copy brings times of modification along, as its author set them;
    /// nobody can set a ctime.
    std::int64_t changed_at = 0;
};

/// Of a file, or of a folder with all that is in it. Follows no link. Files that can be seen only
/// in part are stamped as far as that goes. `folders`, if not null, gets those that were met.
[[nodiscard]] Stamp stamp_of(const std::filesystem::path&,
                             std::vector<std::filesystem::path>* folders = nullptr);

/// Wakes when something happens in folders, where the kernel tells (not over a network).
class FolderEvents {
public:
    FolderEvents();
    /// From now on also in these.
    void add(const std::vector<std::filesystem::path>& folders);
    /// Returns true when something has happened, and false after a while without.
    [[nodiscard]] bool wait(std::chrono::milliseconds);

private:
    process::Descriptor inotify_;  ///< not open: the kernel gives none
};

}  // namespace cugrade::cli
