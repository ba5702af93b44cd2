// Files that are whole or not there.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/files.hpp"

namespace cugrade::cli {

/// Writes beside `path`, syncs, and renames over it: whoever reads sees the old file or the new
/// one, whatever is killed or full when.
[[nodiscard]] Status write_atomically(const std::filesystem::path&, std::string_view text);

/// The same of what took long to find out: where it cannot be written, it goes to standard output.
[[nodiscard]] Status write_or_print(const std::filesystem::path&, std::string_view text);

/// What can be seen beforehand of why write_atomically() would fail, to be asked before anything
/// that takes long. The Error is one of the command line.
[[nodiscard]] Status could_write(const std::filesystem::path&);

/// The same for files in a folder that make_folders() would make.
[[nodiscard]] Status could_write_in(const std::filesystem::path&);

/// Makes the folder and those above it.
[[nodiscard]] Status make_folders(const std::filesystem::path&);

}  // namespace cugrade::cli
