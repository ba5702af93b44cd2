// Theory of operation. An entry is a folder <key>/ with `outcome`, a small text file that carries
// its own checksum. After a success the folder also has `runner`, and `outcome` holds its SHA-256.
// An entry is put together in a folder of another name and then renamed, so a reader sees all of it
// or nothing, even if the writer is killed. A damaged entry (its disk was full, its file was
// edited) counts as missing and is replaced. If the cache folder cannot be written or its disk is
// full, outcomes go to a folder of this process, so grading works without a cache. A hit renews the
// folder's time stamp, and the oldest entries are removed when the cache is too large.
#include "build/build_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include "core/files.hpp"
#include "datasets/seeds.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "cugrade build 1 ";
constexpr std::string_view staging_prefix = ".new-";
constexpr std::string_view unkeyed_prefix = "once-";
constexpr std::string_view note_suffix = ".note";
/// Younger entries may be about to be run by another process.
constexpr std::chrono::minutes in_use{30};
constexpr std::chrono::hours abandoned{24};
constexpr std::string_view runs_no_program =
    "is on a file system from which no program can be run (noexec)";

std::string serialise(const BuildOutcome& outcome, const std::string& executable_sha256) {
    const std::string& message = outcome.failure ? outcome.failure->message : std::string();
    const std::string& output =
        outcome.failure ? outcome.failure->compiler_output : outcome.build->compiler_output;
    const std::string body = fmt::format(
        "{}\n{}\n{}\n{}{}", name(outcome.failure ? outcome.failure->verdict : Verdict::accepted),
        executable_sha256, message.size(), message, output);
    return fmt::format("{}{}\n{}", magic, datasets::sha256(body), body);
}

/// The text up to the next newline, which is taken off `rest`.
std::string_view take_line(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line;
}

std::optional<BuildOutcome> read_entry(const fs::path& entry) {
    const auto text = read_file(entry / "outcome");
    if (!text || !text->starts_with(magic)) return std::nullopt;
    std::string_view rest(*text);
    rest.remove_prefix(magic.size());
    const std::string_view checksum = take_line(rest);
    if (datasets::sha256(rest) != checksum) return std::nullopt;
    const auto verdict = verdict_from_name(take_line(rest));
    const std::string_view executable_sha256 = take_line(rest);
    const std::string_view size = take_line(rest);
    std::size_t message_bytes = 0;
    std::from_chars(size.data(), size.data() + size.size(), message_bytes);
    if (!verdict || message_bytes > rest.size()) return std::nullopt;
    const std::string message(rest.substr(0, message_bytes));
    const std::string output(rest.substr(message_bytes));
    BuildOutcome outcome;
    if (*verdict != Verdict::accepted) {
        outcome.failure = BuildFailure{*verdict, message, output};
        return outcome;
    }
    const auto executable = read_file(entry / "runner");
    if (!executable || datasets::sha256(*executable) != executable_sha256) return std::nullopt;
    outcome.build =
        Build{.executable = entry / "runner", .compiler_output = output, .from_cache = true};
    return outcome;
}

Error cannot_write(const fs::path& folder, const std::string& why) {
    return {.message = "the cache cannot be written: " + why,
            .file = folder.string(),
            .remedy = "make room there, or set XDG_CACHE_HOME to a folder that can be written"};
}

Status write_file(const fs::path& path, std::string_view bytes) {
    std::ofstream out(path, std::ios::binary);
    out << bytes;
    out.close();
    if (!out) return cannot_write(path.parent_path(), std::strerror(errno));
    return Done{};
}

Result<fs::path> make_folder(const fs::path& in, std::string_view prefix) {
    auto folder = make_unique_folder(in, prefix);
    return folder ? folder : cannot_write(in, folder.error().message);
}

/// The folder for outcomes that the cache cannot keep. Made when first needed, removed when the
/// process ends.
Result<fs::path> folder_of_process() {
    static std::mutex mutex;
    static std::optional<TemporaryFolder> folder;
    const std::lock_guard lock(mutex);
    if (!folder) {
        auto made = TemporaryFolder::make("cugrade-builds-");
        if (!made) return made.error();
        if (is_noexec(made->path()))
            return Error{
                .message = fmt::format("the folder for temporary files {}", runs_no_program),
                .file = made->path().parent_path().string(),
                .remedy = "set XDG_CACHE_HOME or TMPDIR to a folder on another file system"};
        folder.emplace(*std::move(made));
    }
    return folder->path();
}

/// Warns once per process.
void warn_not_kept(const Error& why) {
    static std::once_flag said;
    std::call_once(said, [&why] {
        fmt::print(stderr, "cugrade: warning: {}: {}; going on without one\n  {}\n", why.file,
                   why.message, why.remedy);
    });
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
    constexpr std::string_view units = "KMG";
    const std::size_t unit = units.find(suffix);  // 0 too for no suffix
    const std::size_t power = suffix.empty() ? 0 : unit + 1;
    if (suffix.size() > 1 || unit == std::string_view::npos ||
        value > (~std::uint64_t{0} >> (10 * power)))
        return std::nullopt;
    return value << (10 * power);
}

}  // namespace

Result<BuildCache> BuildCache::open() {
    std::uint64_t limit = std::uint64_t{2} << 30;
    if (const char* text = std::getenv("CUGRADE_CACHE_LIMIT"); text != nullptr && *text != '\0') {
        const auto parsed = parse_size(text);
        if (!parsed)
            return Error{
                .kind = ErrorKind::configuration,
                .message = fmt::format("CUGRADE_CACHE_LIMIT is \"{}\", which is no size", text),
                .remedy = "give bytes, or a number with K, M or G: 2G"};
        limit = *parsed;
    }
    if (const auto why = why_not_kept()) {
        warn_not_kept(*why);
        auto folder = folder_of_process();
        if (!folder) return folder.error();
        return BuildCache(*std::move(folder), limit);
    }
    return BuildCache(cache_folder() / "builds", limit);
}

std::optional<Error> BuildCache::why_not_kept() {
    const fs::path folder = cache_folder() / "builds";
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return cannot_write(folder, error.message());
    auto probe = make_folder(folder, staging_prefix);  // asks the disk, too
    if (!probe) return cannot_write(folder, probe.error().message);
    fs::remove(*probe, error);
    if (is_noexec(folder))  // runners are started from the cache
        return Error{.message = fmt::format("the cache {}", runs_no_program),
                     .file = folder.string(),
                     .remedy = "set XDG_CACHE_HOME to a folder on another file system"};
    return std::nullopt;
}

std::optional<BuildOutcome> BuildCache::find(const std::string& key) const {
    const fs::path entry = folder_ / key;
    auto outcome = read_entry(entry);
    if (outcome) ::utimensat(AT_FDCWD, entry.c_str(), nullptr, 0);  // used now
    return outcome;
}

Result<BuildOutcome> BuildCache::store(const std::string& key, BuildOutcome outcome) const {
    auto stored = store_here(key, outcome);
    if (stored) return stored;
    auto folder = folder_of_process();
    if (!folder || *folder == folder_) return stored;
    warn_not_kept(stored.error());
    return BuildCache(*std::move(folder), limit_).store_here(key, std::move(outcome));
}

Result<BuildOutcome> BuildCache::store_here(const std::string& key, BuildOutcome outcome) const {
    const bool keyed = !key.empty();
    auto staging = make_folder(folder_, keyed ? staging_prefix : unkeyed_prefix);
    if (!staging) return staging.error();
    std::error_code error;
    const auto give_up = [&](const Error& why) {
        fs::remove_all(*staging, error);
        return why;
    };
    std::string sha256;
    if (outcome.build) {
        fs::copy_file(outcome.build->executable, *staging / "runner", error);
        if (error) {  // on a full disk, the standard library only says that input or output failed
            std::error_code unknown;
            const bool full = fs::space(folder_, unknown).available <
                              fs::file_size(outcome.build->executable, unknown);
            return give_up(
                cannot_write(folder_, full && !unknown ? std::strerror(ENOSPC) : error.message()));
        }
        const auto bytes = read_file(*staging / "runner");
        if (!bytes) return give_up(cannot_write(folder_, "what was written cannot be read"));
        sha256 = datasets::sha256(*bytes);
        outcome.build->executable = *staging / "runner";
    }
    if (!keyed) return outcome;
    if (auto status = write_file(*staging / "outcome", serialise(outcome, sha256)); !status)
        return give_up(status.error());

    const fs::path entry = folder_ / key;
    // Another process was faster: its entry is as good, unless it is damaged.
    for (int attempt = 0; ::rename(staging->c_str(), entry.c_str()) != 0; ++attempt) {
        if ((errno != ENOTEMPTY && errno != EEXIST) || attempt == 3)
            return give_up(cannot_write(folder_, std::strerror(errno)));
        if (auto theirs = read_entry(entry)) {
            fs::remove_all(*staging, error);
            break;
        }
        if (auto aside = make_folder(folder_, staging_prefix)) {
            ::rename(entry.c_str(), (*aside / "damaged").c_str());
            fs::remove_all(*aside, error);
        }
    }
    if (outcome.build) outcome.build->executable = entry / "runner";
    prune();
    return outcome;
}

std::optional<std::string> BuildCache::find_note(const std::string& key) const {
    auto text = read_file(folder_ / (key + std::string(note_suffix)));
    if (!text || !text->starts_with(magic)) return std::nullopt;
    std::string_view rest(*text);
    rest.remove_prefix(magic.size());
    const std::string_view checksum = take_line(rest);
    if (datasets::sha256(rest) != checksum) return std::nullopt;
    ::utimensat(AT_FDCWD, (folder_ / (key + std::string(note_suffix))).c_str(), nullptr, 0);
    return std::string(rest);
}

void BuildCache::store_note(const std::string& key, std::string_view text) const {
    const fs::path note = folder_ / (key + std::string(note_suffix));
    std::error_code error;
    if (!write_atomically(note, fmt::format("{}{}\n{}", magic, datasets::sha256(text), text)))
        fs::remove(note, error);
}

void BuildCache::prune() const {
    struct Entry {
        fs::path path;
        fs::file_time_type used;
        std::uint64_t bytes = 0;
    };
    const auto now = fs::file_time_type::clock::now();
    std::vector<Entry> entries;
    std::uint64_t total = 0;
    std::error_code error;
    for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
        std::error_code gone;  // another process prunes too
        Entry entry{it->path(), fs::last_write_time(it->path(), gone)};
        if (gone) continue;
        const std::string name = entry.path.filename().string();
        if (name.starts_with(staging_prefix) || name.starts_with(unkeyed_prefix)) {
            if (now - entry.used > abandoned) fs::remove_all(entry.path, gone);
            continue;
        }
        for (const char* part : {"outcome", "runner", ""}) {
            const fs::path file = *part == '\0' ? entry.path : entry.path / part;
            const auto bytes = fs::is_directory(file, gone) ? 0 : fs::file_size(file, gone);
            if (!gone) entry.bytes += bytes;
        }
        total += entry.bytes;
        entries.push_back(std::move(entry));
    }
    std::ranges::sort(entries, {}, &Entry::used);
    for (const Entry& entry : entries) {
        if (total <= limit_ || now - entry.used < in_use) return;
        fs::remove_all(entry.path, error);
        total -= entry.bytes;
    }
}

}  // namespace cugrade
