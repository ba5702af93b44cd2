// Slurm, by its commands sbatch, squeue and scancel.
#pragma once

#include "cluster/scheduler.hpp"

namespace cugrade::cluster {

/// `supervisor`: the program that runs these commands under a limit of time. Errors: they are not
/// on the PATH.
[[nodiscard]] Result<std::unique_ptr<Scheduler>> make_slurm(
    const std::filesystem::path& supervisor);

}  // namespace cugrade::cluster
