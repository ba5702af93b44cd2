#include "timing/counts_cache.hpp"

#include <mutex>
#include <set>

#include <fmt/format.h>

#include "core/files.hpp"
#include "datasets/seeds.hpp"
#include "emulator/counts/json.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

/// The first line of a file; the counts follow it.
std::string header(const seal::Key& grader, const std::string& key, std::string_view counts) {
    return fmt::format("cugrade counts 3 {}\n", grader.mac("counts", {key, counts}));
}

/// Tells once per file that it is not believed.
void warn_not_believed(const fs::path& path) {
    static std::mutex mutex;
    static std::set<fs::path> told;
    const std::lock_guard lock(mutex);
    if (!told.insert(path).second) return;
    fmt::print(stderr,
               "cugrade: note: {}: these counts were damaged, or changed by somebody else than the "
               "grader; they are not used, and counted again\n",
               path.string());
}

}  // namespace

fs::path CountsCache::file_of(const std::string& key) const {
    // A key of one run leaves one file, however many runs there are.
    return folder_ / fmt::format("{}-{}.counts", datasets::sha256(key),
                                 grader_.is_kept() ? grader_.id() : "run");
}

std::optional<emulator::DeviceCounts> CountsCache::find(const std::string& key) const {
    const auto text = read_file(file_of(key));
    if (!text) return std::nullopt;
    const std::string_view counts = std::string_view(*text).substr(text->find('\n') + 1);
    if (*text != header(grader_, key, counts) + std::string(counts)) {
        if (grader_.is_kept()) warn_not_believed(file_of(key));
        return std::nullopt;
    }
    auto read = emulator::counts_from_json(counts);
    if (!read) return std::nullopt;
    return std::move(*read);
}

void CountsCache::keep(const std::string& key, const emulator::DeviceCounts& counts) const {
    std::error_code error;
    fs::create_directories(folder_, error);
    const std::string text = emulator::to_json(counts);
    (void)write_atomically(file_of(key), header(grader_, key, text) + text);
}

}  // namespace cugrade
