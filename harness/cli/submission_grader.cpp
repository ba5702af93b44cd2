#include "cli/submission_grader.hpp"

#include <fmt/format.h>

#include "cli/batch_lists.hpp"
#include "cli/failure.hpp"
#include "core/files.hpp"
#include "datasets/seeds.hpp"
#include "grading/pipeline.hpp"
#include "record/facts.hpp"

namespace cugrade::cli {

std::string SubmissionGrader::device_of(const Backend& backend) const {
    return provenance(*course, backend).device;
}

std::string SubmissionGrader::inputs(const AssignmentSpec& assignment,
                                     const std::string& submission_sha256,
                                     const std::string& device) const {
    std::string text = fmt::format(
        "submission {}\npolicy {}\nrules {}\ncugrade {}\nbackend {}\ndevice {}\ntiming "
        "{}\nnvcc {}\n"
        "secret {}\nsigned by {}\nassignment {}\n",
        submission_sha256, course->policy.sha256, record::run_rules(course->policy, assignment),
        CUGRADE_VERSION, options.backend, device, options.timing, course->toolchain.nvcc_version,
        code_of_secret(*key, options.secret), signed_by,
        datasets::sha256(value_of(read_file(assignment.folder / "assignment.yaml"))));
    for (const std::string& task : options.tasks) text += fmt::format("task {}\n", task);
    return text;
}

cluster::Graded SubmissionGrader::grade(const AssignmentSpec& assignment,
                                        const std::string& student,
                                        const std::filesystem::path& source) const {
    cluster::Graded result;
    GradeOptions of_this = options;
    of_this.student = student;
    try {
        auto report = cugrade::grade(*course, assignment, source, of_this);
        if (!report) {
            result.problem = report.error().text();
            result.of_the_course = report.error().kind == ErrorKind::configuration;
        } else if (report->verdict == Verdict::harness_error) {
            result.problem = harness_message(*report);
        } else {
            result.facts =
                record::facts_of(*report, assignment, course->policy.assignments.at(assignment.id));
            result.report = std::move(*report);
        }
    } catch (const std::exception& error) {
        result.problem = error.what();
    }
    return result;
}

std::string code_of_secret(const seal::Key& key, const std::string& secret) {
    return secret.empty() ? "none" : key.mac("course secret", {secret});
}

}  // namespace cugrade::cli
