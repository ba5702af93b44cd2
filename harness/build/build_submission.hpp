// A student's submission, read once: which files count, their bytes, their hash.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/source_location.hpp"

namespace cugrade {

/// A submission that is a file has only that file. In a folder, every .cu, .cuh, .h and .hpp file
/// at any depth counts. The .cu files of the top folder are compiled; the others can be included.
/// Hidden files and folders are left out.
struct Submission {
    std::vector<SourceFile> files;  ///< by name
    /// The names of those that are compiled; safe_name() of what the student called them.
    std::vector<std::string> units;
    std::string problem;  ///< for the student: why it cannot be compiled; empty if nothing is wrong
    /// Of a file: SHA-256 of its bytes, as sha256sum prints it. Of a folder: of the lines
    /// "<hash>  <name>\n" that sha256sum prints for its files in order.
    std::string sha256;
};

/// A name of a file or folder of a submission as it can be shown and be part of another file's
/// name: unchanged if it is short and shows what it is, else cleaned, cut, and with `~` and a hash
/// of the whole, so that different names stay different. At most 150 bytes.
[[nodiscard]] std::string safe_name(std::string_view name);

/// Follows no symbolic link. An Error of kind usage if nothing is there or it cannot be read, which
/// is nobody's fault who hands in; `problem` says what is wrong with the files.
[[nodiscard]] Result<Submission> read_submission(const std::filesystem::path& source);

}  // namespace cugrade
