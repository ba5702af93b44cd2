// Grades one submission from source file to report.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/case_data.hpp"
#include "core/error.hpp"
#include "core/home.hpp"
#include "core/policy.hpp"
#include "core/report.hpp"
#include "core/spec.hpp"
#include "emulator/model/time_model.hpp"
#include "grader/build.hpp"

namespace cugrade {

enum class Backend { automatic, gpu, emulator };

inline constexpr std::size_t default_check_bytes = std::size_t{128} << 10;

/// Host threads of each of `at_once` emulated GPUs: `chosen`, or for 0 a share of the processors.
[[nodiscard]] int threads_of_each(int chosen, int at_once);

struct GradeOptions {
    Backend backend = Backend::automatic;
    std::string student;          ///< id from which hidden seeds are derived; may be empty
    std::string secret;           ///< course secret; empty: hidden cases use a development secret
    int ptx_arch = 75;            ///< for the emulated GPU
    std::vector<int> also_build;  ///< more compute capabilities to compile for, for later gradings
    std::vector<std::string> tasks;  ///< empty: all
    int jobs = 2;                    ///< tasks graded at once
    /// Host threads of each emulated GPU; 0: the tasks graded at once share the processors.
    int emulator_threads = 0;
    bool timing = true;  ///< speed is measured, or modelled
    /// Schedules to try on the emulated GPU besides the first; 0: one, for cases that are small.
    int explore = 0;
    /// Cases of up to so many bytes of inputs and outputs run under the checkers, too: enough for
    /// several blocks and a partial one, and little enough to take no second.
    std::size_t check_bytes = default_check_bytes;
    /// Called as things happen, from any thread: "reduction/sum case 3 of 17".
    std::function<void(const std::string&)> progress;
};

/// Everything that stays the same between submissions.
struct Course {
    Home home;
    Toolchain toolchain;
    std::vector<AssignmentSpec> assignments;
    GradingPolicy policy;
    std::optional<model::Device> modelled_on;  ///< where there is no GPU
    [[nodiscard]] const AssignmentSpec* find(std::string_view id) const;
    [[nodiscard]] static Result<Course> load(const Home&,
                                             const std::filesystem::path& policy_file = {});
};

/// An Error is the harness's own (exit 2) or the caller's (exit 1); whatever the submission does
/// wrong is in the report.
[[nodiscard]] Result<Report> grade(const Course&, const AssignmentSpec&,
                                   const std::filesystem::path& source, const GradeOptions&);

/// True if a usable GPU is here; `why` says why not.
[[nodiscard]] bool gpu_available(std::string* why = nullptr);

/// Materialises a case (inputs, and zero-filled outputs) as the grader would.
[[nodiscard]] Result<CaseData> make_case(const AssignmentSpec&, const TaskSpec&, const CaseSpec&,
                                         const GradeOptions&);
/// The oracle's answer. Errors: no oracle for this task.
[[nodiscard]] Result<std::vector<Expected>> expected_answer(const AssignmentSpec&, const CaseData&);
/// A case with its right answer.
struct AnsweredCase {
    CaseData data;
    std::vector<Expected> expected;
};
[[nodiscard]] Result<AnsweredCase> answered_case(const AssignmentSpec&, const TaskSpec&,
                                                 const CaseSpec&, const GradeOptions&);

}  // namespace cugrade
