// Why a task fails, as cards of its page.
#pragma once

#include <string>
#include <string_view>

#include "core/report.hpp"
#include "report/format.hpp"

namespace cugrade::report {

/// A card per cause, then what else is wrong with the task. Tasks with the same causes are told
/// once: the others link to the first.
[[nodiscard]] std::string cards_of(const Report&, std::size_t task, const Style&);

/// "A barrier is missing".
[[nodiscard]] std::string title_of(const Cause&);

}  // namespace cugrade::report
