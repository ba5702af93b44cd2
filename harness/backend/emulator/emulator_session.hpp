// A session on the emulated GPU. It is there on every machine, so checkers and counters, which only
// the emulated GPU has, use it beside any back end.
#pragma once

#include <memory>

#include "backend/session.hpp"
#include "core/error.hpp"

namespace cugrade {

namespace emulator {
class EmulatorProcess;
}

/// Where a session leaves its emulator for the next one: a start costs most of what a call with a
/// small case does. For sessions, one after the other, whose options differ in interventions and in
/// the limit on instructions alone.
class IdleEmulator {
public:
    IdleEmulator();
    ~IdleEmulator();

private:
    friend class EmulatorSession;
    friend Result<std::unique_ptr<Session>> open_emulator_session(const SessionOptions&,
                                                                  std::shared_ptr<IdleEmulator>);
    std::unique_ptr<emulator::EmulatorProcess> process_;  ///< none: the next session starts one
};

[[nodiscard]] Result<std::unique_ptr<Session>> open_emulator_session(
    const SessionOptions&, std::shared_ptr<IdleEmulator> = nullptr);

/// Begins to make the enclosures of as many sessions as will be open at once, for what there is to do
/// before the first one.
[[nodiscard]] Status prepare_emulator_sessions(sandbox::Keeper&, int count);

}  // namespace cugrade
