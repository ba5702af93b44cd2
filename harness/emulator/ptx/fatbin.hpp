// The containers in which nvcc leaves PTX inside an object file. See docs/fat-binaries.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace cugrade::ptx {

struct FatbinPtx {
    int arch = 0;  ///< 75 for compute_75
    std::string text;
};

/// Every PTX entry of one container (magic 0xBA55ED50), decompressed. Never reads past `bytes`.
[[nodiscard]] Result<std::vector<FatbinPtx>> read_container(std::span<const std::byte> bytes);

/// Size in bytes of the container that starts at `bytes`, header included.
[[nodiscard]] Result<std::size_t> container_size(std::span<const std::byte> bytes);

/// Every PTX entry of the .nv_fatbin section of an ELF object or executable. If there is none, the
/// error names the nvcc flag that adds one.
[[nodiscard]] Result<std::vector<FatbinPtx>> read_object(const std::filesystem::path& elf);

/// The same, but nothing if all its PTX together has more than `most` bytes. A small file can hold
/// any number of containers, each with 256 MiB of compressed text.
[[nodiscard]] Result<std::optional<std::vector<FatbinPtx>>> read_object_within(
    const std::filesystem::path& elf, std::uint64_t most);

/// The containers in which read_object() would look, one after the other, as a program registers
/// them with the runtime. Empty if there are none.
[[nodiscard]] Result<std::vector<std::byte>> containers_of(const std::filesystem::path& elf);

}  // namespace cugrade::ptx
