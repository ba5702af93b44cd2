// cluster.yaml: on which part of a cluster a batch grades, and what its jobs ask for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace cugrade::config {

/// What an array of jobs asks for. Nothing given: the cluster's default.
struct ClusterJobs {
    int tasks = 1;  ///< of the array, at most: so many are at work at once
    int cpus = 1;   ///< of each task, which grades so many submissions at once
    std::string partition;
    std::string account;
    std::string qos;
    std::string constraint;
    std::string reservation;
    std::string time;  ///< as Slurm writes it: D-HH:MM:SS and its shorter forms
    std::uint64_t memory_bytes = 0;
    int gpus = 0;
    std::string gres;
    std::vector<std::string> options;  ///< more of sbatch's: "--nice=100"
};

struct Cluster {
    ClusterJobs grade;
    /// Where submissions are compiled before they are graded; nothing: where they are graded.
    std::optional<ClusterJobs> build;
    int gpu_arch = 0;                ///< compute capability of the GPUs, to compile for
    std::vector<std::string> setup;  ///< lines of shell before cugrade starts on a node
    std::filesystem::path program;   ///< cugrade on the nodes; empty: the path of this one
};

/// Reads a cluster.yaml (docs/cluster.md), strictly as all YAML here.
[[nodiscard]] Result<Cluster> load_cluster(const std::filesystem::path& file);

}  // namespace cugrade::config
