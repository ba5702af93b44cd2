// `cugrade batch --watch`: round after round, until it is interrupted or the time has come.
#pragma once

#include "cli/batch_arguments.hpp"

namespace cugrade::cli {

/// Returns the exit code. Throws Failure.
[[nodiscard]] int watch_batch(const BatchArguments&);

}  // namespace cugrade::cli
