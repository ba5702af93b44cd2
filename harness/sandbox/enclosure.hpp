// The mechanism behind a View: bubblewrap (https://github.com/containers/bubblewrap).
//
// Theory of operation. Bubblewrap unshares all namespaces:
//   mount    a root of its own, empty but for what the View shows, read-only but for one private
//            folder in memory with a size limit; no setuid programs, no devices but the named ones
//   PID      no process but the command's own can be seen, signalled or traced; all die with the
//            first one
//   network  not even a loopback device that is up
//   IPC, UTS, cgroup   no shared memory, no host name, no names of the host's groups
//   user     no capability in any other namespace; and a user without rights inside
// It drops all capabilities and forbids to gain any (no_new_privs). If the grader is root, bubblewrap
// itself runs as a user that owns nothing and that no other enclosure has at the time (users.hpp),
// so even what gets out of the namespaces owns no file and can signal no other submission.
//
// Bubblewrap makes an enclosure by itself, or a maker that makes all enclosures of a submission in the
// same way, but for a fraction of the time: maker.hpp.
//
// On top of that come the filter of system calls (calls.hpp) and the limits (supervisor.cpp).
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "process/descriptor.hpp"
#include "sandbox/mount.hpp"
#include "sandbox/view.hpp"

namespace cugrade::sandbox {

/// What to mount for a View, in an order that works.
struct Mounts {
    std::vector<Mount> all;
    std::vector<process::Descriptor> descriptors;  ///< opened files, whose content is copied
};

/// `user`: whom bubblewrap runs as, if not as this process. Files that this user cannot reach are
/// copied into the enclosure. Errors: a shown file is not there, or is a folder that the user cannot
/// reach.
[[nodiscard]] Result<Mounts> mounts_for(const View&, std::optional<uid_t> user);

/// The same for the maker of enclosures, which shows nothing but what it has been shown itself: some
/// files more are copied. Nothing: the View has a folder or a device that the maker does not have.
[[nodiscard]] Result<std::optional<Mounts>> mounts_by_maker(const View&, std::optional<uid_t> user);

/// Bubblewrap's command line.
struct EnclosureCommand {
    std::vector<std::string> arguments;  ///< the program's path first
    /// Opened files that arguments name by the numbers from first_descriptor on.
    std::vector<process::Descriptor> descriptors;
};
inline constexpr int first_descriptor = 4;

/// `init`: the program that becomes process 1. Errors: bubblewrap is not installed; as above.
[[nodiscard]] Result<EnclosureCommand> enclosure_command(const View&,
                                                         const std::filesystem::path& init,
                                                         std::optional<uid_t> user);
/// The same for a maker of enclosures (maker.hpp): it has the right to make further namespaces.
[[nodiscard]] Result<EnclosureCommand> maker_command(const std::filesystem::path& init,
                                                     std::optional<uid_t> user);

}  // namespace cugrade::sandbox
