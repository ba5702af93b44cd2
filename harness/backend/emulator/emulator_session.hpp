// A session on the emulated GPU. It is there on every machine, so checkers and counters, which only
// the emulated GPU has, use it beside any back end.
#pragma once

#include <memory>

#include "backend/session.hpp"
#include "core/error.hpp"

namespace cugrade {

[[nodiscard]] Result<std::unique_ptr<Session>> open_emulator_session(const SessionOptions&);

}  // namespace cugrade
