// A user of its own for each submission, where the grader is root.
//
// The numbers are of the range that systemd sets aside for users that exist for a while
// (https://systemd.io/UIDS-GIDS: 61184 to 65519). A number is held by a lock on a file, so that no
// two gradings on the machine have the same. The supervisors of the user's processes hold it, too: it
// is free when the grader and they have ended, however.
#pragma once

#include <sys/types.h>

#include <optional>

#include "core/error.hpp"
#include "process/descriptor.hpp"

namespace cugrade::sandbox {

class User {
public:
    /// Nobody, if this process is not root, or root of a namespace that has no such users. Errors:
    /// all are held; the locks' folder cannot be made.
    [[nodiscard]] static Result<std::optional<User>> take();
    [[nodiscard]] uid_t id() const { return id_; }
    /// Whoever has a copy of this descriptor keeps the number from others.
    [[nodiscard]] int lock() const { return lock_.get(); }

private:
    User(uid_t id, process::Descriptor lock) : id_(id), lock_(std::move(lock)) {}
    uid_t id_;
    process::Descriptor lock_;
};

}  // namespace cugrade::sandbox
