// Seals reports and tells whether one was changed since.
//
// Theory of operation. A report is cut into sections: each of its top keys, and each task. The seal
// lists the SHA-256 of each section (of its JSON with sorted keys, so that YAML and JSON agree and
// white space does not count); the list carries a code of the grader's key and, if the course
// signs, an Ed25519 signature. A list that is intact names the sections that were changed, taken
// out or added; if the list itself is not intact, nothing more can be told.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/report.hpp"
#include "seal/key.hpp"
#include "seal/signature.hpp"

namespace cugrade::report {

struct Sealer {
    seal::Key key;
    std::optional<seal::SigningKey> signing;  ///< the course signs its reports
};

/// The report as every writer shows it, with its seal.
[[nodiscard]] Report sealed(Report, const Sealer&);

/// Who has to have sealed a report: the grader with this key, or a course.
struct Trusted {
    std::optional<seal::Key> key;
    std::optional<seal::PublicKey> course;
};

/// What is wrong with a report, sentence by sentence; empty: intact. `text` is JSON or YAML.
/// Errors: it is no report at all.
[[nodiscard]] Result<std::vector<std::string>> what_was_changed(std::string_view text,
                                                                const Trusted&);

}  // namespace cugrade::report
