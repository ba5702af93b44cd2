// The folder in which one submission is built, and the names of its files there.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "build/build_submission.hpp"
#include "core/error.hpp"
#include "core/files.hpp"

namespace cugrade {

/// A temporary folder that has `src` and `tmp` in it. It is removed with this object.
class WorkFolder {
public:
    [[nodiscard]] static Result<WorkFolder> make();
    [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
    [[nodiscard]] std::filesystem::path source() const;
    [[nodiscard]] std::filesystem::path temporary() const { return path() / "tmp"; }
    /// Whether its disk is full right now.
    [[nodiscard]] bool is_full() const;

private:
    explicit WorkFolder(TemporaryFolder folder) : folder_(std::move(folder)) {}
    TemporaryFolder folder_;
};

struct Unit {
    std::string source;  ///< name in the source folder
    std::string object;  ///< name in the work folder
    [[nodiscard]] std::string ptx() const { return object + ".ptx"; }  ///< the same
};

/// Copies a submission into `source()`. Units get names that nvcc and its shell take unchanged.
/// Errors: the disk is full.
[[nodiscard]] Result<std::vector<Unit>> write_sources(const Submission&, const WorkFolder&);

}  // namespace cugrade
