// DWARF 5, section 6.2 (and 3 and 4, which differ in the header). The tables may come from a
// hostile file: what is not as expected ends its table, and all of them together may have only so
// many rows.
#include "emulator/ptx/host_lines.hpp"

#include <algorithm>
#include <vector>

#include "core/files.hpp"
#include "emulator/ptx/elf.hpp"
#include "emulator/ptx/places.hpp"

namespace cugrade::ptx {
namespace {

/// Chosen: a submission of many templates has some 100,000.
constexpr std::uint64_t most_rows = 4'000'000;  ///< and names of files
constexpr std::uint64_t most_files = 100'000;

struct Damaged {};

/// Reads on from one place of a section. Throws Damaged at its end.
class Cursor {
public:
    explicit Cursor(Reader bytes) : bytes_(bytes) {}

    template <class T>
    T take() {
        if (!bytes_.has(at_, sizeof(T))) throw Damaged{};
        const T value = bytes_.at<T>(at_);
        at_ += sizeof(T);
        return value;
    }
    std::uint64_t uleb() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto byte = take<std::uint8_t>();
            value |= std::uint64_t{byte & 0x7FU} << shift;
            if ((byte & 0x80) == 0) return value;
        }
        throw Damaged{};
    }
    std::int64_t sleb() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64;) {
            const auto byte = take<std::uint8_t>();
            value |= std::uint64_t{byte & 0x7FU} << shift;
            shift += 7;
            if ((byte & 0x80) != 0) continue;
            if ((byte & 0x40) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
            return static_cast<std::int64_t>(value);
        }
        throw Damaged{};
    }
    std::string_view string() {
        const char* start = bytes_.chars() + at_;
        const std::size_t length = strnlen(start, bytes_.size() - at_);
        if (at_ + length >= bytes_.size()) throw Damaged{};
        at_ += length + 1;
        return {start, length};
    }
    void skip(std::uint64_t bytes) {
        if (!bytes_.has(at_, bytes)) throw Damaged{};
        at_ += bytes;
    }
    Cursor sub(std::uint64_t bytes) {
        const std::uint64_t from = at_;
        skip(bytes);
        return Cursor(bytes_.sub(from, bytes));
    }
    [[nodiscard]] bool is_at_end() const { return at_ >= bytes_.size(); }

private:
    Reader bytes_;
    std::uint64_t at_ = 0;
};

struct Row {
    std::uint64_t address = 0, file = 1;
    std::int64_t line = 1;
};

class Tables {
public:
    Tables(const Reader& elf, const std::set<std::uint32_t>& places) : elf_(elf), places_(places) {}

    std::map<std::uint32_t, HostLine> read() {
        Section names;
        const auto sections = sections_of(elf_, names);
        if (!sections) return {};
        const auto section = [&](std::string_view wanted) {
            for (const Section& s : *sections)
                if (section_name(elf_, names, s) == wanted) return elf_.sub(s.offset, s.size);
            return Reader({});
        };
        line_strings_ = section(".debug_line_str");
        strings_ = section(".debug_str");
        first_ = first_address();
        Cursor all(section(".debug_line"));
        try {
            while (!all.is_at_end()) {
                const auto bytes = all.take<std::uint32_t>();
                Cursor table = all.sub(bytes);  // one of 64 bits has a length beyond the section
                try {
                    read_table(table);
                } catch (const Damaged&) {  // the next one may be whole
                }
            }
        } catch (const Damaged&) {
        }
        return std::move(found_);
    }

private:
    /// Where the executable's first segment begins.
    [[nodiscard]] std::uint64_t first_address() const {
        const auto table = elf_.at<std::uint64_t>(0x20);
        const auto size = elf_.at<std::uint16_t>(0x36), count = elf_.at<std::uint16_t>(0x38);
        for (std::uint64_t n = 0; n < count; ++n) {
            const std::uint64_t at = table + n * size;
            if (size < 56 || !elf_.has(at, size)) return 0;
            if (elf_.at<std::uint32_t>(at) == 1 /* PT_LOAD */)
                return elf_.at<std::uint64_t>(at + 16);
        }
        return 0;
    }

    void read_table(Cursor& table) {
        const auto version = table.take<std::uint16_t>();
        if (version < 3 || version > 5) return;
        if (version == 5) table.skip(2);  // sizes of an address and of a segment's selector
        Cursor header = table.sub(table.take<std::uint32_t>());
        step_ = header.take<std::uint8_t>();
        if (version >= 4) header.skip(1);
        header.skip(1);
        line_base_ = header.take<std::int8_t>();
        line_range_ = header.take<std::uint8_t>();
        if (line_range_ == 0) throw Damaged{};
        operands_.assign(header.take<std::uint8_t>(), 0);
        for (std::size_t n = 1; n < operands_.size(); ++n)
            operands_[n] = header.take<std::uint8_t>();
        if (version == 5)
            read_names(header);
        else
            read_old_names(header);
        run(table);
    }

    struct Entry {
        std::string_view path;
        std::uint64_t folder = 0;
    };
    [[nodiscard]] std::vector<Entry> read_entries(Cursor& from) {
        std::vector<std::pair<std::uint64_t, std::uint64_t>> formats(from.take<std::uint8_t>());
        for (auto& [content, form] : formats) {
            content = from.uleb();
            form = from.uleb();
        }
        const std::uint64_t count = from.uleb();
        rows_ += count;
        if (count > most_files || rows_ > most_rows || formats.empty()) throw Damaged{};
        std::vector<Entry> entries(count);
        for (Entry& entry : entries)
            for (const auto& [content, form] : formats) {
                std::uint64_t number = 0;
                std::string_view text;
                switch (form) {
                    case 0x08: text = from.string(); break;
                    case 0x0E: text = string_in(strings_, from.take<std::uint32_t>()); break;
                    case 0x1F: text = string_in(line_strings_, from.take<std::uint32_t>()); break;
                    case 0x0B: number = from.take<std::uint8_t>(); break;
                    case 0x05: number = from.take<std::uint16_t>(); break;
                    case 0x06: number = from.take<std::uint32_t>(); break;
                    case 0x0F: number = from.uleb(); break;
                    case 0x1E: from.skip(16); break;
                    default: throw Damaged{};
                }
                if (content == 1) entry.path = text;
                if (content == 2) entry.folder = number;
            }
        return entries;
    }
    static std::string_view string_in(const Reader& section, std::uint64_t at) {
        if (!section.has(at, 1)) throw Damaged{};
        return Cursor(section.sub(at, section.size() - at)).string();
    }

    void read_names(Cursor& header) {
        folders_.clear();
        for (const Entry& folder : read_entries(header)) folders_.push_back(folder.path);
        files_ = read_entries(header);
    }
    void read_old_names(Cursor& header) {
        folders_.assign(1, {});
        files_.assign(1, {});
        const auto next = [&] {
            const std::string_view name = header.string();
            if (files_.size() + folders_.size() > most_files) throw Damaged{};
            return name;
        };
        for (std::string_view name = next(); !name.empty(); name = next()) folders_.push_back(name);
        for (std::string_view name = next(); !name.empty(); name = next()) {
            files_.push_back({name, header.uleb()});
            header.uleb();
            header.uleb();
        }
    }

    [[nodiscard]] std::string path_of(std::uint64_t file) const {
        if (file >= files_.size()) return {};
        const Entry& entry = files_[file];
        if (entry.path.starts_with('/') || entry.folder >= folders_.size() ||
            folders_[entry.folder].empty())
            return std::string(entry.path);
        const std::string_view folder = folders_[entry.folder];
        const bool is_relative = !folder.starts_with('/') && !folders_.front().empty();
        return (is_relative ? std::string(folders_.front()) + "/" : "") + std::string(folder) +
               "/" + std::string(entry.path);
    }

    /// What is from `row` on, to the next one.
    void found(const Row& row, std::uint64_t end) {
        if (++rows_ > most_rows) throw Damaged{};
        if (row.address < first_ || end <= row.address || row.line <= 0 || row.line > 0x7FFFFFFF)
            return;
        const std::uint64_t from = row.address - first_;
        if (from > UINT32_MAX) return;
        for (auto it = places_.lower_bound(static_cast<std::uint32_t>(from));
             it != places_.end() && *it < end - first_; ++it) {
            std::string file = path_of(row.file);
            if (!file.empty() && !is_toolkit_file(file))
                found_[*it] = {std::move(file), static_cast<int>(row.line)};
        }
    }

    void run(Cursor& code) {
        Row now, last;
        bool has_last = false;
        const auto emit = [&](bool is_end) {
            if (has_last) found(last, now.address);
            last = now;
            has_last = !is_end;
            if (is_end) now = {};
        };
        while (!code.is_at_end()) {
            const auto opcode = code.take<std::uint8_t>();
            if (opcode >= operands_.size()) {
                const auto number = static_cast<std::uint64_t>(opcode - operands_.size());
                now.address += number / line_range_ * step_;
                now.line =
                    add(now.line, line_base_ + static_cast<std::int64_t>(number % line_range_));
                emit(false);
                continue;
            }
            switch (opcode) {
                case 0: {
                    Cursor extended = code.sub(code.uleb());
                    if (extended.is_at_end()) break;
                    const auto kind = extended.take<std::uint8_t>();
                    if (kind == 1) emit(true);
                    if (kind == 2) now.address = extended.take<std::uint64_t>();
                    break;
                }
                case 1: emit(false); break;
                case 2: now.address += code.uleb() * step_; break;
                case 3: now.line = add(now.line, code.sleb()); break;
                case 4: now.file = code.uleb(); break;
                case 8: now.address += (255 - operands_.size()) / line_range_ * step_; break;
                case 9: now.address += code.take<std::uint16_t>(); break;
                default:
                    for (int n = 0; n < operands_[opcode]; ++n) code.uleb();
            }
        }
    }
    /// Of hostile numbers, too.
    static std::int64_t add(std::int64_t a, std::int64_t b) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) +
                                         static_cast<std::uint64_t>(b));
    }

    const Reader& elf_;
    const std::set<std::uint32_t>& places_;
    Reader line_strings_{{}}, strings_{{}};
    std::uint64_t first_ = 0, rows_ = 0, step_ = 1;
    std::int64_t line_base_ = 0;
    std::uint8_t line_range_ = 1;
    std::vector<std::uint8_t> operands_;  ///< of the standard opcodes
    std::vector<std::string_view> folders_;
    std::vector<Entry> files_;
    std::map<std::uint32_t, HostLine> found_;
};

}  // namespace

Result<std::map<std::uint32_t, HostLine>> host_lines(const std::filesystem::path& executable,
                                                     const std::set<std::uint32_t>& places) {
    const auto file = read_file(executable);
    if (!file) return file.error();
    return Tables(Reader(std::as_bytes(std::span(file->data(), file->size()))), places).read();
}

}  // namespace cugrade::ptx
