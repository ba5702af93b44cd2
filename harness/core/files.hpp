// Reading and writing files; private temporary folders.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace cugrade {

/// What the system says of a file: "cannot read: No such file or directory".
[[nodiscard]] Error cannot(std::string_view what, const std::filesystem::path&, int error_number);

[[nodiscard]] Result<std::string> read_file(const std::filesystem::path&);

/// Writes to a file of its own beside `path`, syncs, and renames it over `path`. A reader sees the
/// old file or the new one, even if the writer is killed, the disk is full, or several threads and
/// processes write at once. A device or pipe such as /dev/stdout is written directly.
[[nodiscard]] Status write_atomically(const std::filesystem::path& path, std::string_view text);

/// Makes a folder in `parent` whose name begins with the prefix.
[[nodiscard]] Result<std::filesystem::path> make_unique_folder(const std::filesystem::path& parent,
                                                               std::string_view prefix);

/// The absolute path of $TMPDIR, or of /tmp without it. Errors: it is not there, is no folder, or
/// cannot be written.
[[nodiscard]] Result<std::filesystem::path> temporary_folder();

/// Whether the file system of this path is mounted noexec.
[[nodiscard]] bool is_noexec(const std::filesystem::path&);

/// A folder among the system's temporary files, gone with this object.
class TemporaryFolder {
public:
    [[nodiscard]] static Result<TemporaryFolder> make(std::string_view prefix);
    TemporaryFolder(TemporaryFolder&&) noexcept;
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;
    ~TemporaryFolder();
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_;  ///< empty: moved from
};

}  // namespace cugrade
