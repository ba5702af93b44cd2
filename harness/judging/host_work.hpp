// Is the work done on the device? A right result does not tell.
#pragma once

#include <optional>

#include "core/outcome.hpp"
#include "core/spec.hpp"
#include "emulator/counts/counts.hpp"

namespace cugrade {

/// The bytes counted in one call of the task on this case, if the device did not do the work: too
/// much of the inputs reached the host, or the device left inputs unread or outputs unwritten. The
/// host may finish what kernels have begun: it may write the outputs itself where these are small
/// beside the inputs and made of what kernels gave it.
[[nodiscard]] std::optional<HostWork> host_work_of(const TaskSpec&, const CaseSpec&,
                                                   const emulator::DeviceCounts&);

}  // namespace cugrade
