// What a batch needs of a cluster's scheduler: one interface. An implementation is a class in a
// file of its own: slurm.hpp.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "config/cluster.hpp"
#include "core/error.hpp"

namespace cugrade::cluster {

/// An array of equal tasks. Each runs `script`, without arguments.
struct ArrayJob {
    std::string name;  ///< by which tasks() and cancel() find all tasks of a run
    int tasks = 1;
    std::filesystem::path script;
    std::filesystem::path logs;  ///< folder for what tasks print
    const config::ClusterJobs* jobs = nullptr;
};

/// A task that has not ended.
struct Task {
    std::string id;  ///< as Worker::task
    enum class State {
        waiting,  ///< it will run
        running,
        held,   ///< waits for a person or a time, though nodes may be idle
        ending  ///< it does not run any more, and the scheduler tidies up; it may run again
    } state = State::waiting;
    std::string reason;  ///< why it does not run, in the scheduler's words
};

class Scheduler {
public:
    virtual ~Scheduler() = default;
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// Submits; returns the id. The tasks start again by themselves when their node dies. An Error
    /// of kind usage is for the user; any other may pass.
    [[nodiscard]] virtual Result<std::string> submit(const ArrayJob&) const = 0;
    /// This user's tasks of a name. Errors: the scheduler does not answer.
    [[nodiscard]] virtual Result<std::vector<Task>> tasks(const std::string& name) const = 0;
    [[nodiscard]] virtual Status cancel(const std::string& name) const = 0;
    /// Shell text that gives the running task's id, and how often it was started before.
    [[nodiscard]] virtual std::string_view task_words() const = 0;
    [[nodiscard]] virtual std::string_view start_words() const = 0;
};

}  // namespace cugrade::cluster
