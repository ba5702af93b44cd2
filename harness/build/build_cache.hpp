// Keeps builds, one folder per key. The key is made of everything that went into the build.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "build/build.hpp"
#include "core/error.hpp"

namespace cugrade {

/// Safe between threads and processes: an entry appears whole, by a rename, and is never changed.
class BuildCache {
public:
    /// cache_folder()/builds, at most $CUGRADE_CACHE_LIMIT large (bytes, or with K, M or G; default
    /// 2G). If nothing can be written there: a folder that is removed when this process ends, after
    /// one warning on standard error. Errors: that folder cannot be made either, or the limit makes
    /// no sense.
    [[nodiscard]] static Result<BuildCache> open();
    /// Why nothing can be kept in cache_folder()/builds; nothing if it can.
    [[nodiscard]] static std::optional<Error> why_not_kept();
    BuildCache(std::filesystem::path folder, std::uint64_t limit)
        : folder_(std::move(folder)), limit_(limit) {}

    /// Nothing if there is no entry or it is damaged.
    [[nodiscard]] std::optional<BuildOutcome> find(const std::string& key) const;

    /// Stores `outcome`, with a copy of `outcome.build->executable` if there is a build, and
    /// returns it with the path in the cache. An outcome stored under an empty key is never found
    /// again.
    [[nodiscard]] Result<BuildOutcome> store(const std::string& key, BuildOutcome outcome) const;

    /// A text that store_note() left under this key.
    [[nodiscard]] std::optional<std::string> find_note(const std::string& key) const;
    /// Replaces an older note. If the note cannot be written, there is none afterwards.
    void store_note(const std::string& key, std::string_view text) const;

    /// Removes the entries that have been unused for longest, until the rest fits.
    void prune() const;

private:
    [[nodiscard]] Result<BuildOutcome> store_here(const std::string& key, BuildOutcome) const;

    std::filesystem::path folder_;
    std::uint64_t limit_;
};

}  // namespace cugrade
