// Archives among the hand-ins of a class. Theory of operation:
//
// Each is unpacked into the batch's own folder, OUT/handins/<assignment>/<student>/, and graded
// like a folder. It appears there by a rename, and then a mark beside it that tells from which
// file. So whenever a batch is killed, what has its mark is whole, and is not unpacked again until
// the archive changes. An archive with the hand-ins of all is unpacked into OUT/handins/.class/
// before anybody looks for submissions; the archives in it are hand-ins.
#pragma once

#include <filesystem>

#include "cli/batch_plan.hpp"
#include "core/error.hpp"

namespace cugrade::cli {

/// Whether what a batch should grade is one archive and no folder.
[[nodiscard]] bool is_class_archive(const std::filesystem::path&);

/// Unpacks it below `out`, which must be locked. Returns the folder of the hand-ins.
[[nodiscard]] Result<std::filesystem::path> unpack_class(const std::filesystem::path& archive,
                                                         const std::filesystem::path& out);

/// Unpacks the items that are archives below `out`, which must be locked: then their source is what
/// came out, or they have a problem. Errors: the marks cannot be written.
[[nodiscard]] Status unpack_handins(BatchPlan&, const std::filesystem::path& out);

/// What a batch that was killed had not finished.
void remove_unfinished_handins(const std::filesystem::path& out);

}  // namespace cugrade::cli
