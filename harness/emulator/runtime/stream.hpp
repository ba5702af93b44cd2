// Streams of the emulated runtime: names only, because every operation is done when its call
// returns.
#pragma once

#include <cuda_runtime_api.h>

namespace cugrade::cudart {

/// A stream that exists: one of the three predefined ones, or created and not destroyed. The
/// caller holds Runtime::mutex.
[[nodiscard]] bool is_stream(cudaStream_t);

}  // namespace cugrade::cudart
