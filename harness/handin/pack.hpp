// Files as one .zip.
#pragma once

#include <string>
#include <vector>

#include "core/error.hpp"

namespace cugrade::handin {

struct PackedFile {
    std::string name;  ///< in the archive, with / between folders
    std::string content;
    bool is_program = false;  ///< may be executed
};

/// The bytes of an archive with these files, the same for the same files. Errors: libarchive is not
/// there, or fails.
[[nodiscard]] Result<std::string> zip_of(const std::vector<PackedFile>&);

}  // namespace cugrade::handin
