// Grades a submission of a batch, wherever that is: in the batch's own process or on another node.
#pragma once

#include <filesystem>
#include <string>

#include "backend/backend.hpp"
#include "build/course.hpp"
#include "cluster/executor.hpp"
#include "core/spec.hpp"
#include "seal/key.hpp"

namespace cugrade::cli {

/// What all submissions of a batch have in common. Safe between threads.
struct SubmissionGrader {
    const Course* course = nullptr;
    GradeOptions options;
    const seal::Key* key = nullptr;
    std::string signed_by;  ///< public key of the course in hexadecimal, or "nobody"

    /// What a report on this machine calls the device.
    [[nodiscard]] std::string device_of(const Backend&) const;
    /// All that a report depends on (record/inputs.hpp). The secret is in it under the grader's
    /// key, which helps nobody to guess it.
    [[nodiscard]] std::string inputs(const AssignmentSpec&, const std::string& submission_sha256,
                                     const std::string& device) const;
    [[nodiscard]] cluster::Graded grade(const AssignmentSpec&, const std::string& student,
                                        const std::filesystem::path& source) const;
};

/// A code of the course secret, to see whether another process has the same.
[[nodiscard]] std::string code_of_secret(const seal::Key&, const std::string& secret);

}  // namespace cugrade::cli
