// Which files are archives, by their names.
#pragma once

#include <string>
#include <string_view>

namespace cugrade::handin {

enum class ArchiveName {
    none,
    opened,  ///< .zip, .tar, .tar.gz, .tgz, .tar.xz, .txz: unpack() opens these
    other,   ///< an archive, or something compressed, that unpack() does not open
};

/// Capital and small letters are the same: Windows writes .ZIP.
[[nodiscard]] ArchiveName kind_of(std::string_view file_name);

/// The name of a file that unpack() opens, without .zip or .tar.gz; another name as it is.
[[nodiscard]] std::string stem_of(std::string_view file_name);

}  // namespace cugrade::handin
