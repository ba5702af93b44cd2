#include "timing/counts_cache.hpp"

#include <fmt/format.h>

#include "core/files.hpp"
#include "datasets/seeds.hpp"
#include "emulator/counts/json.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

/// The first line of a file; the counts follow it.
std::string header(const std::string& key, std::string_view counts) {
    return fmt::format("cugrade counts 1 {} {}\n", datasets::sha256(key), datasets::sha256(counts));
}

}  // namespace

fs::path CountsCache::file_of(const std::string& key) const {
    return folder_ / (datasets::sha256(key) + ".counts");
}

std::optional<emulator::DeviceCounts> CountsCache::find(const std::string& key) const {
    const auto text = read_file(file_of(key));
    if (!text) return std::nullopt;
    const std::string_view counts = std::string_view(*text).substr(text->find('\n') + 1);
    if (*text != header(key, counts) + std::string(counts)) return std::nullopt;
    auto read = emulator::counts_from_json(counts);
    if (!read) return std::nullopt;
    return std::move(*read);
}

void CountsCache::keep(const std::string& key, const emulator::DeviceCounts& counts) const {
    std::error_code error;
    fs::create_directories(folder_, error);
    const std::string text = emulator::to_json(counts);
    (void)write_atomically(file_of(key), header(key, text) + text);
}

}  // namespace cugrade
