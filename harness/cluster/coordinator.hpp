// Grades as jobs of a cluster: the batch's side. Theory of operation:
//
// The batch stays the only one that writes the record and whatever is made of it. It lays out a
// run's folder (run_folder.hpp), has the scheduler start an array of workers, and then takes
// results as they appear. It asks for them again and again, since no notification crosses a network
// file system. Now and then it asks the scheduler which tasks run: a claim of a task that does not
// is freed, and where no task is left and submissions are, another array is submitted. The
// scheduler itself starts tasks again whose nodes died. A submission whose workers died
// `most_deaths` times is given up: not graded, and charged to nobody.
//
// If this process is killed, the workers go on. The next batch with --resume finds the run, takes
// what its workers have left if it still depends on the same inputs, and goes on with the run if
// all that is still to be graded is in it, under the same options. Otherwise it cancels the run's
// jobs and begins another. So whatever is killed, nothing is lost, and a submission gets a second
// result only in the folder, where the first one counts.
//
// Compiling may be a stage of its own, on other nodes, before grading: its results are empty, and
// what it makes is in the cache of builds, which all nodes share.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "cluster/executor.hpp"
#include "cluster/plan.hpp"
#include "cluster/run_folder.hpp"
#include "cluster/scheduler.hpp"
#include "config/cluster.hpp"

namespace cugrade::cluster {

inline constexpr const char* build_stage = "build";
inline constexpr const char* grade_stage = "grade";

/// What the coordinator asks the batch.
struct CoordinatorSide {
    /// What is to be graded: index of the batch's submission -> what its worker has to know.
    std::function<PlanItem(std::size_t)> item;
    /// Seconds that it may take; the longest are begun first.
    std::function<double(std::size_t)> expected_s;
    /// Why a result does not count that depends on these inputs; empty: it counts.
    std::function<std::string(std::size_t, const std::string& inputs)> objection;
    /// A line for the user.
    std::function<void(const std::string&)> say;
};

/// How often it looks, and how long it waits. Tests have other numbers.
struct Pace {
    /// Between looks at the results: a batch ends so long after its last one. Chosen.
    std::chrono::milliseconds look{200};
    /// Between questions to the scheduler. Chosen: Slurm's advice is every few seconds at most.
    std::chrono::milliseconds ask{5000};
    /// A free submission waits so long for tasks that are at work, before others are submitted.
    std::chrono::milliseconds for_workers{60000};
    /// For a scheduler that does not answer. Chosen: over a night's maintenance.
    std::chrono::milliseconds for_scheduler{std::chrono::hours(12)};
};

class Coordinator final : public Executor {
public:
    /// `out`: the class's folder, which this process has locked. `program`: cugrade. `keep`: a run
    /// that is there may be gone on with, else its jobs are cancelled.
    Coordinator(std::filesystem::path out, std::filesystem::path program, config::Cluster,
                std::unique_ptr<Scheduler>, seal::Key, PlanOptions, bool keep, CoordinatorSide,
                Pace = {});
    void run(const std::vector<std::size_t>& items, const BatchSide&) override;

private:
    using Clock = std::chrono::steady_clock;
    void go_on_or_begin(const std::vector<std::size_t>& items, const BatchSide&);
    /// Takes what earlier runs have left. Returns the one that can be gone on with, or nothing.
    [[nodiscard]] std::string earlier_run(const std::vector<std::size_t>& items, const BatchSide&);
    void begin(const std::vector<std::size_t>& items);
    /// True when all of the stage is done; false if it was stopped.
    bool run_stage(const char* name, const config::ClusterJobs&, const BatchSide&);
    void take_results(const Stage&, const Plan&, const std::map<std::size_t, std::size_t>& items,
                      const BatchSide&, bool is_grading);
    bool is_taken(const Stage&, const Plan&, std::size_t number, std::size_t item,
                  const Result<Outcome>&, bool is_grading);
    /// Asks the scheduler, frees claims, submits.
    void look_after(const Stage&, const config::ClusterJobs&, const BatchSide&, bool is_grading);
    void give_up_the_hopeless(const Stage&, const BatchSide&, bool is_grading);
    void submit(const Stage&, const config::ClusterJobs&, std::size_t tasks);
    void write_script(const std::string& stage, int at_once,
                      const std::filesystem::path& script) const;
    void say_waiting(const std::vector<Task>&);
    void no_answer(const Error&);
    [[nodiscard]] std::string last_log() const;
    [[nodiscard]] std::string job_name(const std::string& stage, const std::string& run) const;
    void cancel(const std::string& run);
    [[nodiscard]] std::filesystem::path folder_of(const std::string& run) const;

    std::filesystem::path out_;
    std::filesystem::path program_;
    config::Cluster cluster_;
    std::unique_ptr<Scheduler> scheduler_;
    seal::Key key_;
    PlanOptions options_;
    bool keep_;
    CoordinatorSide side_;
    Pace pace_;

    Plan plan_;                                 ///< of the run that is gone on with or begun
    std::map<std::size_t, std::size_t> items_;  ///< number in plan_ -> the batch's
    std::set<std::size_t> finished_;            ///< the batch's numbers
    // Of the stage:
    std::set<std::size_t> settled_;  ///< numbers in plan_ that need nothing more
    std::size_t progress_ = 0;       ///< what was settled, was claimed or has died, at most
    int submitted_ = 0;              ///< arrays, since there was progress
    Clock::time_point asked_{};      ///< the scheduler
    std::optional<Clock::time_point> free_since_;    ///< something is neither settled nor claimed
    std::optional<Clock::time_point> silent_since_;  ///< the scheduler does not answer
    std::string waiting_said_;
};

}  // namespace cugrade::cluster
