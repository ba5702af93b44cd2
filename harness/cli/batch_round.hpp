// One round of a batch: grades what is to be graded, and writes the record, the reports and the
// tables.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/batch_cluster.hpp"
#include "cli/batch_results.hpp"
#include "cli/batch_setup.hpp"
#include "cli/batch_tally.hpp"
#include "cli/class_files.hpp"
#include "cluster/executor.hpp"

namespace cugrade::cli {

/// It stays where it is.
class BatchRound {
public:
    /// `looks_after_files`: also writes again the report files that are not as they were. Throws
    /// Failure.
    BatchRound(BatchSetup&, BatchPlan, bool looks_after_files = true);
    BatchRound(const BatchRound&) = delete;

    /// Grades, and writes the pages of the class. Returns its rows. Throws Failure.
    std::vector<record::Row> run();

    [[nodiscard]] const BatchResults& results() const { return results_; }
    /// Report files that somebody had changed.
    [[nodiscard]] const std::vector<std::string>& restored() const { return restored_; }
    /// Whose reports are removed.
    [[nodiscard]] const std::vector<std::string>& departed() const { return departed_; }

private:
    void write_what_is_missing();
    void make_executor();
    [[nodiscard]] std::string objection(std::size_t, const std::string& inputs);
    void say_how_long() const;
    void grade_all();
    void try_to_finish(std::vector<cluster::Finished>);
    void finish(std::vector<cluster::Finished>);
    [[nodiscard]] std::vector<int> commit(std::vector<cluster::Finished>&);
    void write_tables_now_and_then();
    void write_tables(const std::vector<record::Row>&) const;
    [[nodiscard]] HandingOut handing_out() const {
        return {.policy = setup_.course.policy, .sealer = setup_.sealer};
    }

    BatchSetup& setup_;
    std::vector<std::string> restored_;
    std::vector<std::string> departed_;
    std::unique_ptr<cluster::Executor> executor_;
    KnownSeconds seconds_;  ///< where order counts
    LineWidths widths_;
    std::mutex tables_mutex_;  ///< one writer at a time
    std::mutex mutex_;         ///< guards everything below, and the output
    BatchResults results_;
    std::chrono::steady_clock::time_point tables_written_{};
    std::optional<Error> broken_;
};

}  // namespace cugrade::cli
