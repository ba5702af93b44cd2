// The root of an enclosure that was not made by bubblewrap, and the end of all rights that it took to
// make it. For process 1 of an enclosure.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "process/process.hpp"
#include "sandbox/job.hpp"

namespace cugrade::sandbox {

/// Makes a root that has what the arguments of `setup` name (mount.hpp) and nothing else, and enters
/// it. Needs a mount namespace of this process's own and CAP_SYS_ADMIN. Nothing: it is done.
[[nodiscard]] std::optional<process::Failure> enter_root(const Job& setup);

/// Gives up every capability, and that any program gets one. Nothing: it is done.
[[nodiscard]] std::optional<process::Failure> drop_capabilities();

/// Writes a new file with all that is in an open one. Returns 0 or errno.
[[nodiscard]] int copy_file(int from, const std::filesystem::path& to, mode_t);

}  // namespace cugrade::sandbox
