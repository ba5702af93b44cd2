// A cache of the counts of the course's own programs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "emulator/counts/counts.hpp"
#include "seal/key.hpp"

namespace cugrade {

/// One file per key, for several threads and processes at once. A file carries a code of the
/// grader's key (seal/key.hpp) over its key and its counts: a torn file, another key's file or one
/// that somebody else has made is told on standard error and counts as missing, and the next keep()
/// replaces it.
class CountsCache {
public:
    CountsCache(std::filesystem::path folder, seal::Key grader)
        : folder_(std::move(folder)), grader_(std::move(grader)) {}

    [[nodiscard]] std::optional<emulator::DeviceCounts> find(const std::string& key) const;
    /// Does nothing if the folder cannot be written.
    void keep(const std::string& key, const emulator::DeviceCounts&) const;
    [[nodiscard]] std::filesystem::path file_of(const std::string& key) const;

private:
    std::filesystem::path folder_;
    seal::Key grader_;
};

}  // namespace cugrade
