// Keeps two programs from writing into one folder of a class.
#pragma once

#include <filesystem>

namespace cugrade::cli {

/// The kernel releases the lock when the process ends.
class FolderLock {
public:
    /// Throws Failure if the folder cannot be written or is locked.
    explicit FolderLock(const std::filesystem::path& folder);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;

private:
    int fd_;
};

}  // namespace cugrade::cli
