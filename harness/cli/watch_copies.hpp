// Copies of hand-ins that wait to be graded, in the folder of the class: what lands later in the
// folder of hand-ins cannot change them, and they outlive a watch that is killed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/batch_plan.hpp"
#include "cli/watch_queue.hpp"
#include "core/error.hpp"

namespace cugrade::cli {

class WatchCopies {
public:
    /// `out`: the folder of the class, which must be locked.
    explicit WatchCopies(const std::filesystem::path& out);

    /// Copies the files that count of a hand-in, which is unpacked. What cannot be copied, because
    /// it is none or may not be read, is graded where it lies: nobody's work is in it. Errors: the
    /// copy cannot be written.
    [[nodiscard]] Result<LandedCopy> make(const BatchItem&, std::int64_t landed_at) const;
    /// Those of an earlier watch, oldest first. Their lateness is not known.
    [[nodiscard]] std::vector<LandedCopy> left() const;
    void remove(const LandedCopy&) const;
    /// When nothing is copied any more: a copy that is being made needs the folders above it.
    void remove_empty_folders() const;

private:
    std::filesystem::path folder_;
};

}  // namespace cugrade::cli
