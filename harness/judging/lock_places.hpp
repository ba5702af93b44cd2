// Where a lock has to be given back, or must not be taken: from the place where it is taken to the
// line of the text that is edited.
//
// Theory of operation. The emulated GPU tells the line with the atomic that takes a lock and the
// calls by which the program came there (`lock()` in `enter()` in the kernel). The first of these
// functions that also gives the lock back has both ends of the section in its text: there the lock
// is lost on a way out that leaves the release out. What takes and gives back the same lock is
// known by what it is called for: `first.try_lock()` and `first.unlock()`, `take(&l)` and
// `give(&l)`.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "build/build_submission.hpp"
#include "core/source_location.hpp"

namespace cugrade {

/// The line with the atomic first, then the calls around it, innermost first.
using CallChain = std::vector<SourceLocation>;

/// How a thread was seen to lose its lock.
enum class LostBy {
    ending,       ///< it ended and still held it
    coming_back,  ///< it came back to take it again
};

/// The way out on which the lock is not given back: a `return`, `break` or `continue`, the closing
/// brace of an `if` that has no `else` which gives it back, or the release that stands under a
/// condition. Nothing: the text does not show it.
[[nodiscard]] std::optional<SourceLocation> missed_release(const CallChain& taken, LostBy,
                                                           std::span<const SourceFile>);

/// The line outside of the functions that only take a lock: the outermost call of them.
[[nodiscard]] SourceLocation call_that_takes(const CallChain& taken, std::span<const SourceFile>);

/// Where it is decided whether a lock is taken that the thread may hold already: the definition of
/// the flag that stands in front of the call, or the call.
[[nodiscard]] SourceLocation decision_to_take(const CallChain& taken, std::span<const SourceFile>);

}  // namespace cugrade
