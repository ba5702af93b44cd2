// What a change of the execution says where it mends a task.
#pragma once

#include "core/cause.hpp"
#include "emulator/interventions/intervention.hpp"
#include "judging/symptoms.hpp"

namespace cugrade {

/// The cause that the change proves, with its place and what to do; without cases.
[[nodiscard]] Cause cause_of(const emulator::Intervention&, const Symptoms&);

/// What is said of a compare-and-swap in that line which nobody tries again.
void tell_swap_tried_once(int line, Cause&);

/// Whether it changes where a loop begins or ends.
[[nodiscard]] bool is_number_of_loop(const emulator::Intervention&);

}  // namespace cugrade
