// Which files a submission's sources ask for, before any compiler sees them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grader/build_submission.hpp"

namespace cugrade {

/// The first place in `files` that could bring in a file which is neither the submission's nor on
/// the include path, as a sentence for the student ("student.cu:3: ..."); empty if there is none.
/// Such a file could be a model answer, and the submission's hash would not say what it compiles
/// to.
[[nodiscard]] std::string find_foreign_include(const std::vector<SourceFile>& files);

}  // namespace cugrade
