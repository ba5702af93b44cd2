// A session on a GPU of this machine.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/session.hpp"
#include "core/error.hpp"
#include "core/spec.hpp"

namespace cugrade {

[[nodiscard]] Result<std::unique_ptr<Session>> open_gpu_session(const SessionOptions&);

/// As Backend::has_functions(), asked in a process that sees no GPU.
[[nodiscard]] Result<std::vector<bool>> has_functions(const SessionOptions&,
                                                      std::span<const TaskSpec* const>);

}  // namespace cugrade
