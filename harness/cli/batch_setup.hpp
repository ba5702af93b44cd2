// What a batch needs before it grades anything: the course, the back end, the keys, the folder of
// the class and its record.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"
#include "build/course.hpp"
#include "cli/batch_arguments.hpp"
#include "cli/batch_plan.hpp"
#include "cli/folder_lock.hpp"
#include "cli/submission_grader.hpp"
#include "config/cluster.hpp"
#include "record/record.hpp"
#include "record/roster.hpp"
#include "report/format.hpp"
#include "report/seal.hpp"

namespace cugrade::cli {

/// Loud, at the start and at the end: students can compute those cases.
inline constexpr std::string_view no_secret =
    "no course secret is given, so the hidden cases are those of the development secret, which "
    "anybody can read in cugrade's source. For official grades: cugrade secret new FILE, then "
    "--secret-file FILE.";

/// One per process: it holds the lock of the class's folder. It stays where it is.
struct BatchSetup {
    /// Reads all files that the arguments name, chooses the back end, locks the folder of the class
    /// and opens its record. Throws Failure. The arguments have to live as long.
    explicit BatchSetup(const BatchArguments&);
    BatchSetup(const BatchSetup&) = delete;

    /// The hand-ins as they lie there now. Throws Failure.
    [[nodiscard]] BatchPlan plan();
    /// Of the reports of an assignment.
    [[nodiscard]] std::filesystem::path reports_of(const AssignmentSpec&) const;
    /// All that a report depends on.
    [[nodiscard]] std::string inputs_of(const AssignmentSpec&,
                                        const std::string& submission_sha256) const;
    /// By which all marks of this batch come about.
    [[nodiscard]] std::vector<record::Rules> rules() const;
    /// The GPUs that graded before, where they are the nodes'.
    void learn_device();
    /// The rounds of a watch come to the same warnings again.
    void warn_once(const std::string& text);

    const BatchArguments& arguments;
    std::optional<config::Cluster> cluster;  ///< nothing: graded here
    GradeOptions options;
    Course course;
    std::optional<record::Roster> roster;
    std::filesystem::path out;
    std::optional<FolderLock> lock;
    BatchPlan first_plan;  ///< for the first round to take
    report::Sealer sealer;
    std::vector<report::Format> formats;  ///< of the reports
    std::unique_ptr<Backend> backend;     ///< null: the nodes' GPUs
    std::optional<std::string> device;    ///< as reports call it; nothing: not known yet
    int jobs = 1;
    SubmissionGrader grader;
    std::optional<record::Record> record;

private:
    [[nodiscard]] std::filesystem::path folder_of_class();
    void check_tasks() const;
    void choose_backend();
    void choose_jobs();
    void lock_output();
    void check_sandbox() const;
    void remove_leftovers() const;

    std::set<std::string> warned_of_;
};

}  // namespace cugrade::cli
