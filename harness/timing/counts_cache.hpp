// A cache of the counts of the course's own programs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "emulator/counts/counts.hpp"

namespace cugrade {

/// One file per key, for several threads and processes at once. A file carries its key and a
/// checksum: a torn file or another key's file counts as missing, and the next keep() replaces it.
class CountsCache {
public:
    explicit CountsCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

    [[nodiscard]] std::optional<emulator::DeviceCounts> find(const std::string& key) const;
    /// Does nothing if the folder cannot be written.
    void keep(const std::string& key, const emulator::DeviceCounts&) const;
    [[nodiscard]] std::filesystem::path file_of(const std::string& key) const;

private:
    std::filesystem::path folder_;
};

}  // namespace cugrade
