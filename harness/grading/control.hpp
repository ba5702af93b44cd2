// Where grading failed: is it the machine, or this submission? A program of the course's own that
// grading gets through is tried on the same machine, for comparison.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "build/course.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/report.hpp"

namespace cugrade {

/// What kept cugrade from judging; nothing if it has judged, or if it was called in a wrong way.
[[nodiscard]] std::optional<std::string> trouble_of(const Result<Report>& graded);

/// The baseline, or else the stub, with a text that no cache has: compiler and disks are tried,
/// too.
class Control {
public:
    /// Nothing: there is no such program; or a disk that grading writes to is full, or cannot be
    /// written, so that it is the machine.
    [[nodiscard]] static std::optional<Control> make(const Course&, const AssignmentSpec&);
    [[nodiscard]] const std::filesystem::path& program() const { return program_; }

private:
    Control(TemporaryFolder folder, std::filesystem::path program)
        : folder_(std::move(folder)), program_(std::move(program)) {}
    TemporaryFolder folder_;
    std::filesystem::path program_;
};

}  // namespace cugrade
