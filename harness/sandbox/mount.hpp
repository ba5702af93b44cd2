// What is mounted where in an enclosure, whoever mounts it: bubblewrap, told by its command line
// (enclosure.cpp), or the process that makes enclosures by copying itself (root.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cugrade::sandbox {

struct Mount {
    enum class Kind : char {
        show = 's',    ///< a file or folder, read-only
        copy = 'c',    ///< a file's content, which cannot be reached by its path
        link = 'l',    ///< a symbolic link; `here` is its target
        empty = 'e',   ///< an empty folder over a shown one
        device = 'd',  ///< a device node
        proc = 'p',    ///< /proc of the enclosure's own processes
        memory = 'm'   ///< the private folder
    };
    Kind kind = Kind::show;
    std::string here = {};
    std::string there;
    std::uint64_t number = 0;  ///< memory: how many bytes; copy: the descriptor's place in the list
};

/// Where the process that makes enclosures has what it can show: below this folder, at the same paths.
inline constexpr const char* source_prefix = "/from";
/// An empty folder there. An enclosure's root is made over it.
inline constexpr const char* root_before = "/root";

/// As strings, for a Request's arguments.
inline std::vector<std::string> as_strings(const std::vector<Mount>& mounts) {
    std::vector<std::string> out;
    for (const Mount& mount : mounts)
        out.insert(out.end(), {std::string(1, static_cast<char>(mount.kind)), mount.here, mount.there,
                               std::to_string(mount.number)});
    return out;
}

inline std::vector<Mount> mounts_of(const std::vector<std::string>& strings) {
    std::vector<Mount> out;
    for (std::size_t i = 0; i + 4 <= strings.size(); i += 4)
        out.push_back({.kind = static_cast<Mount::Kind>(strings[i][0]),
                       .here = strings[i + 1],
                       .there = strings[i + 2],
                       .number = std::stoull(strings[i + 3])});
    return out;
}

}  // namespace cugrade::sandbox
