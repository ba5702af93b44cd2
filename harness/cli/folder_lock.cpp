#include "cli/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "cli/failure.hpp"
#include "core/files.hpp"

namespace cugrade::cli {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : fd_(::open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (fd_ < 0) throw Failure(cannot("write there", folder, errno));
    if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
        ::close(fd_);
        throw Failure(Error{.kind = ErrorKind::usage,
                            .message = "another cugrade is writing into this folder",
                            .file = folder.string(),
                            .remedy = "wait for it to end, or stop the service if it watches; or "
                                      "use another folder"});
    }
}

FolderLock::~FolderLock() { ::close(fd_); }

}  // namespace cugrade::cli
