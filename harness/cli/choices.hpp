// The user's choices: assignments and tasks by name, back ends, what grading takes.
#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"
#include "build/course.hpp"
#include "cli/secret.hpp"
#include "core/error.hpp"
#include "core/spec.hpp"
#include "report/seal.hpp"

namespace cugrade::cli {

/// "unknown assignment `redcution`", with "did you mean `reduction`?" or all candidates as remedy.
[[nodiscard]] Error unknown(std::string_view what, std::string_view name,
                            const std::vector<std::string>& candidates);

[[nodiscard]] std::vector<std::string> ids_of(const std::vector<AssignmentSpec>&);
/// Errors: there is no assignment with this id, or it is left out (with the reason).
[[nodiscard]] Result<const AssignmentSpec*> find_assignment(
    const std::vector<AssignmentSpec>&, std::string_view id,
    const std::vector<LeftOut>& left_out = {});
/// Errors: there is no task with this name, or the policy leaves it out.
[[nodiscard]] Result<const TaskSpec*> find_task(const AssignmentSpec&, std::string_view name);
/// The parts of "reduction/sum".
struct TaskPath {
    const AssignmentSpec* assignment = nullptr;
    const TaskSpec* task = nullptr;
};
[[nodiscard]] Result<TaskPath> find_task_by_path(const std::vector<AssignmentSpec>&,
                                                 std::string_view path,
                                                 const std::vector<LeftOut>& left_out = {});

/// Infers the assignment of a file or folder when the user does not name it: from the line `A :=
/// <id>` of the Makefile beside it, else from the nearest folder above that has the name of an
/// assignment.
[[nodiscard]] Result<const AssignmentSpec*> infer_assignment(
    const std::vector<AssignmentSpec>&, const std::filesystem::path& source,
    const std::vector<LeftOut>& left_out = {});

/// The choices of `check`, `profile` and `roofline`: one submission, its assignment and its tasks.
struct SubmissionChoices {
    std::string source;
    std::string assignment;  ///< an id, or a folder if it has a slash; empty: see infer_assignment
    std::vector<std::string> tasks;

    void add(CLI::App&, bool needs_source = true);
    /// The course, with the assignment's folder if that is what was named: `-a ./reduction`.
    [[nodiscard]] Result<Course> course(const std::string& policy_file) const;
    /// Errors: there is no such assignment, or it lacks one of the tasks.
    [[nodiscard]] Result<const AssignmentSpec*> assignment_of(const Course&) const;
};

/// The options that `check`, `batch` and `doctor` share.
struct GradingChoices {
    std::string backend = "auto";
    int ptx_arch = 75;
    std::vector<int> also_build;
    SecretChoice secret;
    std::string sign;  ///< file of the course's signing key; empty: reports are not signed
    std::string policy;
    std::string sandbox;  ///< empty: auto, or on for a class and in CI, which have others' programs
    bool is_class = false;
    bool no_timing = false;
    int jobs = 0;              ///< 0: one per processor
    int emulator_threads = 0;  ///< 0: the processors that the jobs leave

    void add_backend(CLI::App&);
    void add_all(CLI::App&);
    /// --sign, for the commands that write reports.
    void add_sign(CLI::App&);
    [[nodiscard]] Result<GradeOptions> options() const;
    /// Seals the reports of this run.
    [[nodiscard]] Result<report::Sealer> sealer() const;
    /// Jobs at once. With `gpus` to measure on, the default keeps some processors free for
    /// measuring.
    [[nodiscard]] int job_count(int gpus = 0) const;
    /// Threads of each emulated GPU if `at_once` of them run.
    [[nodiscard]] int thread_count(int at_once) const;
};

/// --emulator-threads, for every command that runs kernels.
void add_emulator_threads(CLI::App&, int& threads);

}  // namespace cugrade::cli
