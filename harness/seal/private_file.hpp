// Files that only their owner may read: keys and secrets.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace cugrade::seal {

/// Random bytes of the operating system, as lower-case hexadecimal digits.
[[nodiscard]] std::string random_hex(std::size_t bytes);

/// Makes a file of mode 0600 that was not there, whole or not at all. Error::message says "is there
/// already" if it was.
[[nodiscard]] Status write_private(const std::filesystem::path&, std::string_view text);

/// Whether an Error of write_private() means that there is a file already.
[[nodiscard]] bool is_there_already(const Error&);

/// Chosen: a key or a PEM file has less than 1 KiB.
inline constexpr std::size_t most_of_a_key = 64 << 10;

/// Reads a regular file (no link) of at most so many bytes that this user owns and nobody else may
/// read or write. Errors of kind configuration: somebody else owns it, others may read it.
[[nodiscard]] Result<std::string> read_private(const std::filesystem::path&,
                                               std::size_t most_bytes = most_of_a_key);

}  // namespace cugrade::seal
