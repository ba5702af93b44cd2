// What the user chose, or meant: assignments and tasks by name, backends, the course secret.
#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/spec.hpp"
#include "grader/pipeline.hpp"

namespace cugrade::cli {

/// The candidate that `name` is most likely a misspelling of, or empty.
[[nodiscard]] std::string closest(std::string_view name,
                                  const std::vector<std::string>& candidates);

/// "unknown assignment `redcution`", with "did you mean `reduction`?" or all candidates as remedy.
[[nodiscard]] Error unknown(std::string_view what, std::string_view name,
                            const std::vector<std::string>& candidates);

[[nodiscard]] std::vector<std::string> ids_of(const std::vector<AssignmentSpec>&);
[[nodiscard]] Result<const AssignmentSpec*> find_assignment(const std::vector<AssignmentSpec>&,
                                                            std::string_view id);
[[nodiscard]] Result<const TaskSpec*> find_task(const AssignmentSpec&, std::string_view name);
/// Of "reduction/sum".
struct TaskPath {
    const AssignmentSpec* assignment = nullptr;
    const TaskSpec* task = nullptr;
};
[[nodiscard]] Result<TaskPath> find_task_by_path(const std::vector<AssignmentSpec>&,
                                                 std::string_view path);

/// Which assignment a file or folder belongs to when nobody says it: the line `A := <id>` of the
/// Makefile beside it, else the nearest folder above that is named like an assignment.
[[nodiscard]] Result<const AssignmentSpec*> infer_assignment(const std::vector<AssignmentSpec>&,
                                                             const std::filesystem::path& source);

/// One submission, and the assignment and tasks that it is for: what `check`, `profile` and
/// `roofline` take.
struct SubmissionChoices {
    std::string source;
    std::string assignment;  ///< empty: see infer_assignment
    std::vector<std::string> tasks;

    void add(CLI::App&);
    /// Errors: there is no such assignment, or it has no such task.
    [[nodiscard]] Result<const AssignmentSpec*> assignment_of(const Course&) const;
};

/// The options that `check`, `batch` and `doctor` share.
struct GradingChoices {
    std::string backend = "auto";
    int ptx_arch = 75;
    std::vector<int> also_build;
    std::string secret_file;
    std::string policy;
    bool no_timing = false;
    int jobs = 0;              ///< 0: one per processor
    int emulator_threads = 0;  ///< 0: what processors the jobs leave

    void add_backend(CLI::App&);
    void add_all(CLI::App&);
    [[nodiscard]] Result<GradeOptions> options() const;
    /// With `gpus` to measure on, by default some processors are left to those who measure.
    [[nodiscard]] int job_count(int gpus = 0) const;
    /// Of each emulated GPU, where `at_once` of them run.
    [[nodiscard]] int thread_count(int at_once) const;
};

/// --emulator-threads, for every command that runs kernels.
void add_emulator_threads(CLI::App&, int& threads);

/// From the file, else from $CUGRADE_SECRET, else empty.
[[nodiscard]] Result<std::string> read_secret(const std::string& file);

}  // namespace cugrade::cli
