// Keeps builds, one folder per key. The key is made of everything that went into the build.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "build/build.hpp"
#include "core/error.hpp"
#include "seal/key.hpp"

namespace cugrade {

/// Safe between threads and processes: an entry appears whole, by a rename, and is never changed.
class BuildCache {
public:
    /// cache_folder()/builds, at most $CUGRADE_CACHE_LIMIT large (bytes, or with K, M or G; default
    /// 2G). If nothing can be written there: a folder that is removed when this process ends, after
    /// one warning on standard error; and the same if the grader's key cannot be kept. Errors: that
    /// folder cannot be made either, the limit makes no sense, or the key's file is not as it
    /// should be (seal::grader_key()).
    [[nodiscard]] static Result<BuildCache> open();
    /// Why nothing can be kept in cache_folder()/builds; nothing if it can.
    [[nodiscard]] static std::optional<Error> why_not_kept();
    BuildCache(std::filesystem::path folder, std::uint64_t limit, seal::Key grader)
        : folder_(std::move(folder)), limit_(limit), grader_(std::move(grader)) {}

    /// Nothing if there is no entry, or this grader has not made it as it is: that is told on
    /// standard error.
    [[nodiscard]] std::optional<BuildOutcome> find(const std::string& key) const;

    /// Stores `outcome`, with a copy of `outcome.build->executable` if there is a build, and
    /// returns it with the path in the cache. An outcome stored under an empty key is never found
    /// again, and is gone with this process.
    [[nodiscard]] Result<BuildOutcome> store(const std::string& key, BuildOutcome outcome) const;

    /// A text that store_note() left under this key.
    [[nodiscard]] std::optional<std::string> find_note(const std::string& key) const;
    /// Replaces an older note. If the note cannot be written, there is none afterwards.
    void store_note(const std::string& key, std::string_view text) const;

    /// Removes what killed processes had begun to put there.
    void remove_abandoned() const;
    /// Does that, and removes the entries that have been unused for longest, until the rest fits.
    void prune() const;

private:
    [[nodiscard]] Result<BuildOutcome> store_here(const std::string& key, BuildOutcome) const;

    /// The names hold the key's id, so that graders with other keys do not replace each other's.
    [[nodiscard]] std::filesystem::path entry_of(const std::string& key) const;
    [[nodiscard]] std::filesystem::path note_of(const std::string& key) const;

    std::filesystem::path folder_;
    std::uint64_t limit_;
    seal::Key grader_;
};

}  // namespace cugrade
