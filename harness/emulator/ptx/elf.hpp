// The sections of an ELF file that nobody has checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace cugrade::ptx {

/// Reads little-endian fields at byte offsets of bytes that nobody has checked.
class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    [[nodiscard]] bool has(std::uint64_t offset, std::uint64_t size) const {
        return offset <= bytes_.size() && size <= bytes_.size() - offset;
    }
    /// Precondition: has(offset, sizeof(T)).
    template <class T>
    [[nodiscard]] T at(std::uint64_t offset) const {
        T value;
        std::memcpy(&value, bytes_.data() + offset, sizeof value);
        return value;
    }
    [[nodiscard]] Reader sub(std::uint64_t offset, std::uint64_t size) const {
        return Reader(bytes_.subspan(offset, size));
    }
    [[nodiscard]] std::size_t size() const { return bytes_.size(); }
    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
    [[nodiscard]] const char* chars() const { return reinterpret_cast<const char*>(bytes_.data()); }

private:
    std::span<const std::byte> bytes_;
};

/// The fields that are used of a section header (ELF64).
struct Section {
    std::uint32_t name = 0;
    std::uint64_t offset = 0, size = 0;
};

/// Each lies within the file. `names`: the section with their names.
[[nodiscard]] Result<std::vector<Section>> sections_of(const Reader& elf, Section& names);
[[nodiscard]] std::string_view section_name(const Reader& elf, const Section& names,
                                            const Section&);

}  // namespace cugrade::ptx
