// PTX text to ptx::Module.
#pragma once

#include <memory>
#include <string>

#include "core/error.hpp"
#include "emulator/ptx/module.hpp"

namespace cugrade::ptx {

/// Parses one PTX module. The error's line and column are in the PTX; `name` is its file name.
[[nodiscard]] Result<std::unique_ptr<Module>> parse(std::string source, const std::string& name);

}  // namespace cugrade::ptx
