// Is the work done on the device? A right result does not tell.
#pragma once

#include <optional>
#include <vector>

#include "core/outcome.hpp"
#include "core/spec.hpp"
#include "emulator/counts/counts.hpp"

namespace cugrade {

/// The bytes counted in one call of the task on this case, if it computes on the host. The limit is
/// half of the inputs: partial results are always smaller, and a computation on the host needs
/// more.
[[nodiscard]] std::optional<HostWork> host_work_of(const TaskSpec&, const CaseSpec&,
                                                   const std::vector<emulator::KernelCounts>&,
                                                   const emulator::HostCounts&);

}  // namespace cugrade
