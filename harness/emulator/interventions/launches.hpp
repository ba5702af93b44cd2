// Interventions beside the code: of launches, of the host's calls, and of how memory begins.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/interventions/intervention.hpp"
#include "emulator/state/machine.hpp"
#include "protocol/emulator_protocol.hpp"

namespace cugrade::emulator {

/// What a launch of the kernel allows to change. `kernel`: as PTX names it. `parameters`: those of
/// the launch, one behind the other.
[[nodiscard]] std::vector<Intervention> launch_interventions(const std::string& kernel,
                                                             const KernelInfo&,
                                                             const protocol::LaunchRecord&,
                                                             std::span<const std::byte> parameters,
                                                             std::uint32_t site);
/// Changes what is asked for of this kernel's launches. The result may be a launch that is refused.
void change_launch(protocol::LaunchRecord&, const std::string& kernel, std::uint32_t site,
                   std::span<const Intervention>);
/// Changes what is passed to them.
void exchange_numbers(std::span<std::byte> parameters, const std::string& kernel,
                      std::uint32_t site, std::span<const Intervention>);

/// What a call of the host allows to change. `kind`: copy_bytes, fill_bytes,
/// fill_numbers or allocate_bytes.
[[nodiscard]] std::vector<Intervention> call_interventions(InterventionKind kind,
                                                           std::uint32_t site);
/// The value of the intervention at that call: how many times as many bytes it has, or how many
/// bytes a number has; 1: there is none.
[[nodiscard]] std::uint64_t factor_of_call(InterventionKind kind, std::uint32_t site,
                                           std::span<const Intervention>);

/// Those of a program as a whole: zero_memory, streams_waited_for, children_*.
[[nodiscard]] Intervention of_program(InterventionKind);

/// Is one of that kind among them?
[[nodiscard]] bool has_kind(std::span<const Intervention>, InterventionKind);

}  // namespace cugrade::emulator
