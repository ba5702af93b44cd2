// PTX text to ptx::Module.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "emulator/ptx/module.hpp"

namespace cugrade::ptx {

/// Parses one PTX module. The error's line and column are in the PTX; `name` is its file name.
[[nodiscard]] Result<std::unique_ptr<Module>> parse(std::string source, const std::string& name);

/// More memory than parse() needs for this text, beside the text, and than anything needs that
/// keeps a name for each of its statements. Told by its punctuation, in one quick pass: a statement
/// of four characters takes hundreds of bytes.
[[nodiscard]] std::uint64_t memory_to_parse(std::string_view source);

}  // namespace cugrade::ptx
