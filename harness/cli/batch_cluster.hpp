// A batch as jobs of a cluster: what is this command's about it. The rest is harness/cluster.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/batch_plan.hpp"
#include "cli/choices.hpp"
#include "cli/submission_grader.hpp"
#include "cluster/coordinator.hpp"
#include "config/cluster.hpp"
#include "record/record.hpp"

namespace cugrade::cli {

/// Nothing if no file is named. Errors: as of config::load_cluster(); the course secret is given in
/// a way that does not reach other nodes.
[[nodiscard]] std::optional<config::Cluster> read_cluster(const std::string& file,
                                                          const GradingChoices&);
/// What `auto` means on this cluster; any other name is itself.
[[nodiscard]] std::string backend_on(const config::Cluster&, const std::string& backend);

/// `out`: the class's folder, locked by this process. With `keep`, a run that is there is gone on
/// with. Errors: there is no scheduler here, or the grader's key cannot be kept.
[[nodiscard]] std::unique_ptr<cluster::Executor> cluster_executor(
    const config::Cluster&, const SubmissionGrader&, const GradingChoices&,
    const std::filesystem::path& out, bool keep, cluster::CoordinatorSide);

/// What a worker has to know of it.
[[nodiscard]] cluster::PlanItem planned(const BatchItem&);
/// In words, what a result does not have in common with what it should depend on; empty: nothing.
[[nodiscard]] std::string difference_of(std::string_view inputs, std::string_view wanted);

/// How long submissions took the last time.
class KnownSeconds {
public:
    void add(const record::Grading&);
    /// As the last time, else as the assignment's on average, else longer than all others.
    [[nodiscard]] double of(const BatchItem&) const;

private:
    std::map<std::pair<std::string, std::string>, double> known_;  ///< assignment, student
};

}  // namespace cugrade::cli
