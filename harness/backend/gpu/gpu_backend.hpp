// The GPUs of this machine as a back end: tasks have them one at a time, and times are measured.
#pragma once

#include <memory>

#include "backend/backend.hpp"

namespace cugrade {

/// Errors say why there is no usable GPU.
[[nodiscard]] Result<std::unique_ptr<Backend>> make_gpu_backend(const GradeOptions&);

}  // namespace cugrade
