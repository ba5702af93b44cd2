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
// On top of that come the filter of system calls (calls.hpp) and the limits (supervisor.cpp).
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "process/descriptor.hpp"
#include "sandbox/view.hpp"

namespace cugrade::sandbox {

/// Bubblewrap's command line for a View.
struct EnclosureCommand {
    std::vector<std::string> arguments;  ///< the program's path first
    /// Opened files and folders that arguments name by the numbers from first_descriptor on.
    std::vector<process::Descriptor> descriptors;
};
inline constexpr int first_descriptor = 4;

/// `init`: the program that becomes process 1. `user`: whom bubblewrap runs as, if not as this
/// process. Files that this user cannot reach are copied into the enclosure. Errors: bubblewrap is
/// not installed; a shown file is not there, or is a folder that the user cannot reach.
[[nodiscard]] Result<EnclosureCommand> enclosure_command(const View&,
                                                         const std::filesystem::path& init,
                                                         std::optional<uid_t> user);

}  // namespace cugrade::sandbox
