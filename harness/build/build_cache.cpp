// Theory of operation. An entry is a folder <key>-<key id>/ with `outcome`, a small text file that
// carries a code of the grader's key (seal/key.hpp) over the entry's key and its own content. After
// a success the folder also has `runner`, and `outcome` holds its SHA-256. So nobody without the
// key can make an entry, change one, or pass one off under another key. An entry is put together in
// a folder of another name and then renamed, so a reader sees all of it or nothing, even if the
// writer is killed; what a killed writer left is removed when the next one prunes. A damaged entry
// (its disk was full, its file was edited) is told on standard error, counts as missing and is
// replaced. If the cache folder cannot be written or its disk is full, outcomes go to a folder of
// this process, so grading works without a cache. A hit renews the folder's time stamp, and the
// oldest entries are removed when the cache is too large.
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
#include <set>
#include <vector>

#include <fmt/format.h>

#include "core/files.hpp"
#include "datasets/seeds.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "cugrade build 2 ";
constexpr std::string_view entry_purpose = "build cache entry";
constexpr std::string_view note_purpose = "build cache note";
constexpr std::string_view staging_prefix = ".making-";
constexpr std::string_view unkeyed_prefix = "once-";
constexpr std::string_view note_suffix = ".note";
/// Younger entries may be about to be run by another process.
constexpr std::chrono::minutes in_use{30};
constexpr std::string_view runs_no_program =
    "is on a file system from which no program can be run (noexec)";

/// A file of the cache: the magic, a code over `key` and `body`, and the body.
std::string seal_text(const seal::Key& grader, std::string_view purpose, const std::string& key,
                      std::string_view body) {
    return fmt::format("{}{}\n{}", magic, grader.mac(purpose, {key, body}), body);
}

std::string serialise(const BuildOutcome& outcome, const std::string& executable_sha256) {
    const std::string& message = outcome.failure ? outcome.failure->message : std::string();
    const std::string& output =
        outcome.failure ? outcome.failure->compiler_output : outcome.build->compiler_output;
    return fmt::format("{}\n{}\n{}\n{}{}",
                       name(outcome.failure ? outcome.failure->verdict : Verdict::accepted),
                       executable_sha256, message.size(), message, output);
}

/// The text up to the next newline, which is taken off `rest`.
std::string_view take_line(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line;
}

/// The body of a text that seal_text() made for this key; nothing if it did not.
std::optional<std::string_view> open_text(const seal::Key& grader, std::string_view purpose,
                                          const std::string& key, std::string_view text) {
    if (!text.starts_with(magic)) return std::nullopt;
    text.remove_prefix(magic.size());
    const std::string_view code = take_line(text);
    if (!grader.made(code, purpose, {key, text})) return std::nullopt;
    return text;
}

/// Tells once per file that it is not believed.
void warn_not_believed(const fs::path& path) {
    static std::mutex mutex;
    static std::set<fs::path> told;
    const std::lock_guard lock(mutex);
    if (!told.insert(path).second) return;
    fmt::print(
        stderr,
        "cugrade: note: {}: this entry of the cache was damaged, or changed by somebody else "
        "than the grader; it is not used, and built again\n",
        path.string());
}

std::optional<BuildOutcome> read_sealed_entry(const fs::path& entry, const seal::Key& grader,
                                              const std::string& key) {
    const auto text = read_file(entry / "outcome");
    if (!text) return std::nullopt;
    const auto body = open_text(grader, entry_purpose, key, *text);
    if (!body) return std::nullopt;
    std::string_view rest = *body;
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

std::optional<BuildOutcome> read_entry(const fs::path& entry, const seal::Key& grader,
                                       const std::string& key) {
    auto outcome = read_sealed_entry(entry, grader, key);
    std::error_code error;
    if (!outcome && fs::exists(fs::symlink_status(entry, error))) warn_not_believed(entry);
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

Result<TemporaryFolder> make_folder(const fs::path& in, std::string_view prefix) {
    auto folder = TemporaryFolder::make_in(in, prefix);
    if (!folder) return cannot_write(in, folder.error().message);
    return folder;
}

/// Keeps an outcome without a key as long as this process may run it.
void keep_until_exit(TemporaryFolder folder) {
    static std::mutex mutex;
    static std::vector<TemporaryFolder> kept;
    const std::lock_guard lock(mutex);
    kept.push_back(std::move(folder));
}

/// The folder for outcomes that the cache cannot keep. Made when first needed, removed when the
/// process ends.
Result<fs::path> folder_of_process() {
    static std::mutex mutex;
    static std::optional<TemporaryFolder> folder;
    const std::lock_guard lock(mutex);
    if (!folder) {
        auto made = TemporaryFolder::make("builds");
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
    auto key = seal::grader_key();
    if (!key) return key.error();
    const auto why = why_not_kept();
    if (why) warn_not_kept(*why);
    if (why ||
        !key->is_kept()) {  // no later run would believe what is kept under a key of this run
        auto folder = folder_of_process();
        if (!folder) return folder.error();
        return BuildCache(*std::move(folder), limit, *std::move(key));
    }
    return BuildCache(cache_folder() / "builds", limit, *std::move(key));
}

std::optional<Error> BuildCache::why_not_kept() {
    const fs::path folder = cache_folder() / "builds";
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return cannot_write(folder, error.message());
    if (const auto probe = make_folder(folder, staging_prefix); !probe)  // asks the disk, too
        return probe.error();
    if (is_noexec(folder))  // runners are started from the cache
        return Error{.message = fmt::format("the cache {}", runs_no_program),
                     .file = folder.string(),
                     .remedy = "set XDG_CACHE_HOME to a folder on another file system"};
    return std::nullopt;
}

fs::path BuildCache::entry_of(const std::string& key) const {
    return folder_ / fmt::format("{}-{}", key, grader_.id());
}

fs::path BuildCache::note_of(const std::string& key) const {
    return folder_ / fmt::format("{}-{}{}", key, grader_.id(), note_suffix);
}

std::optional<BuildOutcome> BuildCache::find(const std::string& key) const {
    const fs::path entry = entry_of(key);
    auto outcome = read_entry(entry, grader_, key);
    if (outcome) ::utimensat(AT_FDCWD, entry.c_str(), nullptr, 0);  // used now
    return outcome;
}

Result<BuildOutcome> BuildCache::store(const std::string& key, BuildOutcome outcome) const {
    auto stored = store_here(key, outcome);
    if (stored) return stored;
    auto folder = folder_of_process();
    if (!folder || *folder == folder_) return stored;
    warn_not_kept(stored.error());
    return BuildCache(*std::move(folder), limit_, grader_).store_here(key, std::move(outcome));
}

Result<BuildOutcome> BuildCache::store_here(const std::string& key, BuildOutcome outcome) const {
    const bool keyed = !key.empty();
    auto staging = make_folder(folder_, keyed ? staging_prefix : unkeyed_prefix);
    if (!staging) return staging.error();
    const fs::path made = staging->path();
    std::error_code error;
    std::string sha256;
    if (outcome.build) {
        fs::copy_file(outcome.build->executable, made / "runner", error);
        if (error) {  // on a full disk, the standard library only says that input or output failed
            std::error_code unknown;
            const bool full = fs::space(folder_, unknown).available <
                              fs::file_size(outcome.build->executable, unknown);
            return cannot_write(folder_,
                                full && !unknown ? std::strerror(ENOSPC) : error.message());
        }
        const auto bytes = read_file(made / "runner");
        if (!bytes) return cannot_write(folder_, "what was written cannot be read");
        sha256 = datasets::sha256(*bytes);
        outcome.build->executable = made / "runner";
    }
    if (!keyed) {
        keep_until_exit(*std::move(staging));
        return outcome;
    }
    if (auto status = write_file(
            made / "outcome", seal_text(grader_, entry_purpose, key, serialise(outcome, sha256)));
        !status)
        return status.error();

    const fs::path entry = entry_of(key);
    // Another process was faster: its entry is as good, unless it is damaged.
    bool is_ours = true;
    for (int attempt = 0; is_ours && ::rename(made.c_str(), entry.c_str()) != 0; ++attempt) {
        if ((errno != ENOTEMPTY && errno != EEXIST) || attempt == 3)
            return cannot_write(folder_, std::strerror(errno));
        if (read_entry(entry, grader_, key))
            is_ours = false;
        else if (const auto aside = make_folder(folder_, staging_prefix))
            ::rename(entry.c_str(), (aside->path() / "damaged").c_str());
    }
    if (is_ours) staging->keep();
    if (outcome.build) outcome.build->executable = entry / "runner";
    prune();
    return outcome;
}

std::optional<std::string> BuildCache::find_note(const std::string& key) const {
    const auto text = read_file(note_of(key));
    if (!text) return std::nullopt;
    const auto body = open_text(grader_, note_purpose, key, *text);
    if (!body) {
        warn_not_believed(note_of(key));
        return std::nullopt;
    }
    ::utimensat(AT_FDCWD, note_of(key).c_str(), nullptr, 0);
    return std::string(*body);
}

void BuildCache::store_note(const std::string& key, std::string_view text) const {
    std::error_code error;
    if (!write_atomically(note_of(key), seal_text(grader_, note_purpose, key, text)))
        fs::remove(note_of(key), error);
}

void BuildCache::remove_abandoned() const {
    for (const std::string_view prefix : {staging_prefix, unkeyed_prefix})
        remove_abandoned_folders(folder_, prefix);
    remove_unfinished_files(folder_);
}

void BuildCache::prune() const {
    remove_abandoned();
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
        if (name.starts_with(staging_prefix) || name.starts_with(unkeyed_prefix)) continue;
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
