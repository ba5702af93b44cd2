// The process that makes enclosures by copying itself.
//
// Theory of operation. What an enclosure costs is not its namespaces and mounts but the programs that
// are executed on the way: a supervisor, bubblewrap, an init. So bubblewrap runs once for a submission.
// It makes namespaces in which a sandbox-init, the maker, is process 1 and sees what any enclosure may
// show. The maker runs no command. For each enclosure it makes a copy of itself in new PID, mount,
// network and IPC namespaces, below its own. The copy makes a root of its own (root.hpp), gives up all
// capabilities, and is then the init of an enclosure like one that bubblewrap has started: see
// init.cpp. The supervisor copies itself as well: see supervisor.cpp.
//
// That takes CAP_SYS_ADMIN in the submission's user namespace, which bubblewrap made. It is nothing
// outside of it, and no copy keeps it. What enclosures of one submission share is that user namespace,
// with a user who has no rights in it, the host name, and the view of control groups; nothing in
// these can be changed without a capability.
//
// A machine may not allow it (AppArmor's bwrap-userns-restrict leaves no capability to what bubblewrap
// starts). Then each enclosure has a bubblewrap of its own, as have those that show something that the
// maker does not see: a GPU's device nodes, a folder outside of the system's.
#pragma once

#include <optional>

#include "sandbox/job.hpp"

namespace cugrade::sandbox {

/// As the maker: serves its supervisor until that is gone, then returns nothing. As the process 1 of
/// an enclosure: returns what to set up, in its root and without capabilities, with the socket of
/// its own supervisor in the place of the maker's.
[[nodiscard]] std::optional<Job> make_enclosures();

}  // namespace cugrade::sandbox
