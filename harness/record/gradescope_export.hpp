// What Gradescope's *Export Submissions* says of hand-ins: submission_metadata.yml, which lies at
// the top of the export beside a folder for each submission.
//
//   submission_4567:
//     :submitters:
//     - :name: Ada Lovelace
//       :sid: '5107'
//       :email: ada@example.edu
//     :created_at: 2026-11-30 22:59:12.345678000 Z
//
// Gradescope's server writes it in Ruby, hence the colons; of a time it may write all that its
// object holds, and the time itself is `utc` then. Other keys (:score:, :status:, :history:) are
// passed over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "record/roster.hpp"

namespace cugrade::record {

constexpr std::string_view gradescope_metadata = "submission_metadata.yml";

struct ExportedSubmission {
    std::string name;  ///< of the folder or file
    int line = 0;      ///< where the metadata name it
    std::vector<Submitter> submitters;
    std::optional<std::int64_t> created_at = {};  ///< seconds since 1970; nothing: it is not told
};

/// In the order of the file, which is for errors: it is no YAML or not of this form, a submission
/// is in it twice, a submitter has neither sid nor email nor name, a time is none.
[[nodiscard]] Result<std::vector<ExportedSubmission>> read_gradescope_export(
    std::string_view text, const std::string& file);

}  // namespace cugrade::record
