// Why a function that has launches in its text launched nothing.
//
// Theory of operation. A launch is reached if the conditions around it let it through, and the ones
// before it do not return. Those of all launches of a function in common are evaluated with the
// sizes of a case: constants, arguments and variables that are set once are known, and a call of
// CUDA's has succeeded, or the emulated GPU would have told. The condition that keeps the launches
// from running is the place to edit. What cannot be evaluated is left; if it is the only one, it
// is the place by exclusion.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/source_location.hpp"
#include "judging/source_code.hpp"

namespace cugrade {

struct LaunchGuard {
    SourceLocation location;  ///< line 0: the function launches something, but no condition is seen
    std::string condition;    ///< as it is written
    bool is_certain = false;  ///< it is evaluated, or no other one is left
    bool returns = false;     ///< the function returns there; else the launch is under it
};

/// Scalar arguments of one call by their names in `parameters`.
using KnownValues = std::map<std::string, long long, std::less<>>;

/// `parameters`: the task's names of the arguments of `function`, in order. `calls`: what is known
/// in each call that launched nothing. Nothing: the function has no launch in its text.
[[nodiscard]] std::optional<LaunchGuard> guard_of_launches(const SourceCode&,
                                                           std::string_view function,
                                                           std::span<const std::string> parameters,
                                                           std::span<const KnownValues> calls);

}  // namespace cugrade
