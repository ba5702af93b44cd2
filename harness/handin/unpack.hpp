// Archives that somebody handed in, unpacked. Theory of operation:
//
// An archive is hostile bytes. So whoever reads it (libarchive, which is fuzzed for years; only its
// readers of zip, tar, gzip and xz are switched on) decides nothing: this room looks at each
// entry's name and kind, counts what really comes out, and stops at the first thing that is not
// wanted. What was unpacked until then is removed. A refusal is an Error of kind submission, one
// sentence that names the entry, with a remedy for whoever packed it; other Errors are the
// machine's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "core/error.hpp"

namespace cugrade::handin {

/// Chosen: far more than a hand-in of source files needs, and little for the disk of a grader.
/// Bytes are those that come out, whatever headers claim.
struct Limits {
    std::size_t entries = 1000;  ///< files and folders
    std::size_t depth = 16;      ///< of folders, with the file
    std::uint64_t archive_bytes = 64U << 20;
    std::uint64_t file_bytes = 16U << 20;
    std::uint64_t total_bytes = 64U << 20;
    /// Of what is not written, such as .git/: it takes time only. Also so many entries of it.
    std::uint64_t skipped_bytes = 256U << 20;
    std::size_t skipped_entries = 20'000;
    /// Bytes for each byte of the archive. The format allows some 1000; sources have 3 to 10.
    std::uint64_t ratio = 200;
};

/// No ratio of fewer bytes says anything.
constexpr std::uint64_t ratio_from_bytes = 1U << 20;

struct Unpacked {
    std::size_t entries = 0;  ///< files and folders
    std::uint64_t bytes = 0;
};

/// Whether this cugrade was built with libarchive; unpack() refuses everything without.
[[nodiscard]] bool can_unpack();

/// Unpacks a .zip, .tar, .tar.gz or .tar.xz into the folder `into`, which it makes and which is
/// there only if all went well. Files get mode 0644 and folders 0755 at most. What systems put into
/// archives (entry_path.hpp) is left out. An archive in the archive is a file.
[[nodiscard]] Result<Unpacked> unpack(const std::filesystem::path& archive,
                                      const std::filesystem::path& into, const Limits& limits = {});

}  // namespace cugrade::handin
