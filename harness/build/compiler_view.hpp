// What compilers find in their enclosure: the toolkit, the host compiler, system headers, the
// submission and the assignment's interface. No solution, no hidden case, no other submission.
#pragma once

#include "build/build_commands.hpp"
#include "sandbox/view.hpp"

namespace cugrade {

/// The private folder, in which a submission is built, with its files in `src`. The name begins as a
/// work folder's does, so that as_submitted() knows it.
inline constexpr const char* enclosed_work_folder = "/cugrade.build-sandbox";

/// Without the submission. $CUGRADE_SANDBOX_SHOW may name more files and folders, separated by
/// colons, that this machine's compilers need.
[[nodiscard]] sandbox::View compiler_view(const BuildCommands&);

}  // namespace cugrade
