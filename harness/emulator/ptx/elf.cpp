#include "emulator/ptx/elf.hpp"

#include <string>

namespace cugrade::ptx {

Result<std::vector<Section>> sections_of(const Reader& elf, Section& names) {
    const auto damaged = [](const char* what) {
        return Error{.kind = ErrorKind::submission,
                     .message = std::string("not a 64-bit little-endian ELF file: ") + what,
                     .remedy = "Give an object file or executable that nvcc made on Linux"};
    };
    if (!elf.has(0, 64) || std::memcmp(elf.chars(), "\177ELF\2\1", 6) != 0)
        return damaged("wrong header");
    const auto table = elf.at<std::uint64_t>(0x28);
    const auto entry_size = elf.at<std::uint16_t>(0x3A);
    std::uint64_t count = elf.at<std::uint16_t>(0x3C);
    std::uint64_t names_index = elf.at<std::uint16_t>(0x3E);
    if (entry_size < 64 || !elf.has(table, entry_size)) return damaged("no section table");
    // More than 65,279 sections (one per template instance): the real numbers are in section 0.
    if (count == 0) count = elf.at<std::uint64_t>(table + 32);
    if (names_index == 0xFFFF) names_index = elf.at<std::uint32_t>(table + 40);
    if (count > elf.size() / entry_size || !elf.has(table, count * entry_size))
        return damaged("the section table is cut off");
    if (names_index >= count) return damaged("no section names");
    std::vector<Section> sections;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t at = table + i * entry_size;
        const auto type = elf.at<std::uint32_t>(at + 4);
        Section s{elf.at<std::uint32_t>(at), elf.at<std::uint64_t>(at + 24),
                  elf.at<std::uint64_t>(at + 32)};
        if (type == 8 /* SHT_NOBITS */) s.size = 0;
        if (!elf.has(s.offset, s.size)) {
            if (type != 0) return damaged("a section lies beyond the end");
            s.size = 0;
        }
        sections.push_back(s);
    }
    names = sections[names_index];
    return sections;
}

std::string_view section_name(const Reader& elf, const Section& names, const Section& s) {
    if (s.name >= names.size) return {};
    const char* start = elf.chars() + names.offset + s.name;
    return {start, strnlen(start, names.size - s.name)};
}

}  // namespace cugrade::ptx
