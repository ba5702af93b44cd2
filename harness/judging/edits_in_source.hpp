// Changes of the execution as edits of the text: is what they change written there, and under which
// name?
#pragma once

#include <span>
#include <vector>

#include "build/build_submission.hpp"
#include "core/cause.hpp"
#include "core/spec.hpp"
#include "emulator/interventions/intervention.hpp"

namespace cugrade {

/// Those that the source has near their places: of a comparison its operator, of a parameter its
/// name. What the compiler has negated or turned around is told as it is written: "`>` to `>=`"
/// becomes "`<=` to `<`". Other kinds, and what has no place, stay as they are.
[[nodiscard]] std::vector<emulator::Intervention> edits_in_source(
    std::span<const emulator::Intervention>, std::span<const SourceFile>);

/// A parameter that is used in place of another one: what both are called, and what that mistake
/// is.
void tell_parameters(const emulator::Intervention&, const TaskSpec&, std::span<const SourceFile>,
                     Cause&);

}  // namespace cugrade
