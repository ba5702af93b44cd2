// Interventions beside the code: of launches, and of how memory begins.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/interventions/intervention.hpp"
#include "protocol/emulator_protocol.hpp"

namespace cugrade::emulator {

/// What a launch of the kernel allows to change. `kernel`: as PTX names it.
[[nodiscard]] std::vector<Intervention> launch_interventions(const std::string& kernel,
                                                             std::uint64_t static_shared_bytes,
                                                             const protocol::LaunchRecord&);
/// Changes what is asked for of this kernel's launches. The result may be a launch that is refused.
void change_launch(protocol::LaunchRecord&, const std::string& kernel,
                   std::span<const Intervention>);

/// What a program that allocates memory allows to change.
[[nodiscard]] Intervention zero_memory();

/// Is one of that kind among them?
[[nodiscard]] bool has_kind(std::span<const Intervention>, InterventionKind);

}  // namespace cugrade::emulator
