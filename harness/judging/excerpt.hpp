// The lines of a submission that a report shows beside a cause.
#pragma once

#include <vector>

#include "build/build_submission.hpp"
#include "core/cause.hpp"

namespace cugrade {

/// The lines of the place to edit and, of a race, of the second place. One place is shown with the
/// lines before and after it; between two places that are near, nothing is left out.
[[nodiscard]] std::vector<SourceLine> excerpt_of(const Cause&, const std::vector<SourceFile>&);

}  // namespace cugrade
