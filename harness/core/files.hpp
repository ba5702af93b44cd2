// Reading files, and folders that nobody else has.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace cugrade {

/// What the system says of a file: "cannot read: No such file or directory".
[[nodiscard]] Error cannot(std::string_view what, const std::filesystem::path&, int error_number);

[[nodiscard]] Result<std::string> read_file(const std::filesystem::path&);

/// Makes a folder in `parent` whose name begins with the prefix.
[[nodiscard]] Result<std::filesystem::path> make_unique_folder(const std::filesystem::path& parent,
                                                               std::string_view prefix);

/// A folder among the system's temporary files, gone with this object.
class TemporaryFolder {
public:
    [[nodiscard]] static Result<TemporaryFolder> make(std::string_view prefix);
    TemporaryFolder(TemporaryFolder&&) noexcept;
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;
    ~TemporaryFolder();
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_;  ///< empty: moved from
};

}  // namespace cugrade
