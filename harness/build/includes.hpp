// Which files a submission's sources ask for, before any compiler sees them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "build/build_submission.hpp"

namespace cugrade {

/// The first place in `files` that could include a file which is neither in the submission nor on
/// the include path, as a sentence for the student ("student.cu:3: ..."); empty if there is none.
/// Such a file could be a model answer. Besides, the submission's hash would not cover it.
[[nodiscard]] std::string find_foreign_include(const std::vector<SourceFile>& files);

/// The first #line or line marker, as a sentence. Where a policy forbids headers or functions,
/// these would hide from which file a name comes.
[[nodiscard]] std::string find_line_directive(const std::vector<SourceFile>& files);

}  // namespace cugrade
