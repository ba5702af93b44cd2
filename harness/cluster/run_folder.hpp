// The folder of one run on a cluster, which the coordinator and all workers see. Theory of
// operation:
//
//   OUT/.cluster/<run>/plan                 what is to be graded, and how (plan.hpp)
//                      job.sh, log/         what the scheduler starts, and what that printed
//                      <stage>/claims/7     submission 7 is somebody's: who, where, since when
//                      <stage>/claims/7.died-<random>     somebody's who did not finish it
//                      <stage>/results/7    what came of it
//                      <stage>/results/7.refused-<random> a result that the batch did not take
//
// A claim and a result appear by a hard link, whole, and only if there is none: of several workers
// that claim a submission at once, one gets it, on a local file system and over NFS. A claim never
// expires by a clock, since clocks of machines differ and a grading may take long. It is free again
// when the scheduler says that the task which made it is not running. Then the claim is renamed,
// so the number of those that died is known. If a task that was given up still ends its work, there
// are two results of one submission: the first one stays, and the other is dropped.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "seal/key.hpp"

namespace cugrade::cluster {

/// A task of the scheduler, which may start anew after its node has died.
struct Worker {
    std::string task;  ///< as the scheduler calls it: "117_3"
    int start = 0;     ///< how often it was started before
    bool operator==(const Worker&) const = default;
};

class Stage {
public:
    Stage(std::filesystem::path folder, std::string run, std::string name, seal::Key key)
        : folder_(std::move(folder)), run_(std::move(run)), name_(std::move(name)), key_(key) {}
    [[nodiscard]] Status make() const;
    [[nodiscard]] const std::string& name() const { return name_; }

    /// Claims a submission. False: it is somebody's. Errors: the folder cannot be written.
    [[nodiscard]] Result<bool> claim(std::size_t item, const Worker&) const;
    [[nodiscard]] bool is_claimed(std::size_t item) const;
    /// Submissions that are claimed or have a result, at one look.
    [[nodiscard]] std::set<std::size_t> taken() const;
    struct Claim {
        Worker worker;
        std::string where;  ///< node and process, for people
    };
    /// Claims of submissions that have no result.
    [[nodiscard]] std::map<std::size_t, Claim> open_claims() const;
    /// The claim of a worker that will not finish it: others may claim the submission now.
    void free(std::size_t item) const;
    /// How many gave up each submission: workers that died, and results that were refused.
    [[nodiscard]] std::map<std::size_t, int> deaths() const;

    /// Leaves a result, if there is none.
    [[nodiscard]] Status leave(std::size_t item, std::string_view text) const;
    [[nodiscard]] bool has_result(std::size_t item) const;
    /// Submissions that have one.
    [[nodiscard]] std::vector<std::size_t> results() const;
    /// Errors: somebody else wrote it, or it is too large.
    [[nodiscard]] Result<std::string> result(std::size_t item) const;
    /// Takes away a result that does not count, and frees the submission.
    void refuse(std::size_t item) const;

private:
    [[nodiscard]] std::filesystem::path claims() const { return folder_ / name_ / "claims"; }
    [[nodiscard]] std::filesystem::path results_folder() const {
        return folder_ / name_ / "results";
    }
    std::filesystem::path folder_;  ///< of the run
    std::string run_;
    std::string name_;
    seal::Key key_;
};

/// <folder of the class>/.cluster
[[nodiscard]] std::filesystem::path cluster_folder(const std::filesystem::path& out);
/// In the folder of a run.
[[nodiscard]] std::filesystem::path plan_file(const std::filesystem::path& run);
[[nodiscard]] std::filesystem::path log_folder(const std::filesystem::path& run);

}  // namespace cugrade::cluster
