// The layout is not documented by NVIDIA; docs/fat-binaries.md says how each field was found.
// Everything here may come from a hostile file, so each read goes through `Reader`, which knows
// where the bytes end, and every size that a header claims is checked before it is believed.
#include "emulator/ptx/fatbin.hpp"

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "core/files.hpp"
#include "emulator/ptx/elf.hpp"

namespace cugrade::ptx {
namespace {

constexpr std::uint32_t container_magic = 0xBA55ED50;
constexpr std::size_t container_header = 16;
constexpr std::size_t smallest_entry_header = 64;
constexpr std::uint64_t max_text = std::uint64_t{256} << 20;  ///< of all PTX of one container

enum : std::uint16_t { kind_ptx = 1 };
enum : std::uint64_t { flag_lz4 = 0x2000, flag_zstd = 0x8000 };

Error broken(std::string message) {
    return Error{.kind = ErrorKind::submission,
                 .message = "damaged fat binary: " + std::move(message),
                 .remedy = "Compile the program again with nvcc of the CUDA Toolkit 12 or 13"};
}

/// The text of one PTX entry. `payload` is the entry without its header.
Result<std::string> text_of(const Reader& entry, const Reader& payload, std::uint64_t& budget,
                            bool& is_too_much) {
    const auto too_much = [&is_too_much] {
        is_too_much = true;
        return broken("its PTX is larger than 256 MiB");
    };
    const auto flags = entry.at<std::uint64_t>(40);
    const bool compressed = (flags & (flag_lz4 | flag_zstd)) != 0;
    std::string text;
    if (!compressed) {
        if (payload.size() > budget) return too_much();
        text.assign(payload.chars(), payload.size());
    } else {
        const auto packed = entry.at<std::uint32_t>(16);
        const auto size = entry.at<std::uint64_t>(56);
        if (!payload.has(0, packed)) return broken("an entry's compressed data is cut off");
        if (size > budget) return too_much();
        text.resize(size);
        if (flags & flag_zstd) {
            const std::size_t n = ZSTD_decompress(text.data(), size, payload.chars(), packed);
            if (ZSTD_isError(n) || n != size)
                return broken(std::string("zstd: ") + (ZSTD_isError(n)
                                                           ? ZSTD_getErrorName(n)
                                                           : "the size is not as stated"));
        } else {
            const int n = LZ4_decompress_safe(payload.chars(), text.data(),
                                              static_cast<int>(packed), static_cast<int>(size));
            if (n < 0 || static_cast<std::uint64_t>(n) != size)
                return broken("LZ4: the data is not what its header states");
        }
    }
    budget -= text.size();
    while (!text.empty() && text.back() == '\0') text.pop_back();  // entries are padded
    return text;
}

/// The PTX of one container. Sets `is_too_much` and fails if it has more bytes than `budget`, from
/// which it is taken.
Result<std::vector<FatbinPtx>> read_container_within(std::span<const std::byte> bytes,
                                                     std::uint64_t& budget, bool& is_too_much) {
    const auto size = container_size(bytes);
    if (!size) return size.error();
    if (*size > bytes.size()) return broken("it is cut off");
    const Reader r(bytes.first(*size));
    std::vector<FatbinPtx> found;
    for (std::uint64_t at = r.at<std::uint16_t>(6); at < r.size();) {
        if (!r.has(at, smallest_entry_header)) return broken("an entry's header is cut off");
        const Reader entry = r.sub(at, r.size() - at);
        const auto header = entry.at<std::uint32_t>(4);
        const auto payload = entry.at<std::uint64_t>(8);
        if (header < smallest_entry_header || !entry.has(header, payload))
            return broken("an entry is cut off");
        if (entry.at<std::uint16_t>(0) == kind_ptx) {
            auto text = text_of(entry, entry.sub(header, payload), budget, is_too_much);
            if (!text) return text.error();
            found.push_back(
                {static_cast<int>(entry.at<std::uint32_t>(28) & 0xFFFF), *std::move(text)});
        }
        at += header + payload;
    }
    return found;
}

/// Calls `use` with what begins with each container of an ELF file, until it fails.
template <class Use>
Status for_each_container(const Reader& elf, const Use& use) {
    Section names;
    const auto sections = sections_of(elf, names);
    if (!sections) return sections.error();
    for (const Section& s : *sections) {
        const std::string_view name = section_name(elf, names, s);
        if (name != ".nv_fatbin" && name != "__nv_relfatbin") continue;
        // One container per translation unit, each aligned to 8 bytes.
        for (std::uint64_t at = 0; at + container_header <= s.size;) {
            const Reader rest = elf.sub(s.offset + at, s.size - at);
            if (rest.at<std::uint32_t>(0) != container_magic) {
                at += 8;
                continue;
            }
            if (auto status = use(rest.bytes()); !status) return status;
            const auto size = container_size(rest.bytes());
            if (!size) return size.error();
            at += (*size + 7) / 8 * 8;
        }
    }
    return Done{};
}

/// The same for a file, which an Error names.
template <class Use>
Status for_each_container(const std::filesystem::path& path, const Use& use) {
    const auto file = read_file(path);
    if (!file) return file.error();
    const Status status = for_each_container(Reader(std::as_bytes(std::span(*file))), use);
    if (status) return status;
    Error e = status.error();
    e.file = path.string();
    return e;
}

}  // namespace

Result<std::size_t> container_size(std::span<const std::byte> bytes) {
    const Reader r(bytes);
    if (!r.has(0, container_header) || r.at<std::uint32_t>(0) != container_magic)
        return broken("it does not start with the magic number 0xBA55ED50");
    const auto header = r.at<std::uint16_t>(6);
    const auto size = r.at<std::uint64_t>(8);
    std::uint64_t total = 0;
    if (header < container_header || __builtin_add_overflow(size, header, &total) ||
        total > (std::uint64_t{1} << 40))
        return broken("its header states an impossible size");
    return static_cast<std::size_t>(total);
}

Result<std::vector<FatbinPtx>> read_container(std::span<const std::byte> bytes) {
    std::uint64_t budget = max_text;
    bool is_too_much = false;
    return read_container_within(bytes, budget, is_too_much);
}

Result<std::vector<FatbinPtx>> read_object(const std::filesystem::path& path) {
    auto found = read_object_within(path, std::numeric_limits<std::uint64_t>::max());
    if (!found) return found.error();
    return **std::move(found);
}

Result<std::optional<std::vector<FatbinPtx>>> read_object_within(const std::filesystem::path& path,
                                                                 std::uint64_t most) {
    std::vector<FatbinPtx> found;
    bool any_container = false, is_too_much = false;
    const Status status = for_each_container(path, [&](std::span<const std::byte> rest) -> Status {
        any_container = true;
        std::uint64_t budget = std::min(max_text, most);
        const std::uint64_t before = budget;
        auto entries = read_container_within(rest, budget, is_too_much);
        is_too_much = is_too_much && most < max_text;
        if (!entries) return entries.error();
        most -= before - budget;
        for (FatbinPtx& e : *entries) found.push_back(std::move(e));
        return Done{};
    });
    if (is_too_much) return std::optional<std::vector<FatbinPtx>>();
    if (!status) return status.error();
    if (found.empty())
        return Error{
            .kind = ErrorKind::submission,
            .message = any_container
                           ? "has GPU code, but no PTX that the emulated GPU could run"
                           : "has no GPU code: it was not compiled by nvcc, or holds no kernel",
            .file = path.string(),
            .remedy = "Compile with nvcc -gencode arch=compute_75,code=compute_75"};
    return std::optional(std::move(found));
}

Result<std::vector<std::byte>> containers_of(const std::filesystem::path& path) {
    std::vector<std::byte> found;
    const Status status = for_each_container(path, [&](std::span<const std::byte> rest) -> Status {
        const auto size = container_size(rest);
        if (!size) return size.error();
        if (*size > rest.size()) return broken("it is cut off");
        found.insert(found.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(*size));
        return Done{};
    });
    if (!status) return status.error();
    return found;
}

}  // namespace cugrade::ptx
