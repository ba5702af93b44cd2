// What a batch knows of its hand-ins: which are to be graded, and what came of each.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/batch_attempts.hpp"
#include "cli/batch_plan.hpp"
#include "cli/batch_setup.hpp"
#include "cluster/executor.hpp"
#include "record/chosen_names.hpp"
#include "record/record.hpp"
#include "record/rows.hpp"

namespace cugrade::cli {

/// Not safe between threads. It stays where it is.
class BatchResults {
public:
    /// Unpacks archives, tells the record who is in the class, and takes from it what still holds,
    /// as the arguments say. Throws Failure.
    BatchResults(BatchSetup&, BatchPlan);
    BatchResults(const BatchResults&) = delete;

    [[nodiscard]] const BatchPlan& plan() const { return plan_; }
    [[nodiscard]] const std::vector<BatchItem>& items() const { return plan_.items; }
    [[nodiscard]] const std::vector<cluster::Graded>& graded() const { return results_; }
    [[nodiscard]] const std::vector<record::Entry>& entries() const { return entries_; }
    /// Of the leaderboard; null: there is none.
    [[nodiscard]] const record::ChosenNames* chosen_names() const {
        return names_ ? &*names_ : nullptr;
    }
    [[nodiscard]] const BatchAttempts& attempts() const { return *attempts_; }
    /// Earlier gradings, and why they do not count.
    [[nodiscard]] const std::vector<std::string>& distrusted() const { return distrusted_; }

    /// Whether it has no grading, and should have one.
    [[nodiscard]] bool is_to_grade(std::size_t i) const {
        return is_chosen_[i] && !results_[i].report;
    }
    /// Whether it gets one in this round.
    [[nodiscard]] bool is_due(std::size_t i) const { return is_to_grade(i) && !items()[i].is_left; }
    /// Those that are chosen, and those graded before.
    [[nodiscard]] std::size_t to_do() const { return to_do_; }
    /// Of those.
    [[nodiscard]] std::size_t done() const { return done_; }

    /// What came of one, which the record has under this number.
    void take(std::size_t, cluster::Graded, int number);

    [[nodiscard]] record::Row row(std::size_t) const;
    /// Those of entries() come first, in their order.
    [[nodiscard]] std::vector<record::Row> rows() const;

private:
    void choose_only(const std::vector<std::string>& students, bool may_keep);
    void leave_out_what_nobody_asked_for();
    void set_times();
    void keep_extensions();
    void warn() const;
    [[nodiscard]] std::string_view difference_of_grading(std::size_t item) const;
    void take_earlier_gradings();
    void take_what_stands(std::size_t, const record::Record::Kept&);
    void distrust(const BatchItem&, std::string_view why);
    /// The attempt of this batch.
    [[nodiscard]] record::Attempt newest(std::size_t) const;

    BatchSetup& setup_;
    BatchPlan plan_;
    std::vector<cluster::Graded> results_;  ///< of items()
    std::vector<int> numbers_;              ///< of items(): of the attempt; 0: not graded yet
    std::vector<bool> is_chosen_;           ///< of items()
    std::vector<bool> was_graded_;          ///< of items(): the record has a report
    std::size_t to_do_;
    std::size_t done_ = 0;
    std::vector<std::string> distrusted_;
    std::vector<record::Decision> decisions_;
    std::optional<BatchAttempts> attempts_;
    std::vector<record::Entry> entries_;  ///< of items(), then of who is missing
    std::optional<record::ChosenNames> names_;
};

}  // namespace cugrade::cli
