// The sentences by which reports say why something was not judged.
#pragma once

#include <string>
#include <string_view>

#include "core/not_judged.hpp"

namespace cugrade::report {

/// "needs a GPU"; empty for what was judged.
[[nodiscard]] std::string text(const NotJudged&);
/// The inverse: the reason of a text.
[[nodiscard]] NotJudged not_judged_from(std::string_view text);

}  // namespace cugrade::report
