// A student's submission, read once: which files count, their bytes, their hash.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace cugrade {

struct SourceFile {
    std::string name;  ///< below the submission's folder, with '/'
    std::string text;
};

/// A submission that is a file has only that file. In a folder, every .cu, .cuh, .h and .hpp file
/// at any depth counts. The .cu files of the top folder are compiled; the others can be included.
/// Hidden files and folders are left out.
struct Submission {
    std::vector<SourceFile> files;   ///< by name
    std::vector<std::string> units;  ///< the names of those that are compiled
    std::string problem;  ///< for the student: why it cannot be compiled; empty if nothing is wrong
    /// Of a file: SHA-256 of its bytes, as sha256sum prints it. Of a folder: of the lines
    /// "<hash>  <name>\n" that sha256sum prints for its files in order.
    std::string sha256;
};

/// An Error of kind usage if nothing is there; `problem` says what is wrong with the files.
[[nodiscard]] Result<Submission> read_submission(const std::filesystem::path& source);

}  // namespace cugrade
