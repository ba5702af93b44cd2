// A folder that is filled with files of which somebody else chose the names.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "process/descriptor.hpp"

namespace cugrade::handin {

/// Makes files and folders below a folder of its own, and never opens what was there before. Each
/// step of a path is taken from the folder before it and follows no link, so nothing that appears
/// in the folder meanwhile leads out of it.
class NewFolder {
public:
    /// Makes the folder; it must not be there.
    [[nodiscard]] static Result<NewFolder> make(std::filesystem::path path);

    NewFolder(NewFolder&&) noexcept = default;
    NewFolder& operator=(NewFolder&&) = delete;
    /// Removes the folder with all that is in it, unless it was kept.
    ~NewFolder();
    void keep() { is_kept_ = true; }

    /// Both make the folders above, too. Nobody may execute the file. Errors are of kind submission
    /// where the names contradict each other.
    [[nodiscard]] Status add_folder(const std::vector<std::string>& parts);
    [[nodiscard]] Result<process::Descriptor> add_file(const std::vector<std::string>& parts);

    /// Files and folders that were made.
    [[nodiscard]] std::size_t entries() const { return entries_; }

private:
    NewFolder(std::filesystem::path path, process::Descriptor root)
        : path_(std::move(path)), root_(std::move(root)) {}
    /// Opens the folder of the first `depth` parts.
    [[nodiscard]] Result<process::Descriptor> open_folder(const std::vector<std::string>& parts,
                                                          std::size_t depth);

    std::filesystem::path path_;
    process::Descriptor root_;  ///< closed: moved from
    std::size_t entries_ = 0;
    bool is_kept_ = false;
};

}  // namespace cugrade::handin
