#include "grading/control.hpp"

#include <random>
#include <utility>

#include <fmt/format.h>

#include "core/home.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

/// Of each disk that grading writes to. Less is soon none: a build takes some MiB.
constexpr std::uintmax_t least_room = std::uintmax_t{64} << 20;

bool disks_are_full() {
    const auto temporary = temporary_folder();
    std::error_code none;
    for (const fs::path& folder : {temporary ? *temporary : fs::path(), cache_folder()})
        if (const auto there = fs::space(folder, none); !none && there.available < least_room)
            return true;
    return false;
}

}  // namespace

std::optional<std::string> trouble_of(const Result<Report>& graded) {
    if (!graded)
        return graded.error().kind == ErrorKind::usage ? std::nullopt
                                                       : std::optional(graded.error().message);
    for (const TaskReport& task : graded->tasks)
        for (const CaseOutcome& outcome : task.outcome.cases)
            if (outcome.verdict == Verdict::harness_error)
                return fmt::format("{}: {}", task.name, outcome.message);
    return std::nullopt;
}

std::optional<Control> Control::make(const Course& course, const AssignmentSpec& assignment) {
    if (disks_are_full()) return std::nullopt;
    std::random_device random;
    for (const fs::path& file :
         {reference_file(course, assignment, "baseline.cu"),
          course.home.share / "student_template" / assignment.id / "student.cu"}) {
        const auto text = read_file(file);
        if (!text) continue;
        auto folder = TemporaryFolder::make("control");
        if (!folder) return std::nullopt;
        fs::path copy = folder->path() / file.filename();
        if (!write_atomically(copy,
                              fmt::format("{}\n// {:08x}{:08x}\n", *text, random(), random())))
            return std::nullopt;
        return Control(*std::move(folder), std::move(copy));
    }
    return std::nullopt;
}

}  // namespace cugrade
