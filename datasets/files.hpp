// Real files as data: raw bytes, PGM and PNG images, NumPy arrays.
#pragma once

#include <filesystem>

#include "core/array.hpp"
#include "core/error.hpp"

namespace cugrade::datasets {

[[nodiscard]] Result<Array> read_bytes(const std::filesystem::path&);  ///< u8, one dimension
[[nodiscard]] Result<Array> read_pgm(const std::filesystem::path&);  ///< u8 or u16, {height, width}
[[nodiscard]] Result<Array> read_png(
    const std::filesystem::path&);  ///< u8, {height, width}, as grey
[[nodiscard]] Result<Array> read_npy(const std::filesystem::path&);  ///< C order, little endian
[[nodiscard]] Status write_npy(const std::filesystem::path&, const Array&);
/// By the file's first bytes: .npy, PNG, PGM, else raw bytes.
[[nodiscard]] Result<Array> read_any(const std::filesystem::path&);

}  // namespace cugrade::datasets
