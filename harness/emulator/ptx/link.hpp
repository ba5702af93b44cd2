// Several PTX modules become one, as -rdc=true asks for.
#pragma once

#include <memory>
#include <vector>

#include "core/error.hpp"
#include "emulator/ptx/module.hpp"

namespace cugrade::ptx {

/// The modules as one, which owns them. Errors name the symbol: defined twice, or a variable that
/// is defined nowhere. (Functions that are defined nowhere may be the device's own.)
[[nodiscard]] Result<std::unique_ptr<Module>> link(std::vector<std::unique_ptr<Module>> modules);

}  // namespace cugrade::ptx
