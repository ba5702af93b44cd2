// How this process's heap grows.
#pragma once

namespace cugrade {

/// Makes large blocks cheap that are allocated and freed again and again. Call it first in main(),
/// before there are threads.
void keep_freed_memory();

}  // namespace cugrade
