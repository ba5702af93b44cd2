// The mark that a graded submission has in a batch's folder: by it --resume knows that the reports
// are the grader's own, for this student and for what would be graded today.
#pragma once

#include <string>
#include <string_view>

#include "seal/key.hpp"

namespace cugrade::cli {

/// What one grading in a batch was of.
struct Graded {
    std::string assignment;
    std::string student;
    std::string inputs;   ///< a digest of all that the reports depend on, the submission first
    std::string reports;  ///< a digest of the reports' files
};

/// The text of a mark.
[[nodiscard]] std::string make_mark(const seal::Key&, const Graded&);

enum class Mark {
    good,
    outdated,        ///< the grader's own, of other inputs
    report_changed,  ///< the grader's own, and the reports are not those that it wrote
    foreign,         ///< not made by this grader for this student and assignment
};
/// What a mark says of what would be graded today and of the reports that lie there.
[[nodiscard]] Mark judge_mark(const seal::Key&, const Graded&, std::string_view mark);

}  // namespace cugrade::cli
