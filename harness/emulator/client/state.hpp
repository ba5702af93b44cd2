// What an emulator's StateRecord says. The emulator runs hostile PTX, so the record is checked.
#pragma once

#include "core/error.hpp"
#include "emulator/client/emulator_process.hpp"
#include "protocol/emulator_protocol.hpp"

namespace cugrade::emulator {

/// Errors: it holds what no emulator of this version writes.
[[nodiscard]] Result<EmulatorProcess::State> read_state(const protocol::StateRecord&);

}  // namespace cugrade::emulator
