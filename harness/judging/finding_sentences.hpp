// What a finding means in one sentence, without threads, addresses and advice.
#pragma once

#include <string>

#include "core/outcome.hpp"

namespace cugrade {

/// "Threads of a block use `s` in lines 7 and 9, one of them writes, and no barrier orders them.";
/// empty: the finding's own message has to do.
[[nodiscard]] std::string sentence_of(const CheckerFinding&);

/// A message without what it advises, as one sentence: a cause has advice of its own.
[[nodiscard]] std::string fact_of(std::string message);

}  // namespace cugrade
