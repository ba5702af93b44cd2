#include "handin/entry_path.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/printable.hpp"

namespace cugrade::handin {
namespace {

constexpr std::size_t longest_part = 255;  // Linux's file systems have no longer names

bool is_separator(char c) { return c == '/' || c == '\\'; }

bool is_absolute(std::string_view name) {
    if (!name.empty() && is_separator(name[0])) return true;
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return name.size() > 1 && is_letter(name[0]) && name[1] == ':';  // C:\x
}

/// Bytes that are no UTF-8 are none: old programs write names in the code page of their country.
bool has_control_character(std::string_view name) {
    for (std::size_t at = 0; at < name.size();) {
        const auto point = next_code_point(name, at);
        if (point && (*point < 0x20 || (*point >= 0x7f && *point < 0xa0))) return true;
    }
    return false;
}

bool is_clutter(std::string_view part) {
    constexpr std::array<std::string_view, 3> names{"__MACOSX", ".DS_Store", ".git"};
    return part.starts_with("._") || std::ranges::find(names, part) != names.end();
}

std::vector<std::string> parts_of(std::string_view name) {
    std::vector<std::string> out(1);
    for (const char c : name) {
        if (is_separator(c))
            out.emplace_back();
        else
            out.back() += c;
    }
    std::erase_if(out, [](const std::string& part) { return part.empty() || part == "."; });
    return out;
}

}  // namespace

std::string shown(std::string_view text) {
    constexpr std::size_t most_bytes = 200;  // chosen: a message is one sentence
    if (text.size() <= most_bytes) return printable(text);
    return printable(text.substr(0, most_bytes)) + "...";
}

Error refusal(std::string_view what, std::string_view name, std::string remedy) {
    return Error{.kind = ErrorKind::submission,
                 .message = fmt::format("{}, `{}`", what, shown(name)),
                 .remedy = std::move(remedy)};
}

Result<EntryPath> entry_path(std::string_view name, std::size_t max_depth) {
    const std::string from_within = "pack it from within the folder of your files";
    if (is_absolute(name)) return refusal("the archive holds an absolute path", name, from_within);
    EntryPath out{.parts = parts_of(name)};
    if (std::ranges::find(out.parts, "..") != out.parts.end())
        return refusal("the archive holds a path that leads upwards", name, from_within);
    out.is_skipped = std::ranges::any_of(out.parts, is_clutter);
    if (out.is_skipped) return out;
    if (has_control_character(name))
        return refusal("a name in the archive has a control character", name, "rename that file");
    if (std::ranges::any_of(out.parts,
                            [](const std::string& part) { return part.size() > longest_part; }))
        return refusal(fmt::format("a name in the archive has more than {} bytes", longest_part),
                       name, "rename that file");
    if (out.parts.size() > max_depth)
        return refusal(fmt::format("a path in the archive has more than {} folders", max_depth - 1),
                       name, "hand in the source files alone");
    return out;
}

}  // namespace cugrade::handin
