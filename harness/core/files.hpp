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
/// The same without waiting for the disk: after a power failure the file may be the old one, or
/// empty. For what can be made again.
[[nodiscard]] Status write_view(const std::filesystem::path& path, std::string_view text);

/// Makes a folder in `parent` whose name begins with the prefix. It stays.
[[nodiscard]] Result<std::filesystem::path> make_unique_folder(const std::filesystem::path& parent,
                                                               std::string_view prefix);

/// The absolute path of $TMPDIR, or of /tmp without it. Errors: it is not there, is no folder, or
/// cannot be written.
[[nodiscard]] Result<std::filesystem::path> temporary_folder();

/// Whether the file system of this path is mounted noexec.
[[nodiscard]] bool is_noexec(const std::filesystem::path&);

/// A folder for temporary files, gone with this object. Its maker holds a lock on it, so what a
/// killed process has left can be told from what is in use, and is removed.
class TemporaryFolder {
public:
    /// cugrade.<what>-XXXXXX among the system's temporary files. The first call in a process
    /// removes what killed ones have left there.
    [[nodiscard]] static Result<TemporaryFolder> make(std::string_view what);
    /// In `parent`, with a name that begins with the prefix. What killed processes leave there
    /// stays until somebody calls remove_abandoned_folders().
    [[nodiscard]] static Result<TemporaryFolder> make_in(const std::filesystem::path& parent,
                                                         std::string_view prefix);
    TemporaryFolder(TemporaryFolder&&) noexcept;
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;
    ~TemporaryFolder();
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// It has got another name, under which it stays.
    void keep() { path_.clear(); }

private:
    TemporaryFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}
    std::filesystem::path path_;  ///< empty: moved from, or kept
    int lock_;  ///< descriptor; negative: none, where the file system has no locks
};

/// The name that TemporaryFolder::make() gives, up to the X.
[[nodiscard]] std::string temporary_name(std::string_view what);

/// Removes this user's folders in `folder` whose names begin with the prefix and which
/// TemporaryFolder made in a process that is gone. Where the file system has no locks: those that
/// are a day old.
void remove_abandoned_folders(const std::filesystem::path& folder, std::string_view prefix);
/// The same for all of TemporaryFolder::make().
void remove_abandoned_temporary_folders();
/// The same for files of this user's that write_atomically() had not yet renamed.
void remove_unfinished_files(const std::filesystem::path& folder);

}  // namespace cugrade
