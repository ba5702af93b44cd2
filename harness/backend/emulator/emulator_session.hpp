// A session on the emulated GPU. It is there on every machine, so checkers and counters, which only
// the emulated GPU has, use it beside any back end.
#pragma once

#include <memory>

#include "backend/session.hpp"
#include "core/error.hpp"

namespace cugrade {

[[nodiscard]] Result<std::unique_ptr<Session>> open_emulator_session(const SessionOptions&);

/// Begins to make the enclosures of as many sessions as will be open at once, for what there is to do
/// before the first one.
[[nodiscard]] Status prepare_emulator_sessions(sandbox::Keeper&, int count);

}  // namespace cugrade
