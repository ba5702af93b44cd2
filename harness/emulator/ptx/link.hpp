// Links several PTX modules into one, as nvcc does with -rdc=true.
#pragma once

#include <memory>
#include <vector>

#include "core/error.hpp"
#include "emulator/ptx/module.hpp"

namespace cugrade::ptx {

/// Links the modules into one, which owns them. Errors name the symbol: it is defined twice, or it
/// is a variable that is defined nowhere. (A function that is defined nowhere may be one that the
/// device brings along.)
[[nodiscard]] Result<std::unique_ptr<Module>> link(std::vector<std::unique_ptr<Module>> modules);

}  // namespace cugrade::ptx
