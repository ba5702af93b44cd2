// The emulated GPU as a back end: on every machine, exact and repeatable, but without a clock.
#pragma once

#include <memory>

#include "backend/backend.hpp"

namespace cugrade {

[[nodiscard]] Result<std::unique_ptr<Backend>> make_emulator_backend(const GradeOptions&);

}  // namespace cugrade
