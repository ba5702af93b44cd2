// Builds that were made before, by what went into them: one folder per key.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/error.hpp"
#include "grader/build.hpp"

namespace cugrade {

/// Safe between threads and processes: an entry appears whole, by a rename, and is never changed.
class BuildCache {
public:
    /// cache_folder()/builds, at most $CUGRADE_CACHE_LIMIT large (bytes, or with K, M or G; default
    /// 2G). Errors: the folder cannot be made, the limit makes no sense.
    [[nodiscard]] static Result<BuildCache> open();
    BuildCache(std::filesystem::path folder, std::uint64_t limit)
        : folder_(std::move(folder)), limit_(limit) {}

    /// Nothing if there is no entry or it is damaged.
    [[nodiscard]] std::optional<BuildOutcome> find(const std::string& key) const;

    /// Takes `outcome` in, with a copy of `outcome.build->executable` if there is a build, and
    /// gives it back as it lies in the cache. An empty key stores what is never found again.
    [[nodiscard]] Result<BuildOutcome> store(const std::string& key, BuildOutcome outcome) const;

    /// Removes the entries that were not used for longest until the rest fits.
    void prune() const;

private:
    std::filesystem::path folder_;
    std::uint64_t limit_;
};

}  // namespace cugrade
