// The attempts of a class while a batch grades it: those that the record has from earlier batches,
// and those of this one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "build/course.hpp"
#include "cli/batch_plan.hpp"
#include "record/record.hpp"
#include "record/rows.hpp"
#include "report/seal.hpp"

namespace cugrade::cli {

class BatchAttempts {
public:
    /// Reads those of the record. If the grader's key is not kept, only those of this process can
    /// be believed. Throws Failure.
    BatchAttempts(record::Record&, const report::Sealer&, const Course&,
                  std::vector<record::Rules>);

    [[nodiscard]] const std::vector<record::Rules>& rules() const { return rules_; }
    /// The newest that the record has of a student, also where it cannot be believed. Null: none.
    [[nodiscard]] const record::Record::Kept* newest(const BatchItem&) const;

    /// A hand-in that was there before came when the record says, unless its entry knows better.
    /// `entries` begin with the items'.
    void keep_times(const std::vector<BatchItem>&, std::vector<record::Entry>& entries) const;

    /// Computes the points of attempts anew, if the policy has changed since. Those that are handed
    /// in now are left out, for they are graded.
    void rescore(const std::vector<BatchItem>&);

    /// The rows of the class. `newest` are the first entries' attempts of this batch; one with the
    /// number 0 is not graded yet, and none of the student's earlier ones may stand in for it.
    [[nodiscard]] std::vector<record::Row> rows(const std::vector<record::Entry>&,
                                                const std::vector<record::Attempt>& newest,
                                                const std::vector<record::Decision>&) const;

    /// The same for one student.
    [[nodiscard]] record::Row row(const record::Entry&, const record::Attempt& newest,
                                  const std::vector<record::Decision>&) const;

    /// Removes from the folder of the class the reports and pages of students who have handed in
    /// nothing any more, at assignments that this batch grades. The record keeps their gradings.
    /// Returns them for the end of a batch: "eve (scan)".
    [[nodiscard]] std::vector<std::string> remove_departed(const std::filesystem::path& out,
                                                           const std::vector<BatchItem>&) const;

    /// For the end of a batch: earlier attempts of these rows that count for nothing, and why.
    [[nodiscard]] std::vector<std::string> lost(const std::vector<record::Row>&) const;

private:
    [[nodiscard]] const record::Record::Kept* newest(const record::Who&) const;
    /// The student's attempts with the one of this batch, oldest first.
    [[nodiscard]] std::vector<record::Attempt> with_newest(const record::Who&,
                                                           const record::Attempt& newest) const;
    /// Whether a hand-in is the newest that the record has, byte by byte.
    [[nodiscard]] bool was_there(const BatchItem&) const;

    record::Record& record_;
    const report::Sealer& sealer_;
    const Course& course_;
    std::vector<record::Rules> rules_;
    std::vector<record::Record::Kept> kept_;
    std::vector<record::Standing> standings_;  ///< of those that are ours
    record::AttemptsOf attempts_;              ///< of standings_
};

}  // namespace cugrade::cli
