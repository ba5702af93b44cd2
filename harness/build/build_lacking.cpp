#include "build/build_lacking.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "build/build_messages.hpp"
#include "core/closest.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_index_bytes = std::size_t{64} << 20;
/// The most places that are reported for one function.
constexpr std::size_t max_places = 3;

std::uint32_t big_endian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (const char c : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

/// The index of a static library is its first member, named "/": the number of symbols, the
/// position of each symbol's member, then the names, each ended by a zero.
std::string read_index(const fs::path& archive) {
    std::ifstream in(archive, std::ios::binary);
    std::string head(8 + 60, '\0');
    if (!in.read(head.data(), static_cast<std::streamsize>(head.size()))) return {};
    if (!head.starts_with("!<arch>\n/ ")) return {};
    std::size_t bytes = 0;
    const char* size = head.data() + 8 + 48;
    std::from_chars(size, size + 10, bytes);
    if (bytes < 4 || bytes > max_index_bytes) return {};
    std::string index(bytes, '\0');
    if (!in.read(index.data(), static_cast<std::streamsize>(bytes))) return {};
    return index;
}

bool is_in_the_toolkit(std::string_view place) {
    return place.starts_with('/') && place.find("/include/") != std::string_view::npos &&
           (place.find("cuda") != std::string_view::npos || place.starts_with("/usr/"));
}

/// The name that a program uses where CUDA's header calls `function`: cudaLaunchKernelEx for
/// cudaLaunchKernelExC, cudaGraphAddNode for cudaGraphAddNode_v2.
std::string_view called_as(std::string_view function) {
    if (const std::size_t suffix = function.find('_', 2); suffix != std::string_view::npos)
        function = function.substr(0, suffix);
    if (function.ends_with("ExC")) function.remove_suffix(1);
    return function;
}

/// "student.cu:12", the first place where a source has the word; empty if none has it.
std::string place_of_word(std::string_view word, const std::vector<NamedText>& sources) {
    const auto is_part = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    for (const auto& [name, text] : sources)
        for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) {
            const std::size_t end = at + word.size();
            if ((at > 0 && is_part(text[at - 1])) || (end < text.size() && is_part(text[end])))
                continue;
            const auto lines =
                std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
            return fmt::format("{}:{}", name, lines + 1);
        }
    return {};
}

/// The text as a C literal.
std::string c_literal(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) >= 0x20) out += c;
    }
    return out + '"';
}

}  // namespace

std::vector<std::string> runtime_functions(const fs::path& cudart_static) {
    const std::string index = read_index(cudart_static);
    if (index.empty()) return {};
    std::vector<std::string> names;
    const std::uint64_t names_at = 4 + std::uint64_t{4} * big_endian(index);
    for (std::uint64_t at = names_at; at < index.size();) {
        const std::size_t end = std::min(index.find('\0', at), index.size());
        std::string name = index.substr(at, end - at);
        if (is_called_like_the_runtime(name)) names.push_back(std::move(name));
        at = end + 1;
    }
    std::ranges::sort(names);
    return names;
}

bool is_called_like_the_runtime(std::string_view symbol) {
    if (symbol.starts_with("__")) symbol.remove_prefix(2);
    return symbol.starts_with("cuda") && symbol.size() > 4 &&
           std::ranges::all_of(symbol, [](char c) {
               return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
           });
}

std::vector<LackingFunction> lacking_functions(std::string_view linker_output,
                                               const std::vector<std::string>& runtime,
                                               const std::vector<NamedText>& sources) {
    std::vector<LackingFunction> out;
    std::set<std::string> searched;
    for (UndefinedReference& reference : undefined_references(linker_output)) {
        if (!is_called_like_the_runtime(reference.symbol)) continue;
        if (!runtime.empty() && !std::ranges::binary_search(runtime, reference.symbol)) continue;
        auto known = std::ranges::find(out, reference.symbol, &LackingFunction::name);
        if (known == out.end()) known = out.insert(out.end(), {std::move(reference.symbol), {}});
        std::string place = std::move(reference.place);
        if (place.empty() || is_in_the_toolkit(place)) {
            if (!searched.insert(known->name).second) continue;  // it would be the same place
            place = place_of_word(called_as(known->name), sources);
        }
        if (!place.empty() && std::ranges::find(known->places, place) == known->places.end())
            known->places.push_back(std::move(place));
    }
    return out;
}

std::string no_such_function(std::string_view symbol, const std::vector<std::string>& runtime) {
    // All names begin with cuda, which says nothing about how similar they are.
    constexpr std::string_view prefix = "cuda";
    std::vector<std::string> names;
    for (const std::string& name : runtime)
        if (name.starts_with(prefix)) names.push_back(name.substr(prefix.size()));
    const std::string near =
        symbol.starts_with(prefix) ? closest(symbol.substr(prefix.size()), names) : "";
    return fmt::format(
        "CUDA has no function {}; {}", symbol,
        near.empty() ? "look at its name" : fmt::format("did you mean {}{}?", prefix, near));
}

std::string stand_ins(const std::vector<LackingFunction>& lacking) {
    std::string text = "extern \"C\" int cugrade_lacks(const char*, const char*, int);\n";
    for (const LackingFunction& function : lacking) {
        std::string shown = function.name;
        std::string file;
        int line = 0;
        if (!function.places.empty()) {
            const std::string& first = function.places.front();
            const std::size_t colon = first.rfind(':');
            file = first.substr(0, colon);
            std::from_chars(first.data() + colon + 1, first.data() + first.size(), line);
        }
        if (function.places.size() > 1)
            shown += fmt::format(
                " (called in {})",
                fmt::join(function.places.begin(),
                          function.places.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                        function.places.size(), max_places)),
                          ", "));
        text += fmt::format("extern \"C\" int {}() {{ return cugrade_lacks({}, {}, {}); }}\n",
                            function.name, c_literal(shown), c_literal(file), line);
    }
    return text;
}

}  // namespace cugrade
