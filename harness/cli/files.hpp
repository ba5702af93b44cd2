// Writes files of a command: a file is there whole, or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/files.hpp"

namespace cugrade::cli {

/// write_atomically() for a text that took long to compute: if the file cannot be written, the text
/// goes to standard output.
[[nodiscard]] Status write_or_print(const std::filesystem::path&, std::string_view text);

/// Checks as far as possible whether write_atomically() would fail. Ask before long work. The Error
/// is one of the command line.
[[nodiscard]] Status could_write(const std::filesystem::path&);

/// The same for files in a folder that make_folders() would make.
[[nodiscard]] Status could_write_in(const std::filesystem::path&);

/// Makes the folder and those above it.
[[nodiscard]] Status make_folders(const std::filesystem::path&);

}  // namespace cugrade::cli
