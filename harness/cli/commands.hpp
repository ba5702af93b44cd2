// The subcommands: one file each. `add_<name>` adds its options to the program; its callback runs
// the command and sets the exit code.
#pragma once

#include <CLI/CLI.hpp>

namespace cugrade::cli {

/// The exit codes that a course server can rely on.
enum ExitCode {
    exit_graded = 0,
    exit_usage = 1,         ///< the command line or a configuration file is wrong
    exit_harness = 2,       ///< cugrade or the machine failed: no score is written
    exit_fail_under = 3,    ///< graded, below --fail-under
    exit_not_the_same = 3,  ///< verify, check --replay: not what the report says
    exit_person = 4,        ///< graded, and a person has to decide about a submission
};

void add_check(CLI::App&, int& exit_code);
void add_batch(CLI::App&, int& exit_code);
/// Hidden: for the jobs of `batch --slurm`.
void add_batch_worker(CLI::App&);
void add_class(CLI::App&, int& exit_code);
void add_compare(CLI::App&, int& exit_code);
void add_completion(CLI::App&, int& exit_code);
void add_list(CLI::App&, int& exit_code);
void add_data(CLI::App&, int& exit_code);
void add_doctor(CLI::App&, int& exit_code);
void add_explain(CLI::App&, int& exit_code);
void add_export(CLI::App&, int& exit_code);
void add_export_moodle(CLI::App& of_export, int& exit_code);
void add_manual(CLI::App&, int& exit_code);
void add_override(CLI::App&, int& exit_code);
void add_profile(CLI::App&, int& exit_code);
void add_release(CLI::App&, int& exit_code);
void add_rescore(CLI::App&, int& exit_code);
void add_roofline(CLI::App&, int& exit_code);
void add_run(CLI::App&, int& exit_code);
void add_sweep(CLI::App&, int& exit_code);
void add_secret(CLI::App&, int& exit_code);
void add_verify(CLI::App&, int& exit_code);
/// Takes the words after `--` off the command line of `run`: they are the program's. Returns the
/// number of words that are left.
[[nodiscard]] int keep_program_arguments(int argc, char** argv);

}  // namespace cugrade::cli
